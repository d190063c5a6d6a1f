import { randomUUID } from 'node:crypto';
import { weights } from '#domain/status/dated-records/weights.js';
import { addTenant, appendSnapshots, type BenchTenant, dayAt, snapshotsOf, weightsOf } from '#test/bench/inputs/status-data.js';
import { install } from '#test/bench/installation.js';
import { CONNECTIONS, httpLoad, type LoadRequest } from '#test/bench/load.js';
import type { Lab, Scenario } from '#test/bench/scenario.js';
import { startReference } from '#test/bench/servers/reference.js';

const COLLECTION = '/api/v2/weights';
/** Makes a record of 1.3 KB on the wire. */
const GROUPS = 20;
const RECORDS = 10;
/** Created in a tenant before the next one takes its place: a tenant may have 10,000 (`recordsPerKind`). */
const RECORDS_OF_A_TENANT = 8_000;
/** More than are created in all rounds on a fast machine. */
const MOST_CREATED = 200_000;

export const wideWeights = (name: string) => weightsOf(name, GROUPS);

/** Texts of records that differ in their names. */
export const bodies = (): (() => string) => {
  const [head, tail] = JSON.stringify(wideWeights('@')).split('@');
  const name = randomUUID();
  let number = 0;
  return () => `${head}${name}-${number++}${tail}`;
};

/** Durable, but not readable yet. */
const LATE = 'logbook-read-model';

const jsonHeaders = ({ headers }: BenchTenant) => ({ ...headers, 'content-type': 'application/json' });

/** What a connection does again and again, each time with a record of another name. */
export const write = (method: 'POST' | 'PUT', tenant: BenchTenant, path: string): LoadRequest => {
  const next = bodies();
  return {
    method,
    path,
    headers: jsonHeaders(tenant),
    body: next(),
    vary: () => ({ body: next() }),
    lateHeader: LATE,
  };
};

/** Puts the same bodies durably, each under a key of its own. */
const durablePuts = async (lab: Lab, directory: string) => {
  const server = await startReference(lab, { kind: 'durable-put', directory });
  let key = 0;
  return httpLoad(server, lab.effort, () => {
    const request = write('PUT', { id: '', headers: {} }, '/reference/0');
    return [{ ...request, vary: () => ({ ...request.vary?.(), path: `/reference/${key++}` }) }];
  });
};

/** Records of so many tenants at a time, each of which is followed by another one before it is full. */
const creating = (tenants: number): Scenario => ({
  name: `embedded: command, new records of ${tenants} tenants`,
  reference: 'bare route: durable put',
  prepare: async (lab) => {
    const installation = await install(lab, 'embedded');
    const count = tenants * Math.ceil(MOST_CREATED / (tenants * RECORDS_OF_A_TENANT));
    const added = await installation.withRuntime((runtime) => Promise.all(Array.from({ length: count }, () => addTenant(runtime))));
    const server = await installation.serve();
    const created = Array<number>(tenants).fill(0);
    const requestsOf = (connection: number): LoadRequest[] => {
      const place = connection % tenants;
      const next = bodies();
      const vary = () => {
        const before = created[place] ?? 0;
        created[place] = before + 1;
        const tenant = added[(place + tenants * Math.floor(before / RECORDS_OF_A_TENANT)) % count];
        return { body: next(), ...(tenant && { headers: jsonHeaders(tenant) }) };
      };
      return [{ method: 'POST', path: COLLECTION, headers: {}, vary, lateHeader: LATE }];
    };
    return { logbook: httpLoad(server, lab.effort, requestsOf), reference: await durablePuts(lab, installation.directory) };
  },
});

const updating: Scenario = {
  name: `embedded: update of ${RECORDS} records on a day`,
  reference: 'bare route: durable put',
  prepare: async (lab) => {
    const installation = await install(lab, 'embedded');
    const snapshots = snapshotsOf(wideWeights, RECORDS, 1);
    const tenant = await installation.withRuntime(async (runtime) => {
      const added = await addTenant(runtime);
      await appendSnapshots(runtime, weights, added, snapshots);
      return added;
    });
    const server = await installation.serve();
    const requestsOf = (connection: number) =>
      [snapshots[connection % RECORDS]].map((snapshot) => write('PUT', tenant, `${COLLECTION}/${snapshot?.id}?date=${dayAt(0)}`));
    return { logbook: httpLoad(server, lab.effort, requestsOf), reference: await durablePuts(lab, installation.directory) };
  },
};

export const statusCreations: readonly Scenario[] = [creating(CONNECTIONS), creating(8), creating(4), updating];
