import { setTimeout as sleep } from 'node:timers/promises';
import {
  addReport,
  call,
  metricData,
  probedStatus,
  REPORT,
  type Served,
  send,
  sendProbe,
  type Target,
} from '#test/bench/inputs/results-data.js';
import { addTenant } from '#test/bench/inputs/status-data.js';
import { type Installation, install, type Stores } from '#test/bench/installation.js';
import { median } from '#test/bench/measure.js';
import type { Lab, Sample, Scenario, Side } from '#test/bench/scenario.js';
import { startReference } from '#test/bench/servers/reference.js';
import { storeSizes } from '#test/bench/store-sizes.js';

/** Days before today that have points of everything, how many of each metric, and on how many of them the others are. */
type Size = Readonly<{ days: number; eachDay: number; today: number }>;

/** Milliseconds, but for what is per second. */
type Figures = Readonly<{
  size: Size;
  pointsPerSecond: number;
  /** Of a tenant without a report. */
  plainPerSecond: number;
  barePerSecond: number;
  cpuMicros: number;
  /** From the call with a point to the first read that shows it, while points stream in. */
  latencies: readonly number[];
  months: readonly number[];
  recomputation: number;
  /** Of log and documents and results together; undefined: not on disks of ours. */
  bytesPerPoint: number | undefined;
  sentPerPoint: number;
}>;

const DAY_MS = 86_400_000;
const [LOOK_MS, GIVE_UP_MS] = [20, 600_000];
const READS = 50;

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const timed = async <Result>(work: () => Promise<Result>): Promise<Readonly<{ ms: number; result: Result }>> => {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
};

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Changes the followed status and waits for it, over and over, until it is told to stop. */
const followed = async (served: Served, stop: AbortSignal): Promise<readonly number[]> => {
  const latencies: number[] = [];
  for (let number = 0; !stop.aborted; number++) {
    await sleep(1_100); // of two points of one second the later one would hide the other
    const status = number % 2 === 0 ? 'CRITICAL' : 'OK';
    const { ms } = await timed(async () => {
      await sendProbe(served, status);
      for (const end = performance.now() + GIVE_UP_MS; (await probedStatus(served)) !== status; await sleep(LOOK_MS))
        if (performance.now() > end) throw new Error(`a point is not shown after ${GIVE_UP_MS} ms`);
    });
    latencies.push(ms);
  }
  return latencies;
};

type Listed = Readonly<{ results: readonly Readonly<{ endpoints: readonly Readonly<{ name: string; results: readonly object[] }>[] }>[] }>;

const month = async (served: Served, { days }: Size): Promise<Listed> => {
  const span = `start_time=${daysAgo(days)}T00:00:00Z&end_time=${daysAgo(1)}T23:59:59Z`;
  return (await call(served, 'GET', `/results/${REPORT}/SITES?${span}`)) as Listed;
};

/** Approves a recomputation of all days before today, and waits until it is done and its results are read. */
const recomputed = async (served: Served, size: Size): Promise<number> => {
  const request = {
    requester_name: 'bench',
    requester_email: 'bench@example.org',
    reason: 'bench',
    start_time: `${daysAgo(size.days)}T06:00:00Z`,
    end_time: `${daysAgo(1)}T12:00:00Z`,
    report: REPORT,
    exclude: ['SITE-000'],
  };
  const made = (await call(served, 'POST', '/recomputations', request)) as Readonly<{ data: Readonly<{ id: string }> }>;
  const path = `/recomputations/${made.data.id}`;
  const isDone = async () => JSON.stringify(await call(served, 'GET', path)).includes('"status":"done"');
  const { ms } = await timed(async () => {
    await call(served, 'POST', `${path}/status`, { status: 'approved' });
    for (const end = performance.now() + GIVE_UP_MS; !(await isDone()); await sleep(LOOK_MS))
      if (performance.now() > end) throw new Error('the recomputation is not done');
    await month(served, size);
  });
  return ms;
};

const bytesIn = ({ directory }: Installation, ...parts: readonly string[]): number => {
  const sizes = storeSizes(directory);
  return parts.reduce((sum, part) => sum + (sizes.get(part)?.file ?? 0), 0);
};

const run = async (lab: Lab, stores: Stores): Promise<Figures> => {
  const quick = lab.effort.manyEvents < 100_000;
  const size: Size = quick ? { days: 3, eachDay: 2, today: 10 } : { days: 30, eachDay: 4, today: 100 };
  const installation = await install(lab, stores);
  const [tenant, other] = await installation.withRuntime(async (runtime) => [await addTenant(runtime), await addTenant(runtime)] as const);
  const server = await installation.serve();
  const served: Served = { url: server.url, tenant };
  await addReport(served);
  let points = 0;
  for (let day = size.days; day >= 1; day--) {
    const sent = await send(metricData(served), { day: daysAgo(day), each: size.eachDay, seconds: 86_400 });
    points += sent.points;
  }
  await month(served, size);
  const months: number[] = [];
  for (let read = 0; read < READS; read++) months.push((await timed(() => month(served, size))).ms);
  const recomputation = await recomputed(served, size);

  const today = { day: daysAgo(0), each: size.today, seconds: Math.max(size.today, Math.floor((Date.now() % DAY_MS) / 1_000)) };
  const stop = new AbortController();
  await sendProbe(served, 'OK');
  const latencies = followed(served, stop.signal);
  const cpuBefore = await server.cpuMicros();
  const { ms, result } = await timed(() => send(metricData(served), today));
  const cpuMicros = ((await server.cpuMicros()) - cpuBefore) / result.points;
  stop.abort();
  const shown = await latencies;
  points += result.points;
  const bytes = stores === 'embedded' ? bytesIn(installation, 'log', 'documents', 'results') : undefined;
  const plain = await timed(() => send(metricData({ url: server.url, tenant: other }), today));
  const bare = await startReference(lab, { kind: 'durable-put', directory: installation.directory });
  const target: Target = { url: `${bare.url}/reference`, method: 'PUT', headers: { 'content-type': 'application/json' } };
  const reference = await timed(() => send(target, today));
  const perSecond = ({ ms: took }: { ms: number }): number => (result.points * 1_000) / took;
  return {
    size,
    pointsPerSecond: perSecond({ ms }),
    plainPerSecond: perSecond(plain),
    barePerSecond: perSecond(reference),
    cpuMicros,
    latencies: shown,
    months,
    recomputation,
    bytesPerPoint: bytes === undefined ? undefined : bytes / points,
    sentPerPoint: result.bytes / result.points,
  };
};

const always =
  (sample: Sample): Side =>
  async () =>
    sample;

/** A time as if so much could be done in a second. */
const takes = (ms: number, times: readonly number[] = []): Side =>
  always({ perSecond: 1_000 / ms, ...(times.length > 0 && { p50Ms: median(times), p99Ms: quantile(times, 0.99) }) });

type Row = Readonly<{
  work: string;
  reference: string;
  target?: Scenario['target'];
  sides(figures: Figures): Awaited<ReturnType<Scenario['prepare']>>;
}>;

const rows: readonly Row[] = [
  {
    work: 'points of a day, their results read meanwhile',
    reference: 'the same points of a tenant without a report, nothing read',
    target: { atLeast: 0.5 },
    sides: ({ pointsPerSecond, plainPerSecond, cpuMicros }) => ({
      logbook: always({ perSecond: pointsPerSecond, cpuMicros }),
      reference: always({ perSecond: plainPerSecond }),
    }),
  },
  {
    work: 'points of a day against a bare route',
    reference: 'bare route: one durable put for each 1,000 points',
    sides: ({ pointsPerSecond, barePerSecond }) => ({
      logbook: always({ perSecond: pointsPerSecond }),
      reference: always({ perSecond: barePerSecond }),
    }),
  },
  {
    work: 'from a point to its status, p99, while points stream in',
    reference: '2 s',
    target: { atMost: 1 },
    sides: ({ latencies }) => ({ logbook: takes(quantile(latencies, 0.99), latencies), reference: takes(2_000) }),
  },
  {
    work: 'a month of results of 200 groups, p50',
    reference: '50 ms',
    target: { atMost: 1 },
    sides: ({ months }) => ({ logbook: takes(median(months), months), reference: takes(50) }),
  },
  {
    work: 'recomputation of 30 days of 2,000 endpoints',
    reference: '60 s',
    target: { atMost: 1 },
    sides: ({ recomputation, size: { days } }) => ({ logbook: takes((recomputation * 30) / days), reference: takes(60_000) }),
  },
  {
    work: 'disk of a point: log, read models, results',
    reference: 'bytes of the body that it came in',
    sides: ({ bytesPerPoint = Number.NaN, sentPerPoint }) => ({
      logbook: always({ perSecond: bytesPerPoint }),
      reference: always({ perSecond: sentPerPoint }),
    }),
  },
];

/** All rows of stores come from one run, which takes minutes. */
class Runs {
  private readonly runs = new Map<Stores, Promise<Figures>>();

  of(lab: Lab, stores: Stores): Promise<Figures> {
    const known = this.runs.get(stores) ?? run(lab, stores);
    this.runs.set(stores, known);
    return known;
  }
}

const runs = new Runs();

export const statusResults: readonly Scenario[] = (['embedded', 'redis', 'distributed'] as const).flatMap((stores) =>
  rows
    .filter(({ work }) => stores === 'embedded' || !work.startsWith('disk'))
    .map(({ work, reference, target, sides }) => ({
      name: `${stores}: results: ${work}`,
      reference,
      ...(target && { target }),
      prepare: async (lab: Lab) => sides(await runs.of(lab, stores)),
    })),
);
