import type { Runtime } from '#api/runtime/runtime.js';
import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { DATED_RECORDS } from '#projections/status/dated-records/documents.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import {
  addTenant,
  appendSnapshots,
  type BenchTenant,
  dayAt,
  freshDays,
  operationsProfile,
  snapshotsOf,
} from '#test/bench/inputs/status-data.js';
import { install } from '#test/bench/installation.js';
import { httpLoad } from '#test/bench/load.js';
import { loop } from '#test/bench/loops.js';
import type { Lab, Scenario } from '#test/bench/scenario.js';

const FEW = 10;
const LISTED = 1_000;

/** A tenant with one record, whose name is `record 0`. */
type History = Readonly<{ tenant: BenchTenant; id: string; versions: number }>;

const middleOf = ({ versions }: History): number => versions / 2;

const addHistory = async (runtime: Runtime, versions: number): Promise<History> => {
  const tenant = await addTenant(runtime);
  const snapshots = snapshotsOf(operationsProfile, 1, versions);
  await appendSnapshots(runtime, operationsProfiles, tenant, snapshots);
  return { tenant, id: snapshots[0]?.id ?? '', versions };
};

/** Two histories, their documents built. */
const addHistories = async (runtime: Runtime, many: number): Promise<readonly [many: History, few: History]> => {
  const histories = [await addHistory(runtime, many), await addHistory(runtime, FEW)] as const;
  await runtime.readModels.rebuild(DATED_RECORDS);
  return histories;
};

type PathsOf = (history: History, connection: number, slice: number) => readonly string[];

const overHttp = async (lab: Lab, stores: 'embedded' | 'redis', versions: number, pathsOf: PathsOf) => {
  const installation = await install(lab, stores);
  const [many, few] = await installation.withRuntime((runtime) => addHistories(runtime, versions));
  const server = await installation.serve();
  const load = (history: History) =>
    httpLoad(server, lab.effort, (connection, slice) =>
      pathsOf(history, connection, slice).map((path) => ({ method: 'GET', path, headers: history.tenant.headers })),
    );
  return { logbook: load(many), reference: load(few) };
};

/** By the read that remembers nothing. */
const atTheReader = async (lab: Lab, stores: 'embedded' | 'redis') => {
  const runtime = await (await install(lab, stores)).runtime();
  const [many, few] = await addHistories(runtime, lab.effort.manyEvents);
  const queries = new DatedQueries(runtime.readStore, operationsProfiles);
  const read = (history: History) => {
    const day = dayAt(middleOf(history));
    return loop(lab.effort, 1, async () => {
      const name = await queries.referencedName({ tenantId: history.tenant.id, id: history.id }, day);
      if (name !== 'record 0') throw new Error(`${history.id} has the name ${name} on ${day}`);
    });
  };
  return { logbook: read(many), reference: read(few) };
};

const datedReads: PathsOf = (history, connection, slice) =>
  freshDays(middleOf(history), connection, slice, 400).map((day) => `/api/v2/operations_profiles/${history.id}?date=${day}`);

/** By name, because lists with a name are never remembered. */
const listsByName: PathsOf = (history) => [`/api/v2/operations_profiles?name=record%200&date=${dayAt(middleOf(history))}`];

export const statusGrowth: readonly Scenario[] = (['embedded', 'redis'] as const).flatMap((stores): readonly Scenario[] => [
  {
    name: `${stores}: growth of a dated read, over HTTP`,
    reference: 'the same of a record with 10 versions, time',
    target: { atMost: 1.5 },
    prepare: (lab) => overHttp(lab, stores, lab.effort.manyEvents, datedReads),
  },
  {
    name: `${stores}: growth of a dated read, at the reader`,
    reference: 'the same of a record with 10 versions, time',
    target: { atMost: 1.5 },
    prepare: (lab) => atTheReader(lab, stores),
  },
  {
    name: `${stores}: growth of a list`,
    reference: 'the same of a record with 10 versions, time',
    target: { atMost: 1.5 },
    prepare: (lab) => overHttp(lab, stores, LISTED, listsByName),
  },
]);
