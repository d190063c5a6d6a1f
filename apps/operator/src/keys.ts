import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { KEYS, NEW_KEY } from '#api/ops-kit/answers-documentation.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { newKey } from '#api/shared/commands/new-key.js';
import type { Answered } from '#api/shared/openapi/described.js';
import {
  ACCESS_KEYS_STREAM,
  type AccessKeyCommand,
  accessKeys,
  isAccessKeyEvent,
  isKeyRole,
  isKeyService,
  KEY_ROLES,
  type KeyService,
} from '#domain/operations/access-keys.js';
import { LONGEST_KEY_NAME } from '#domain/operations/given-texts.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';
import { CommandFailed, expectText, WrongUsage } from './command-failed.js';
import { addCommand, addGroup, type CommandCall } from './frame.js';
import { operatorContext } from './operator.js';

/** @throws CommandFailed */
const run = async (runtime: Runtime, command: AccessKeyCommand): Promise<void> => {
  await runtime.processor.execute({ stream: ACCESS_KEYS_STREAM, decider: accessKeys, command, context: operatorContext(runtime) });
};

/** Read from the log itself, so that they are right even if no server keeps the read models up to date. Members as in HTTP. */
const keysInForce = async ({ eventStore }: Runtime): Promise<ListedKeys['items']> => {
  const state = accessKeys.initialState();
  const issuedAt = new Map<string, string>();
  for await (const page of streamPages(eventStore, ACCESS_KEYS_STREAM))
    for (const event of page) {
      if (!isAccessKeyEvent(event)) continue;
      accessKeys.evolve(state, event);
      if (event.type === 'AccessKeyIssued') issuedAt.set(event.data.keyId, event.metadata.time);
    }
  const items = [...state.active.values()].map(({ keyId, service, roles, name }) => ({
    id: keyId,
    service,
    role: roles.join(' '),
    name,
    issuedAt: issuedAt.get(keyId) ?? '',
  }));
  // Like the read model: keys of the same millisecond are sorted by id.
  return items.sort((left, right) => left.issuedAt.localeCompare(right.issuedAt) || left.id.localeCompare(right.id));
};

/** @throws WrongUsage */
const checkedRole = (service: string, role: string): KeyService => {
  if (!isKeyService(service))
    throw new WrongUsage(`error: there is no service ${service} with keys; there are ${Object.keys(KEY_ROLES).join(', ')}`);
  if (!isKeyRole(service, role)) throw new WrongUsage(`error: ${service} has no role ${role}; it has ${KEY_ROLES[service].join(', ')}`);
  return service;
};

const issue = async (runtime: Runtime, service: KeyService, role: string, name: string): Promise<Answered<typeof NEW_KEY>> => {
  const [key, keyId] = [newKey(), randomUUID()];
  await run(runtime, { type: 'IssueKey', key: { keyId, service, roles: [role], name, keyHash: runtime.credentialHashes.of(key) } });
  return { id: keyId, service, role, name, key };
};

type Asking = Pick<CommandCall<object>, 'either'>;
type ListedKeys = Answered<typeof KEYS>;

const listed = ({ either }: Asking): Promise<ListedKeys> =>
  either<ListedKeys>(
    (server) => server.get('/ops/keys'),
    async (runtime) => {
      await run(runtime, { type: 'ListKeys' });
      return { items: await keysInForce(runtime) };
    },
  );

const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Shortest part of an id that a terminal shows. */
const BEGINNING = /^([0-9a-f-]{8,35})…?$/;

/** The id of a key. A beginning, as shown on a terminal, stands for the only active key with it. @throws WrongUsage several have it */
const wholeId = async (given: string, call: Asking): Promise<string> => {
  const [, beginning] = WHOLE_ID.test(given) ? [] : (BEGINNING.exec(given) ?? []);
  if (beginning === undefined) return given;
  const [found, other] = (await listed(call)).items.filter(({ id }) => id.startsWith(beginning));
  if (other) throw new WrongUsage(`error: several keys have an id that begins with ${beginning}: give more of it`);
  return found?.id ?? given;
};

export const addKeysCommands = (program: Command): void => {
  const keys = addGroup(program, 'keys', 'keys of administrators and operators');

  addCommand<Readonly<{ service: string; role: string; name: string }>>(keys, {
    name: 'create',
    description: 'creates a key and shows it once',
    example: 'logbook keys create --service status --role super_admin_ui --name "web console"',
    configure: (command) =>
      command
        .requiredOption('--service <service>', Object.keys(KEY_ROLES).join(', '))
        .requiredOption('--role <role>', Object.values(KEY_ROLES).flat().join(', '))
        .requiredOption('--name <name>', 'purpose of the key'),
    run: async ({ options: { service: given, role, name }, either }) => {
      const service = checkedRole(given, role);
      expectText('--name', name, LONGEST_KEY_NAME);
      const made = await either<Answered<typeof NEW_KEY>>(
        (server) => server.post('/ops/keys', { service, role, name }),
        (runtime) => issue(runtime, service, role, name),
        true,
      );
      return { value: made, text: `${made.key}\n(id ${made.id}; the key is not shown again)` };
    },
  });

  addCommand(keys, {
    name: 'list',
    description: 'the active keys, without the keys themselves',
    example: 'logbook keys list',
    lists: [],
    run: async (call) => ({ value: await listed(call) }),
  });

  addCommand(keys, {
    name: 'revoke <id>',
    description: 'revokes a key at once; `keys list` shows the ids, of which the beginning is enough',
    example: 'logbook keys revoke 6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60',
    run: async (call) => {
      const keyId = await wholeId(String(call.args[0]), call);
      await call.either<void>(
        (server) => server.call(`/ops/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE' }),
        (runtime) => run(runtime, { type: 'RevokeKey', keyId }).catch(explained),
      );
      return {};
    },
  });
};

const explained = (error: unknown): never => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'KEY_NOT_FOUND') throw new CommandFailed('there is no key with this id');
  if (code === 'LAST_OPERATOR_KEY') throw new CommandFailed('this is the last key with the role operator: make another one first');
  throw error;
};
