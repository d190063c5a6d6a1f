import type { Cleanup } from '#test/support/cleanup.js';
import { ADMIN, type Deployment, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { LISTENER_SECRET } from '#test/support/documents/all-routes.js';
import { type DescribedCall, describedCalls, pathOf, SERVER_CREDENTIALS } from '#test/support/documents/described-calls.js';
import { type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';

export type Headers = Readonly<Record<string, string>>;
/** What a call was answered; status 0: it waits for messages, or streams them. */
export type Answered = Readonly<{ status: number; text: string }>;

/** Stands in texts of the records: whoever shows it to others has shown what is not theirs. */
export const SECRET = 'kept-from-others';
const TENANT_KEY = 'documented-tenant-key';
/** Members with free text. */
const FREE_TEXT = /description|title|comment|summary|explanation|message|reason|first_name|last_name|organization/;
/** How long an answer is awaited. */
const WAIT_MS = 5_000;
/** Ids that a server makes. */
const MADE_ID = /^[0-9a-f-]{20,}$/;

/** The same with the secret in its free texts. */
const withSecret = (value: unknown, member = ''): unknown => {
  if (typeof value === 'string') return FREE_TEXT.test(member) && value !== '' ? `${value} ${SECRET}` : value;
  if (Array.isArray(value)) return value.map((item) => withSecret(item, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSecret(item, name)]));
};

/** The id of a created record; `undefined`: the answer has none. */
const idIn = (text: string): string | undefined => {
  try {
    const { data, id, uuid, metric_definition_id: definition } = JSON.parse(text);
    const found = id ?? uuid ?? definition ?? data?.id ?? data?.[0]?.id;
    return found === undefined ? undefined : String(found);
  } catch {
    return undefined;
  }
};

/** A server, and the calls of its description. Records that are made by their examples are known by their ids. */
export type DocumentedWorld = Readonly<{
  url: string;
  issuer: OidcIssuer;
  calls: readonly DescribedCall[];
  /** Of those who made the records, and may do everything, by security scheme. */
  credentials: Readonly<Record<string, Headers>>;
  tenantId: string;
  /** The body of a call as its example has it, with the ids of the records; `undefined`: it has none. */
  bodyOf(call: DescribedCall): string | undefined;
  /** The path to a record. */
  pathTo(call: DescribedCall): string;
  send(call: DescribedCall, headers: Headers, path: string, body: string | undefined): Promise<Answered>;
  /** Sends a call as its example has it, by those who may do everything. From then on examples name the record that it made. */
  make(call: DescribedCall, bodyOf?: (example: unknown) => unknown): Promise<Answered>;
}>;

type Started = Readonly<{ url: string; stop: () => Promise<unknown> }>;
type Start = (deployment: Deployment, environment: Readonly<Record<string, string>>) => Promise<Started>;

const startAlone: Start = ({ environment }, settings) => startLogbook({ ...environment, ...settings });

export const openDocumentedServer = async (cleanup: Cleanup, start = startAlone, open = embedded): Promise<DocumentedWorld> => {
  const deployment = await open();
  cleanup.defer(deployment.dispose);
  const issuer = await startOidcIssuer();
  cleanup.defer(() => issuer.stop());
  const settings = {
    LOGBOOK_AMS_LISTENER_SECRETS: LISTENER_SECRET,
    LOGBOOK_AMS_LISTENER_PROJECT: 'grid',
    LOGBOOK_OIDC_ISSUERS: issuer.url,
    LOGBOOK_PUSH_ALLOW_PRIVATE: 'true',
  };
  const { url, stop } = await start(deployment, settings);
  cleanup.defer(stop);
  const root = httpClient(url);
  const users = [{ name: 'ada', api_key: TENANT_KEY, roles: ['admin', 'editor', 'consistency-ack', 'consistency-check'] }];
  const tenant = await root.post('/api/v2/admin/tenants', { key: ADMIN, body: { info: { name: 'Keepers' }, users } });
  const tenantId = (tenant.json as { data: { id: string } }).data.id;
  await root.post(`/api/v2/admin/tenants/${tenantId}/node-set`, { key: ADMIN });
  const keeper = await root.post('/v1/users/keeper', { key: SERVICE_TOKEN, body: { service_roles: ['service_admin'] } });
  const credentials = {
    ...SERVER_CREDENTIALS,
    statusKey: { 'x-api-key': TENANT_KEY },
    messagingKey: { 'x-api-key': (keeper.json as { token: string }).token },
  };

  const calls = await describedCalls(root);
  const made = new Map<string, string>();
  const actual = (text: string): string => [...made].reduce((done, [example, id]) => done.replaceAll(example, id), text);
  const bodyOf = ({ example }: DescribedCall) => (example === undefined ? undefined : actual(JSON.stringify(example)));
  /** Examples of different records may have the same id: what a collection made goes before. */
  const madeIn = new Map<string, string>();
  const pathTo = (call: DescribedCall) => {
    const collectionOf = (name: string): string => call.template.slice(0, call.template.indexOf(`/{${name}}`));
    return pathOf(call, ({ name, example }) => madeIn.get(collectionOf(name)) ?? actual(encodeURIComponent(String(example))));
  };
  const send = async ({ method, types, bodyType }: DescribedCall, headers: Headers, path: string, body: string | undefined) => {
    const described = { accept: types[0] ?? 'application/json', ...(bodyType && { 'content-type': bodyType }) };
    const sent = body !== undefined && method !== 'GET';
    const signal = AbortSignal.timeout(WAIT_MS);
    try {
      const all = { ...described, ...headers };
      const answer = await fetch(`${url}${path}`, { method, headers: all, redirect: 'manual', signal, ...(sent && { body }) });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      if (signal.aborted) return { status: 0, text: '' };
      throw error;
    }
  };
  /** From now on examples name the created record. */
  const note = ({ template }: DescribedCall, text: string): void => {
    const id = idIn(text);
    const item = calls.find(
      (other) => other.template.startsWith(`${template}/{`) && !other.template.slice(template.length + 1).includes('/'),
    );
    const example = item?.parameters.findLast(
      (parameter) => parameter.in === 'path' && item.template.endsWith(`{${parameter.name}}`),
    )?.example;
    if (id === undefined || typeof example !== 'string' || !MADE_ID.test(example)) return;
    made.set(example, id);
    madeIn.set(template, id);
  };
  const make: DocumentedWorld['make'] = async (call, changed = (example) => example) => {
    const { method, example, scheme } = call;
    const body = example === undefined ? undefined : actual(JSON.stringify(changed(example)));
    const answered = await send(call, credentials[scheme as keyof typeof credentials] ?? {}, pathTo(call), body);
    if (answered.status >= 200 && answered.status < 300 && method === 'POST') note(call, answered.text);
    return answered;
  };
  return { url, issuer, calls, credentials, tenantId, bodyOf, pathTo, send, make };
};

/** A server with the records that the examples of the description make: a new operation is a part of this without being named here. */
export const openDocumentedWorld = async (cleanup: Cleanup): Promise<DocumentedWorld> => {
  const world = await openDocumentedServer(cleanup);
  for (const call of world.calls)
    if (['PUT', 'POST'].includes(call.method) && /^\/(v1|api|accounting-system)\//.test(call.template)) await world.make(call, withSecret);
  return world;
};
