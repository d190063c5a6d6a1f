import type { Runtime } from '#api/runtime.js';
import { DatedReader } from '#api/status/dated-reader.js';
import { weights } from '#domain/status/weights.js';
import { DATED_PROJECTION } from '#projections/status/dated-records.js';
import { install } from '../installation.js';
import { httpLoad } from '../load.js';
import { loop } from '../loops.js';
import type { Lab, Scenario } from '../scenario.js';
import { addTenant, appendSnapshots, type BenchTenant, dayAt, snapshotsOf, weightsOf } from '../status-data.js';

const FEW = 10;
const LISTED = 1_000;

/** A tenant with one record, whose name is `record 0`; `day` lies in the middle of its history. */
type History = Readonly<{ tenant: BenchTenant; id: string; day: string }>;

const addHistory = async (runtime: Runtime, versions: number): Promise<History> => {
  const tenant = await addTenant(runtime);
  const snapshots = snapshotsOf(weightsOf, 1, versions);
  await appendSnapshots(runtime, weights, tenant, snapshots);
  return { tenant, id: snapshots[0]?.id ?? '', day: dayAt(versions / 2) };
};

/** Two histories, their documents built. */
const addHistories = async (runtime: Runtime, many: number): Promise<readonly [many: History, few: History]> => {
  const histories = [await addHistory(runtime, many), await addHistory(runtime, FEW)] as const;
  await runtime.readModels.rebuild(DATED_PROJECTION);
  return histories;
};

const overHttp = async (lab: Lab, stores: 'embedded' | 'redis', versions: number, pathOf: (history: History) => string) => {
  const installation = await install(lab, stores);
  const [many, few] = await installation.withRuntime((runtime) => addHistories(runtime, versions));
  const server = await installation.serve();
  const load = (history: History) =>
    httpLoad(server, lab.effort, () => [{ method: 'GET', path: pathOf(history), headers: history.tenant.headers }]);
  return { logbook: load(many), reference: load(few) };
};

const atTheReader = async (lab: Lab, stores: 'embedded' | 'redis') => {
  const runtime = await (await install(lab, stores)).runtime();
  const [many, few] = await addHistories(runtime, lab.effort.manyEvents);
  const reader = new DatedReader(runtime.readStore.view(DATED_PROJECTION), weights);
  const read = ({ tenant, id, day }: History) =>
    loop(lab.effort, 1, async () => {
      if (!(await reader.get(tenant.id, id, day))) throw new Error(`${id} has no version of ${day}`);
    });
  return { logbook: read(many), reference: read(few) };
};

export const statusGrowth: readonly Scenario[] = (['embedded', 'redis'] as const).flatMap((stores): readonly Scenario[] => [
  {
    name: `${stores}: growth of a dated read, over HTTP`,
    reference: 'a record with 10 versions against 100,000, time',
    target: { atMost: 1.5 },
    prepare: (lab) => overHttp(lab, stores, lab.effort.manyEvents, ({ id, day }) => `/api/v2/weights/${id}?date=${day}`),
  },
  {
    name: `${stores}: growth of a dated read, at the reader`,
    reference: 'a record with 10 versions against 100,000, time',
    target: { atMost: 1.5 },
    prepare: (lab) => atTheReader(lab, stores),
  },
  {
    // By name, because lists with a name are never answered from memory.
    name: `${stores}: growth of a list`,
    reference: 'a record with 10 versions against 1,000, time',
    target: { atMost: 1.5 },
    prepare: (lab) => overHttp(lab, stores, LISTED, ({ day }) => `/api/v2/weights?name=record%200&date=${day}`),
  },
]);
