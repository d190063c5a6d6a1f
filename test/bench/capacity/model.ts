/**
 * Steps of the callers of an installation, as the capacity model counts them, in the order in which they are measured. On a day points come between reads of
 * a status, which computes it again; points and reads alone are measured for themselves.
 */
export const STEPS = [
  'publish',
  'pull and acknowledge',
  'send 100 points',
  'record a metric',
  'update a record',
  'read a record',
  'list ten records',
  'read a status',
  'send 100 points and read 10 statuses',
] as const;

export type CapacityStep = (typeof STEPS)[number];

/** What a step costs, all of its requests together. */
export type StepCost = Readonly<{
  requests: number;
  /** Microseconds of CPU of a node that does everything on the embedded stores, and of its main thread alone. */
  cpuMicros: number;
  mainMicros: number;
  /** Bytes given to write calls of files. */
  writtenBytes: number;
  /** Bytes that stay, by store. */
  keptBytes: ReadonlyMap<string, number>;
  /** On EventStoreDB and Redis; absent where that was not measured. */
  distributed?: Readonly<{ cpuMicros: ReadonlyMap<string, number>; redisBytes: number; appends: number }>;
}>;

export type Costs = ReadonlyMap<CapacityStep, StepCost>;

/** How many times each step is done in a day. */
export type Day = Readonly<Record<CapacityStep, number>>;

/** An installation by what it serves. */
export type Size = Readonly<{ name: string; sites: number }>;

/** The largest is EGI as a whole: 400 sites, 2,000,000 points and 10,000,000 messages a day. */
export const SIZES: readonly Size[] = [
  { name: 'one site', sites: 1 },
  { name: 'one country', sites: 20 },
  { name: 'EGI as a whole', sites: 400 },
];

/** Of a site in a day. Points and messages: those of EGI by its sites. The others are assumed. */
export const SITE_DAY = {
  messages: 25_000,
  points: 5_000,
  metrics: 100,
  updates: 10,
  recordReads: 1_000,
  lists: 100,
} as const;

const [PULLED, POINTS_OF_A_CALL] = [100, 100];
/** Reads of a status for each call with points. */
export const STATUS_READS = 10;

export const dayOf = ({ sites }: Size): Day => ({
  publish: sites * SITE_DAY.messages,
  'pull and acknowledge': (sites * SITE_DAY.messages) / PULLED,
  'send 100 points': 0,
  'record a metric': sites * SITE_DAY.metrics,
  'update a record': sites * SITE_DAY.updates,
  'read a record': sites * SITE_DAY.recordReads,
  'list ten records': sites * SITE_DAY.lists,
  'read a status': 0,
  'send 100 points and read 10 statuses': (sites * SITE_DAY.points) / POINTS_OF_A_CALL,
});

/** What a day takes. Bytes by store are those that are there when it is over. */
export type Demand = Readonly<{
  requests: number;
  cpuSeconds: number;
  mainSeconds: number;
  writtenBytes: number;
  keptBytes: ReadonlyMap<string, number>;
  distributed: Readonly<{ cpuSeconds: ReadonlyMap<string, number>; redisBytes: number; appends: number }>;
}>;

const added = (into: Map<string, number>, values: ReadonlyMap<string, number>, factor: number): void => {
  for (const [name, value] of values) into.set(name, (into.get(name) ?? 0) + value * factor);
};

const POINTS_AND_READS: CapacityStep = 'send 100 points and read 10 statuses';

/** Steps that keep what a step keeps. At full speed all points lie in one day, whose results grow with each call: points and reads alone keep what stays. */
const keepersOf = (step: CapacityStep): readonly (readonly [CapacityStep, times: number])[] =>
  step === POINTS_AND_READS
    ? [
        ['send 100 points', 1],
        ['read a status', STATUS_READS],
      ]
    : [[step, 1]];

/** Each step's cost times how often it is done, summed up. @throws when a step that is done has no cost */
export const demandOf = (day: Day, costs: Costs): Demand => {
  const sums = { requests: 0, cpuSeconds: 0, mainSeconds: 0, writtenBytes: 0, redisBytes: 0, appends: 0 };
  const [keptBytes, roles] = [new Map<string, number>(), new Map<string, number>()];
  const costOf = (step: CapacityStep): StepCost => {
    const cost = costs.get(step);
    if (!cost) throw new Error(`no cost of ${step}`);
    return cost;
  };
  for (const step of STEPS) {
    const count = day[step];
    if (count === 0) continue;
    const cost = costOf(step);
    sums.requests += cost.requests * count;
    sums.cpuSeconds += (cost.cpuMicros * count) / 1e6;
    sums.mainSeconds += (cost.mainMicros * count) / 1e6;
    sums.writtenBytes += cost.writtenBytes * count;
    sums.appends += (cost.distributed?.appends ?? 0) * count;
    added(roles, cost.distributed?.cpuMicros ?? new Map(), count / 1e6);
    for (const [keeper, times] of keepersOf(step)) {
      added(keptBytes, costOf(keeper).keptBytes, count * times);
      sums.redisBytes += (costOf(keeper).distributed?.redisBytes ?? 0) * count * times;
    }
  }
  const { redisBytes, appends, ...demand } = sums;
  return { ...demand, keptBytes, distributed: { cpuSeconds: roles, redisBytes, appends } };
};

const DAY_SECONDS = 86_400;
/** The busiest minutes against the mean of the day. */
export const PEAK = 5;
/** Of a processor, or of the main thread, at the peak: beyond it answers wait for each other. */
export const BUSY = 0.6;
/** `LOGBOOK_MESSAGING_RETENTION`. */
export const RETENTION_DAYS = 7;
const LOG = 'log';
const GIB = 1_073_741_824;

/** Machines for a size. */
export type Machines = Readonly<{
  requestsPerSecond: number;
  /** Processors that are busy at the peak, and of the main thread of one node. */
  peakCores: number;
  peakMain: number;
  /** Cores to have. */
  cores: number;
  /** How many times as much one log takes before its main thread is at its bound, and how many logs this takes. */
  headroom: number;
  logs: number;
  writtenGiBPerDay: number;
  /** By store, after a year; messages leave the log after their retention. */
  yearGiB: ReadonlyMap<string, number>;
  /** Disk to have: a year, and room for a copy of the log beside it. */
  diskGiB: number;
  distributed: Readonly<{ peakCores: ReadonlyMap<string, number>; appendsPerSecond: number; redisGiBPerYear: number }>;
}>;

const perSecond = (ofDay: number): number => (ofDay * PEAK) / DAY_SECONDS;

const DAYS = 365;

/** Messages stay in the log for their retention, everything else for ever. */
const yearOf = (day: Day, costs: Costs): ReadonlyMap<string, number> => {
  const publishing = costs.get('publish')?.keptBytes.get(LOG) ?? 0;
  const gone = publishing * day.publish * (DAYS - RETENTION_DAYS);
  const kept = [...demandOf(day, costs).keptBytes];
  return new Map(kept.map(([store, bytes]) => [store, (bytes * DAYS - (store === LOG ? gone : 0)) / GIB] as const));
};

export const machinesFor = (day: Day, costs: Costs): Machines => {
  const demand = demandOf(day, costs);
  const peakMain = perSecond(demand.mainSeconds);
  const peakCores = perSecond(demand.cpuSeconds);
  const yearGiB = yearOf(day, costs);
  const stored = [...yearGiB.values()].reduce((sum, gib) => sum + gib, 0);
  const { cpuSeconds, redisBytes, appends } = demand.distributed;
  return {
    requestsPerSecond: perSecond(demand.requests),
    peakCores,
    peakMain,
    cores: Math.max(2, Math.ceil(peakCores / BUSY)),
    headroom: BUSY / peakMain,
    logs: Math.ceil(peakMain / BUSY),
    writtenGiBPerDay: demand.writtenBytes / GIB,
    yearGiB,
    diskGiB: stored + (yearGiB.get(LOG) ?? 0),
    distributed: {
      peakCores: new Map([...cpuSeconds].map(([role, seconds]) => [role, perSecond(seconds)])),
      appendsPerSecond: perSecond(appends),
      redisGiBPerYear: (redisBytes * DAYS) / GIB,
    },
  };
};

/** A figure of a simulated day beside that of the model. */
export type Check = Readonly<{ what: string; model: number; measured: number; holds: boolean }>;

const TOLERANCE = 0.25;

export const checkOf = (what: string, model: number, measured: number): Check => ({
  what,
  model,
  measured,
  holds: Math.abs(measured / model - 1) <= TOLERANCE,
});
