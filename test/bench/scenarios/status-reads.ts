import { createClient } from 'redis';
import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { addTenant, appendSnapshots, dayAt, freshDays, operationsProfile, snapshotsOf } from '#test/bench/inputs/status-data.js';
import { type Installation, install } from '#test/bench/installation.js';
import { httpLoad, type LoadRequest } from '#test/bench/load.js';
import type { Lab, Scenario } from '#test/bench/scenario.js';
import type { Child } from '#test/bench/servers/child.js';
import { startReference } from '#test/bench/servers/reference.js';

const RECORDS = 10;
const VERSIONS = 20;

/** What a connection asks for, given the id of one of the records. All answers have the same bytes. */
type Read = Readonly<{ name: string; judged: boolean; pathsOf(id: string, connection: number, slice: number): readonly string[] }>;

const COLLECTION = '/api/v2/operations_profiles';
const reads: readonly Read[] = [
  { name: 'read one', judged: true, pathsOf: (id) => [`${COLLECTION}/${id}`] },
  { name: 'list 10', judged: true, pathsOf: () => [COLLECTION] },
  { name: 'date-versioned read', judged: true, pathsOf: (id) => [`${COLLECTION}/${id}?date=${dayAt(VERSIONS / 2)}`] },
  {
    name: 'date-versioned read, nothing remembered',
    judged: false,
    pathsOf: (id, connection, slice) => freshDays(VERSIONS, connection, slice, 400).map((day) => `${COLLECTION}/${id}?date=${day}`),
  },
  {
    name: 'list 10, nothing remembered',
    judged: false,
    pathsOf: (_id, connection, slice) => freshDays(VERSIONS, connection, slice).map((day) => `${COLLECTION}?date=${day}`),
  },
];

const sameAnswers = async (lab: Lab, { redis }: Installation, answer: Response): Promise<Child> => {
  const body = Buffer.from(await answer.arrayBuffer());
  const contentType = answer.headers.get('content-type') ?? '';
  if (!redis) return startReference(lab, { kind: 'bytes', contentType, body: body.toString('base64') });
  const [redisUrl, key, field] = [redis.url, `${redis.keyPrefix}-reference`, 'body'];
  const client = await createClient({ url: redisUrl }).connect();
  await client.hSet(key, field, body);
  await client.close();
  return startReference(lab, { kind: 'hash-field', contentType, redisUrl, key, field });
};

const scenario = (stores: 'embedded' | 'redis', { name, judged, pathsOf }: Read): Scenario => ({
  name: `${stores}: ${name}`,
  reference: stores === 'embedded' ? 'bare route: same bytes' : 'bare route: one HGET',
  ...(judged && { target: { atLeast: 0.75 } }),
  prepare: async (lab) => {
    const installation = await install(lab, stores);
    const snapshots = snapshotsOf(operationsProfile, RECORDS, VERSIONS);
    const { headers } = await installation.withRuntime(async (runtime) => {
      const tenant = await addTenant(runtime);
      await appendSnapshots(runtime, operationsProfiles, tenant, snapshots);
      return tenant;
    });
    const server = await installation.serve();
    const requestsOf = (connection: number, slice: number): readonly LoadRequest[] =>
      pathsOf(snapshots[0]?.id ?? '', connection, slice).map((path) => ({ method: 'GET', path, headers }));
    const [sample] = requestsOf(0, 0);
    const answer = await fetch(`${server.url}${sample?.path}`, { headers });
    if (answer.status !== 200) throw new Error(`${sample?.path} answered ${answer.status}`);
    const reference = await sameAnswers(lab, installation, answer);
    return {
      logbook: httpLoad(server, lab.effort, requestsOf),
      reference: httpLoad(reference, lab.effort, () => [{ method: 'GET', path: '/reference/1', headers }]),
    };
  },
});

export const statusReads: readonly Scenario[] = (['embedded', 'redis'] as const).flatMap((stores) =>
  reads.map((read) => scenario(stores, read)),
);
