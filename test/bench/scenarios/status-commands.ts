import { weights } from '#domain/status/dated-records/weights.js';
import { bareAppends } from '#test/bench/bare-client.js';
import { addTenant, appendSnapshots, type BenchTenant, snapshotsOf, weightsOf } from '#test/bench/inputs/status-data.js';
import { type Installation, install, type Stores } from '#test/bench/installation.js';
import { CONNECTIONS, httpLoad, type LoadRequest } from '#test/bench/load.js';
import type { Lab, Scenario } from '#test/bench/scenario.js';
import type { Child } from '#test/bench/servers/child.js';
import { startReference } from '#test/bench/servers/reference.js';

/** How many records the connections write to. */
type Spread = Readonly<{ name: string; records: number }>;
const spreads: readonly Spread[] = [
  { name: '64 records', records: CONNECTIONS },
  { name: 'one record', records: 1 },
];

const put = ({ headers }: BenchTenant, path: string, name: string): LoadRequest => ({
  method: 'PUT',
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(weightsOf(name)),
  lateHeader: 'logbook-read-model', // durable, but not readable yet
});

/** @throws unless a write is readable as soon as it is answered */
const proveReadYourWrites = async (server: Child, { path, ...request }: LoadRequest): Promise<void> => {
  const url = `${server.url}${path}`;
  for (let attempt = 0; attempt < 20; attempt++) {
    const marker = `marker ${attempt}`;
    const body = JSON.stringify({ ...weightsOf('record 0'), group_type: marker });
    const { status } = await fetch(url, { ...request, body });
    const seen = await (await fetch(url, { headers: request.headers })).text();
    if (status !== 200 || !seen.includes(marker)) throw new Error(`the write ${marker} was answered with ${status} and cannot be read`);
  }
};

/** The load on a new server, and one of its requests. */
const startLogbook = async (lab: Lab, installation: Installation, { records }: Spread) => {
  const snapshots = snapshotsOf(weightsOf, records, 1);
  const tenant = await installation.withRuntime(async (runtime) => {
    const added = await addTenant(runtime);
    await appendSnapshots(runtime, weights, added, snapshots);
    return added;
  });
  const server = await installation.serve();
  const requests = snapshots.map(({ id }, index) => put(tenant, `/api/v2/weights/${id}`, `record ${index}`));
  const requestOf = (connection: number): LoadRequest => requests[connection % records] ?? put(tenant, '', '');
  await proveReadYourWrites(server, requestOf(0));
  return { load: httpLoad(server, lab.effort, (connection) => [requestOf(connection)]), requestOf };
};

const durablePuts = async (lab: Lab, { directory }: Installation, requestOf: (connection: number) => LoadRequest) => {
  const server = await startReference(lab, { kind: 'durable-put', directory });
  const path = (connection: number) => requestOf(connection).path.replace(/^.*\//, '/reference/');
  return httpLoad(server, lab.effort, (connection) => [{ ...requestOf(connection), path: path(connection) }]);
};

/** As large as those of Logbook. */
const event = {
  type: 'WeightsSnapshotDated',
  data: { id: 'x'.repeat(36), date: '2024-01-01', change: 'replaced', record: weightsOf('record 0') },
};

const scenario = (stores: Stores, spread: Spread): Scenario => ({
  name: `${stores}: command, ${spread.name}`,
  reference: stores === 'embedded' ? 'bare route: durable put' : 'bare client: appends',
  target: { atLeast: 0.5 },
  prepare: async (lab) => {
    const installation = await install(lab, stores);
    const { load, requestOf } = await startLogbook(lab, installation, spread);
    const { eventStoreUrl } = installation;
    const reference = eventStoreUrl ? bareAppends(lab, eventStoreUrl, event) : await durablePuts(lab, installation, requestOf);
    return { logbook: load, reference };
  },
});

export const statusCommands: readonly Scenario[] = (['embedded', 'distributed'] as const).flatMap((stores) =>
  spreads.map((spread) => scenario(stores, spread)),
);
