import type { Told } from '#test/faults/history.js';
import type { Random } from '#test/faults/random.js';
import type { Client, Recorder, Task } from './client.js';
import { idIn, Pool } from './pool.js';
import { DAYS, HEADERS } from './status.js';

/** Calls with points of several hosts. No two points of a run are equal, so that a point stored twice is shown twice. */

type Shown = Readonly<{ timestamp: string; endpoint: string; metric: string; status: string; summary: string; message: string }>;

const REPORTS = 'reports';
const SPREAD = 3;
const DAY_SECONDS = 86_400;
/** Larger than an event may be: such a call is several events. */
const LONG = { points: 30, message: 'x'.repeat(10_000) };

/** A second of its own for each number, on a few days. */
const instantOf = (number: number): string => {
  const day = DAYS[(number % SPREAD) + SPREAD * Math.floor(number / (SPREAD * DAY_SECONDS))];
  const second = Math.floor(number / SPREAD) % DAY_SECONDS;
  return `${day}T${new Date(second * 1_000).toISOString().slice(11, 19)}Z`;
};

const list = <Item>(length: number, item: (index: number) => Item): Item[] => Array.from({ length }, (_, index) => item(index));

/** Points of one second with the same texts: three metrics of each of four hosts. */
const evenPoints = (recorder: Recorder): readonly Shown[] => {
  const same = { timestamp: instantOf(recorder.number()), status: 'OK', summary: 'everything is fine', message: 'no details' };
  return list(12, (index) => ({ ...same, endpoint: `even-${index % 4}`, metric: `metric-${Math.floor(index / 4)}` }));
};

/** Points of many hosts, seconds and texts. */
const mixedPoints = (recorder: Recorder, random: Random): readonly Shown[] => {
  const isLong = random.chance(0.02);
  return list(isLong ? LONG.points : random.between(1, 20), () => {
    const number = recorder.number();
    return {
      timestamp: instantOf(number),
      endpoint: `mixed-${random.between(1, 60)}`,
      metric: `metric-${random.between(0, 2)}`,
      status: random.pick(['OK', 'OK', 'WARNING', 'CRITICAL']),
      summary: `point ${number}`,
      message: isLong ? LONG.message : random.pick(['', `about ${number}`]),
    };
  });
};

const textOf = ({ timestamp, endpoint, metric, status, summary, message = '' }: Shown): string =>
  [timestamp, endpoint, metric, status, summary, message.length].join(' ');

const submit = (report: string, points: readonly Shown[]): Task => ({
  operation: { kind: 'submit', points: points.map(textOf) },
  request: {
    method: 'POST',
    path: '/api/v2/metric_data',
    headers: HEADERS,
    body: points.map(({ endpoint, ...point }) => ({
      ...point,
      report: idIn(report),
      endpoint_group: 'SITE',
      service: 'CE',
      host: endpoint,
    })),
  },
});

const createReport = (name: string): Task => ({
  operation: { kind: 'create', scope: REPORTS, name, refersTo: [] },
  request: {
    method: 'POST',
    path: '/api/v2/reports',
    headers: HEADERS,
    body: { info: { name }, topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } } },
  },
  read: (json) => ({ record: `report:${(json as { data: Readonly<{ id: string }> }).data.id}` }),
});

/** All reports. */
export const listReports: Task = {
  operation: { kind: 'list', scope: REPORTS },
  request: { method: 'GET', path: '/api/v2/reports', headers: HEADERS },
  read: (json): Told => ({
    entries: (json as { data: readonly Readonly<{ id: string; info: { name: string } }>[] }).data.map(({ id, info }) => ({
      record: `report:${id}`,
      name: info.name,
    })),
  }),
};

/** Requests for all points of a report, and the points in an answer. */
export const pointsOf = (report: string) => ({
  requests: DAYS.map(
    (day) => ({ method: 'GET', path: `/api/v2/latest/${report}/SITES?limit=-1&date=${day}T00:00:00Z`, headers: HEADERS }) as const,
  ),
  pointsIn: (json: unknown): readonly string[] => (json as { data: { metric_data: readonly Shown[] } }).data.metric_data.map(textOf),
});

const known = new WeakMap<Recorder, Pool>();

/** A call with metric data, of a report that a client of this run has made. */
export const metricDataStep = async (client: Client): Promise<void> => {
  const { random, recorder } = client;
  const reports = known.get(recorder) ?? new Pool(2);
  known.set(recorder, reports);
  const report = reports.pick(random);
  if (!report) reports.add((await client.keyed(createReport(`report-${recorder.number()}`))).told.record);
  else {
    const task = submit(report, random.chance(0.5) ? evenPoints(recorder) : mixedPoints(recorder, random));
    await (random.chance(0.75) ? client.keyed(task) : client.once(task));
  }
};
