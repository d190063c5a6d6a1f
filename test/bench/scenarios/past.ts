import type { Runtime } from '#api/runtime/runtime.js';
import type { Position } from '#domain/shared/events.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { DATED_RECORDS } from '#projections/status/dated-records/documents.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { addInstallations, addMetrics } from '#test/bench/inputs/accounting-data.js';
import { addTenant, appendSnapshots, dayAt, type Snapshot, snapshotsOf, weightsOf } from '#test/bench/inputs/status-data.js';
import { install } from '#test/bench/installation.js';
import { CONNECTIONS, httpLoad } from '#test/bench/load.js';
import { loop } from '#test/bench/loops.js';
import type { Lab, Scenario, Side } from '#test/bench/scenario.js';
import { storeSizes } from '#test/bench/store-sizes.js';

const OFF = { LOGBOOK_CHAIN: 'off', LOGBOOK_HISTORY: 'off' };
const PATIENCE_MS = 3_600_000;

/** Writes to 64 records, one for each connection. */
const writes = async (lab: Lab, environment: Readonly<Record<string, string>>): Promise<Side> => {
  const installation = await install(lab, 'embedded', environment);
  const snapshots = snapshotsOf(weightsOf, CONNECTIONS, 1);
  const { headers } = await installation.withRuntime(async (runtime) => {
    const tenant = await addTenant(runtime);
    await appendSnapshots(runtime, weights, tenant, snapshots);
    return tenant;
  });
  const server = await installation.serve();
  return httpLoad(server, lab.effort, (connection) => [
    {
      method: 'PUT',
      path: `/api/v2/weights/${snapshots[connection]?.id}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(weightsOf(`record ${connection}`)),
    },
  ]);
};

const recordHistory = async ({ eventStore, followers, past }: Runtime): Promise<Position> => {
  const head = await eventStore.head();
  followers?.start();
  if ((await past?.history.reach(head, PATIENCE_MS)) !== 'reached') throw new Error('the history was not recorded');
  return head;
};

/** Where in the life of a record it is read: the share of its versions. */
const asOfRead = async (lab: Lab, versions: number, share: number, isDated: boolean) => {
  const runtime = await (await install(lab, 'embedded', { LOGBOOK_HISTORY: 'on' })).runtime();
  const tenant = await addTenant(runtime);
  const made = snapshotsOf(weightsOf, 1, versions).map((one, index): Snapshot => {
    return { ...one, date: dayAt(isDated ? index : 0), record: weightsOf(`version ${index}`) };
  });
  const before = await runtime.eventStore.head();
  await appendSnapshots(runtime, weights, tenant, made);
  await runtime.readModels.rebuild(DATED_RECORDS);
  runtime.readModels.start();
  await runtime.readModels.examined([], 60_000);
  const head = await recordHistory(runtime);
  const position = before + 1n + BigInt(Math.floor(Number(head - before - 1n) * share));
  const past = runtime.past?.history.view(DATED_RECORDS, position);
  const id = made[0]?.id ?? '';
  const read = (view: ReturnType<Runtime['readStore']['view']> | undefined): Side => {
    if (!view) throw new Error('there is no history');
    const queries = new DatedQueries({ ...runtime.readStore, view: () => view } as Runtime['readStore'], weights);
    return loop(lab.effort, 1, async () => {
      const name = await queries.referencedName({ tenantId: tenant.id, id }, dayAt(versions));
      if (!name?.startsWith('version ')) throw new Error(`the record is called ${name}`);
    });
  };
  return { logbook: read(past), reference: read(runtime.readStore.view(DATED_RECORDS)) };
};

/** Sizes as if they were times. */
const size =
  (bytes: number): Side =>
  async () => ({ perSecond: 1 / bytes });

/** Bytes of the log and of the documents, after the same events. */
const bytesWith = async (lab: Lab, history: 'on' | 'off') => {
  const installation = await install(lab, 'embedded', { LOGBOOK_HISTORY: history });
  await installation.withRuntime(async (runtime) => {
    const places = await addInstallations(runtime, lab.effort.manyEvents / 100);
    for (const place of places) await addMetrics(runtime, place, 100);
    for (const name of runtime.readModels.names) await runtime.readModels.rebuild(name);
  });
  const sizes = storeSizes(installation.directory);
  return { log: sizes.get('log')?.file ?? 0, documents: sizes.get('documents')?.file ?? 0 };
};

const disk = async (lab: Lab) => {
  const [kept, newest] = [await bytesWith(lab, 'on'), await bytesWith(lab, 'off')];
  return { logbook: size(kept.documents - newest.documents), reference: size(kept.log + newest.documents) };
};

const reads = ([10, 100_000] as const).flatMap((versions) =>
  [0, 0.5, 1].flatMap((share) =>
    [false, true].map(
      (isDated): Scenario => ({
        name: `past: as of ${share * 100} %, ${versions.toLocaleString('en')} ${isDated ? 'dates' : 'versions'}`,
        reference: 'the same read now, time (10 ms more are allowed)',
        target: { atMost: 3 },
        prepare: (lab) => asOfRead(lab, versions === 10 ? versions : lab.effort.manyEvents, share, isDated),
      }),
    ),
  ),
);

export const pastScenarios: readonly Scenario[] = [
  {
    name: 'past: commands with chain and history',
    reference: 'the same commands with both off',
    target: { atLeast: 0.85 },
    prepare: async (lab) => ({ logbook: await writes(lab, {}), reference: await writes(lab, OFF) }),
  },
  {
    name: 'past: commands with the chain alone',
    reference: 'the same commands with it off',
    target: { atLeast: 0.95 },
    prepare: async (lab) => ({ logbook: await writes(lab, { LOGBOOK_HISTORY: 'off' }), reference: await writes(lab, OFF) }),
  },
  ...reads,
  {
    name: 'past: disk of earlier documents of metrics, 100 in each installation',
    reference: 'log and newest documents together, bytes',
    target: { atMost: 2 },
    prepare: disk,
  },
];
