import { figure, type Table } from '#test/bench/profile/tables.js';
import { type Check, type Costs, dayOf, type Machines, machinesFor, SIZES, STEPS, type StepCost } from './model.js';

const KIB = 1_024;

const namesOf = (costs: Costs, of: (cost: StepCost) => ReadonlyMap<string, number>): readonly string[] => [
  ...new Set([...costs.values()].flatMap((cost) => [...of(cost).keys()])),
];

const rolesOf = (cost: StepCost): ReadonlyMap<string, number> => cost.distributed?.cpuMicros ?? new Map();

/** What each step costs on embedded stores: what stays is shown by store. */
export const embeddedTable = (costs: Costs): Table => {
  const stores = namesOf(costs, ({ keptBytes }) => keptBytes);
  return {
    head: ['on embedded stores', 'requests', 'CPU µs', 'main thread', 'written KiB', ...stores.map((name) => `${name} KiB`)],
    rows: [...costs].map(([step, { requests, cpuMicros, mainMicros, writtenBytes, keptBytes }]) => [
      step,
      `${requests}`,
      ...[cpuMicros, mainMicros, writtenBytes / KIB, ...stores.map((name) => (keptBytes.get(name) ?? 0) / KIB)].map(figure),
    ]),
  };
};

/** The same on EventStoreDB and Redis, by the roles of nodes. */
export const distributedTable = (costs: Costs): Table => {
  const roles = namesOf(costs, rolesOf);
  return {
    head: ['on EventStoreDB and Redis', ...roles.map((name) => `${name}: CPU µs`), 'Redis KiB', 'appends'],
    rows: [...costs].flatMap(([step, cost]) => {
      const { distributed } = cost;
      if (!distributed) return [];
      const { cpuMicros, redisBytes, appends } = distributed;
      return [[step, ...[...roles.map((name) => cpuMicros.get(name) ?? 0), redisBytes / KIB, appends].map(figure)]];
    }),
  };
};

type Line = Readonly<{ title: string; of(machines: Machines): string }>;

const perCell = (values: ReadonlyMap<string, number>, name: string): string => figure(values.get(name) ?? 0);

/** Machines for each size, a column for each. */
const machinesTable = (costs: Costs): Table => {
  const all = SIZES.map((size) => machinesFor(dayOf(size), costs));
  const stores = namesOf(costs, ({ keptBytes }) => keptBytes);
  const roles = namesOf(costs, rolesOf);
  const embedded: readonly Line[] = [
    { title: 'requests/s at the peak', of: ({ requestsPerSecond }) => figure(requestsPerSecond) },
    { title: 'cores busy at the peak', of: ({ peakCores }) => figure(peakCores) },
    { title: 'of them the main thread', of: ({ peakMain }) => figure(peakMain) },
    { title: '**cores to have**', of: ({ cores }) => `**${cores}**` },
    { title: 'one log takes so many times this', of: ({ headroom }) => figure(headroom) },
    { title: '**logs to have**', of: ({ logs }) => `**${logs}**` },
    { title: 'given to files, GiB a day', of: ({ writtenGiBPerDay }) => figure(writtenGiBPerDay) },
    ...stores.map((name): Line => ({ title: `${name} after a year, GiB`, of: ({ yearGiB }) => perCell(yearGiB, name) })),
    { title: '**disk to have for a year, GiB**', of: ({ diskGiB }) => `**${Math.ceil(diskGiB)}**` },
  ];
  const distributed: readonly Line[] = [
    ...roles.map(
      (name): Line => ({
        title: `cores busy at the peak, nodes with ${name}`,
        of: ({ distributed: { peakCores } }) => perCell(peakCores, name),
      }),
    ),
    { title: 'appends to EventStoreDB a second at the peak', of: ({ distributed: { appendsPerSecond } }) => figure(appendsPerSecond) },
    { title: 'memory of Redis, GiB more each year', of: ({ distributed: { redisGiBPerYear } }) => figure(redisGiBPerYear) },
    {
      title: '**memory of Redis for five years, GiB**',
      of: ({ distributed: { redisGiBPerYear } }) => `**${figure(5 * redisGiBPerYear)}**`,
    },
  ];
  return {
    head: ['', ...SIZES.map(({ name }) => name)],
    rows: [...embedded, ...(roles.length > 0 ? distributed : [])].map(({ title, of }) => [title, ...all.map(of)]),
  };
};

/** What a day is made of. */
const dayTable = (): Table => ({
  head: ['in a day', ...SIZES.map(({ name }) => name)],
  rows: STEPS.filter((step) => SIZES.some((size) => dayOf(size)[step] > 0)).map((step) => [
    step,
    ...SIZES.map((size) => Math.round(dayOf(size)[step]).toLocaleString('en')),
  ]),
});

/** A simulated day beside the model. The note names the figures for which the model is wrong. `done`: the part of the day, in words. */
export const checkTable = (checks: readonly Check[], done: string): Table => {
  const wrong = checks.filter(({ holds }) => !holds).map(({ what }) => what);
  const verdict =
    wrong.length === 0
      ? 'The check passed.'
      : `**The check failed**: model and day are more than 25 % apart (${wrong.join('; ')}), and the machines above may be as wrong.`;
  return {
    head: ['simulated day', 'model', 'measured', 'measured / model', 'within 25 %'],
    rows: checks.map(({ what, model, measured, holds }) => [
      what,
      figure(model),
      figure(measured),
      (measured / model).toFixed(2),
      holds ? 'yes' : '**no**',
    ]),
    note: `${done} ${verdict}`,
  };
};

/** By their names in `docs/figures/capacity.json`. */
export const capacityTables = (costs: Costs, checks: readonly Check[], done: string): Readonly<Record<string, Table>> => ({
  day: dayTable(),
  steps: embeddedTable(costs),
  'distributed steps': distributedTable(costs),
  machines: machinesTable(costs),
  check: checkTable(checks, done),
});
