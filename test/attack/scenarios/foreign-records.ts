import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '#test/attack/attack.js';
import { type DocumentedWorld, type Headers, openDocumentedWorld, SECRET } from '#test/attack/documented-world.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { DescribedCall } from '#test/support/documents/described-calls.js';
import { httpClient } from '#test/support/status-client.js';

/** Somebody with other rights. `own`: beginning of the paths that these are for; calls there are none of this attack. */
type Stranger = Readonly<{ name: string; headers: Headers; own?: RegExp }>;

/** What belongs to a project, tenant or client. */
const RECORDS = /^\/(v1|api|accounting-system)\//;
/** One record for the whole installation (results contract 13). */
const COMMON = /^\/api\/v[23]\/(health|consistency)/;
const ACCOUNTING = /^\/accounting-system\//;
const AT_A_TIME = 8;

const key = (value: string): Headers => ({ 'x-api-key': value });
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Users with all roles in a project and a tenant of their own, a client without any, administrators of other services, and nobody. */
const strangersTo = async ({ url, issuer, tenantId }: DocumentedWorld): Promise<readonly Stranger[]> => {
  const root = httpClient(url);
  await root.post('/v1/projects/strangers', { key: SERVICE_TOKEN, body: {} });
  const user = async (name: string, roles: readonly string[]): Promise<Headers> => {
    const body = { projects: [{ project: 'strangers', roles }] };
    return key(((await root.post(`/v1/users/${name}`, { key: SERVICE_TOKEN, body })).json as { token: string }).token);
  };
  const users = ['admin', 'editor', 'viewer'].map((role) => ({ name: `stranger-${role}`, api_key: `stranger-${role}`, roles: [role] }));
  await root.post('/api/v2/admin/tenants', { key: ADMIN, body: { info: { name: 'strangers' }, users } });
  const client = bearer(await issuer.token({ sub: 'stranger' }));
  await root.post('/accounting-system/clients', { headers: client });
  return [
    { name: 'nobody', headers: {} },
    { name: 'project_admin of another project', headers: await user('stranger-admin', ['project_admin']) },
    { name: 'publisher and consumer of another project', headers: await user('stranger-user', ['publisher', 'consumer']) },
    ...users.map(({ name }) => ({ name: `${name} of another tenant`, headers: key(name) })),
    {
      name: 'admin of another tenant who names this one',
      headers: { ...key('stranger-admin'), 'x-tenant-id': tenantId, 'logbook-tenant': tenantId },
    },
    { name: 'client without roles', headers: client },
    { name: 'administrator of accounting', headers: bearer(SYSTEM_ADMIN), own: ACCOUNTING },
    { name: 'administrator of messaging', headers: key(SERVICE_TOKEN), own: /^\/v1\// },
    { name: 'administrator of status', headers: key(ADMIN), own: /^\/api\// },
    { name: 'operator', headers: key(OPERATOR), own: /^\/(ops|audit|console)\// },
  ];
};

/** Answers of all reads by those who may read, by call. */
const readAll = async ({ calls, credentials, send, pathTo }: DocumentedWorld): Promise<ReadonlyMap<string, string>> => {
  const answers = new Map<string, string>();
  for (const call of calls) {
    if (call.method !== 'GET' || !RECORDS.test(call.template) || COMMON.test(call.template)) continue;
    const { status, text } = await send(call, credentials[call.scheme ?? ''] ?? {}, pathTo(call), undefined);
    answers.set(call.id, `${status} ${text}`);
  }
  return answers;
};

const isWrite = ({ method }: DescribedCall): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method);

/** What is wrong with an answer to a stranger. */
const faultOf = (call: DescribedCall, status: number, text: string): string | undefined => {
  if (status >= 500 && status !== 503) return `${status}`;
  if (text.includes(SECRET) && !COMMON.test(call.template)) return 'shows the record of another';
  const isOfRecord = call.template.includes('{') && RECORDS.test(call.template) && call.scheme !== undefined;
  return isOfRecord && isWrite(call) && status >= 200 && status < 300 ? `${status} for a write to the record of another` : undefined;
};

/** Every operation of the description, with a valid body and the ids of others, by everybody who has no right to it. */
const foreignRecords: Attack = {
  name: 'every described operation on records of another project, tenant and client',
  run: async (cleanup) => {
    const world = await openDocumentedWorld(cleanup);
    const strangers = await strangersTo(world);
    const before = await readAll(world);
    await sleep(1_000); // answers that name the second of the call are not compared
    const again = await readAll(world);
    const faults: string[] = [];
    let attempts = 0;
    for (const { name, headers, own } of strangers) {
      const waiting = world.calls.filter(({ template }) => !own?.test(template)).values();
      const work = async (): Promise<void> => {
        for (const call of waiting) {
          attempts += 1;
          const { status, text } = await world.send(call, headers, world.pathTo(call), world.bodyOf(call));
          const fault = faultOf(call, status, text);
          if (fault) faults.push(`${name}, ${call.id}: ${fault}`);
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, work));
    }
    const after = await readAll(world);
    const steady = [...before].filter(([id, text]) => again.get(id) === text);
    for (const [id, text] of steady) if (after.get(id) !== text) faults.push(`${id} reads otherwise: ${after.get(id)?.slice(0, 200)}`);
    const found = steady.filter(([, text]) => text.startsWith('2')).length;
    const shown = [...before.values()].filter((text) => text.includes(SECRET)).length;
    const compared = `${found} reads of ${world.calls.length} operations as before, ${shown} of them with what is to be kept`;
    return {
      held: faults.length === 0 && shown > 10,
      attempts,
      detail: faults.length === 0 ? `0 × 500, 0 foreign; ${compared}` : `${faults.length} faults: ${faults.slice(0, 40).join('; ')}`,
    };
  },
};

export const attacks: readonly Attack[] = [foreignRecords];
