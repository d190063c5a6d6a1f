import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Runtime } from '#api/runtime.js';
import { newKey } from '#api/shared/commands/new-key.js';
import {
  ACCESS_KEYS_STREAM,
  type AccessKeyCommand,
  type AccessKeyEvent,
  type AccessKeysState,
  accessKeys,
  isKeyRole,
  isKeyService,
  KEY_ROLES,
} from '#domain/operations/access-keys.js';
import { systemContext } from '#infra/event-store/system-events.js';
import { onRuntime, printRows } from './on-runtime.js';

type Output = Readonly<{ json?: boolean }>;

const run = async ({ processor, clock }: Runtime, command: AccessKeyCommand): Promise<void> => {
  const context = systemContext(`cli:${userInfo().username}`, 'ops', clock());
  await processor.execute({ stream: ACCESS_KEYS_STREAM, decider: accessKeys, command, context });
};

/** From the log itself: right even where no server keeps the read models up to date. */
const keysInForce = async ({ eventStore }: Runtime): Promise<AccessKeysState> => {
  const state = accessKeys.initialState();
  for (let from = 0n, more = true; more; ) {
    const page = await eventStore.readStream(ACCESS_KEYS_STREAM, { from, limit: 1_000 });
    for (const event of page) accessKeys.evolve(state, event as unknown as AccessKeyEvent);
    from += BigInt(page.length);
    more = page.length > 0;
  }
  return state;
};

export const addKeysCommands = (program: Command): void => {
  const keys = program.command('keys').description('keys of administrators and operators');

  keys
    .command('create')
    .description('makes a key and shows it, this once')
    .requiredOption('--service <service>', Object.keys(KEY_ROLES).join(', '))
    .requiredOption('--role <role>', Object.values(KEY_ROLES).flat().join(', '))
    .requiredOption('--name <name>', 'what it is for')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  logbook keys create --service status --role super_admin_ui --name "web console"')
    .action(async ({ service, role, name, json }: Readonly<{ service: string; role: string; name: string }> & Output, command: Command) => {
      if (!isKeyService(service))
        command.error(`error: there is no service ${service} with keys; there are ${Object.keys(KEY_ROLES).join(', ')}`, { exitCode: 2 });
      else if (!isKeyRole(service, role))
        command.error(`error: ${service} has no role ${role}; it has ${KEY_ROLES[service].join(', ')}`, { exitCode: 2 });
      else {
        const [key, keyId] = [newKey(), randomUUID()];
        await onRuntime((runtime) =>
          run(runtime, { type: 'IssueKey', key: { keyId, service, roles: [role], name, keyHash: runtime.credentialHashes.of(key) } }),
        );
        console.log(json ? JSON.stringify({ id: keyId, service, role, name, key }) : `${key}\n(id ${keyId}; the key is not shown again)`);
      }
    });

  keys
    .command('list')
    .description('the keys in force, without the keys themselves')
    .option('--json', 'one JSON object instead of columns')
    .addHelpText('after', '\nExample:\n  logbook keys list')
    .action(({ json = false }: Output) =>
      onRuntime(async (runtime) => {
        await run(runtime, { type: 'ListKeys' });
        const { active } = await keysInForce(runtime);
        printRows(
          [...active.values()].map(({ keyId, service, roles, name }) => ({ id: keyId, service, role: roles.join(' '), name })),
          json,
        );
      }),
    );

  keys
    .command('revoke')
    .argument('<id>', 'as `keys list` shows it')
    .description('makes a key worthless at once')
    .addHelpText('after', '\nExample:\n  logbook keys revoke 6f1c2a34-…')
    .action((keyId: string) => onRuntime((runtime) => run(runtime, { type: 'RevokeKey', keyId })));
};
