import { byBytes } from '#domain/shared/text/text-order.js';
import { dayBefore, secondOfDay } from '#domain/shared/time.js';
import type { Slice } from '#projections/shared/pages.js';
import { timelineDocument } from '#projections/status/metric-data/queries.js';
import type { Random } from '#test/faults/random.js';
import { planOf, recomputation } from '#test/support/results/plans.js';
import { expectedItems, type PointReads } from './lab.js';
import { type Expected, type PointsModel, pointsByMetric } from './model.js';

/** A read with its arguments, and its answer in the model. */
export type Question = Readonly<{
  text: string;
  /** Limit of the items of the answer. Without one: the answer is not limited. */
  limit?: 'resultsPerAnswer' | 'pointsPerEndpoint';
  ask(reads: PointReads, slice: Slice): Promise<unknown>;
  expected(model: PointsModel): unknown;
}>;

type Pages<T> = AsyncIterable<readonly T[]>;

const collected = async <T>(pages: Pages<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
};

/** Of reads that promise pages with items. */
const filledPages = async <T>(pages: Pages<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const page of pages) {
    if (page.length === 0) throw new Error('a page is empty');
    all.push(...page);
  }
  return all;
};

const textsOf = async (pages: Pages<Buffer>): Promise<readonly string[]> => (await collected(pages)).map((bytes) => bytes.toString());

/** A result with its detail as text. */
const shown = <T extends Readonly<{ detail: Buffer }>>({ detail, ...head }: T) => ({ ...head, detail: detail.toString() });

/** Arguments of a question: mostly members of one point. */
export type Place = Readonly<{
  random: Random;
  tenantId: string;
  host: string;
  service: string;
  metric: string;
  report: string;
  group: string;
  timestamp: string;
  day: string;
  status: string;
  otherDay: string;
  stamp: string;
  expected: Expected;
}>;

type Head = Readonly<{ status: string; service: string; report?: string }>;
type Kind = (place: Place) => Question;

const expecting = (expected: Expected) => async () => expected && expectedItems(expected);

const chosenStatus = ({ random, status }: Place): ((status: string) => boolean) =>
  random.pick<(found: string) => boolean>([(found) => found === status, (found) => found !== 'OK', () => true]);

const chosenHead = ({ random, status, service, report }: Place): ((head: Head) => boolean) =>
  random.pick<(head: Head) => boolean>([
    () => true,
    (head) => head.status !== status,
    (head) => head.service === service,
    (head) => (head.report ?? report) === report,
  ]);

const spanOf = ({ random, day, otherDay }: Place) =>
  random.pick([
    { from: day, to: day },
    { from: otherDay, to: day },
    { from: '0000-01-01', to: '9999-12-31' },
  ]);

const ofDay: Kind = (place) => {
  const { tenantId, host, day } = place;
  const chosen = chosenHead(place);
  return {
    limit: 'resultsPerAnswer',
    text: `results.ofDay ${JSON.stringify([tenantId, host, day])} ${chosen}`,
    ask: async ({ results }, slice) => (await collected(results.ofDay(tenantId, host, day, chosen, slice))).map(shown),
    expected: (model) => model.ofDay({ tenantId, host }, day, chosen),
  };
};

const atSecond: Kind = (place) => {
  const { tenantId, host, metric, timestamp } = place;
  const chosen = chosenHead(place);
  return {
    limit: 'resultsPerAnswer',
    text: `atSecond ${JSON.stringify([tenantId, host, metric, timestamp])} ${chosen}`,
    ask: async ({ results }, slice) => (await collected(results.atSecond({ tenantId, host, metric }, timestamp, chosen, slice))).map(shown),
    expected: (model) => model.atSecond({ tenantId, host, metric }, timestamp, chosen),
  };
};

const counting: Kind = ({ random, tenantId, report, group, service, host, metric, timestamp, day }) => {
  const asked = { tenantId, group, service, host, metric };
  const excluded = random.chance(0.3) ? { excluded: 'mon-1' } : {};
  const exclude_monitoring_source = [{ host: 'mon-1', start_time: `${day}T00:00:00Z`, end_time: `${day}T23:59:59Z` }];
  const recomputations = excluded.excluded === undefined ? [] : [recomputation('00:00', '24:00', { exclude_monitoring_source })];
  const plan = planOf({ report, day, recomputations });
  return {
    text: `counting ${JSON.stringify([asked, report, timestamp, excluded])}`,
    ask: ({ results }, slice) => results.counting({ ...asked, plan }, secondOfDay(timestamp), slice),
    expected: (model) => model.counting({ ...asked, ...excluded, report }, timestamp),
  };
};

const endpointOf = ({ random, tenantId, report, group, service, host, metric, expected }: Place) => ({
  ...{ tenantId, report, group, service, host, expected },
  ...(random.chance(0.5) && { metric }),
});

export const timeline: Kind = (place) => {
  const { random, otherDay } = place;
  const [{ expected, ...endpoint }, span] = [endpointOf(place), spanOf(place)];
  const wanted = random.pick([undefined, (day: string) => day !== otherDay]);
  return {
    limit: 'resultsPerAnswer',
    text: `timeline ${JSON.stringify([endpoint, span, wanted && `not ${otherDay}`])}`,
    ask: async ({ results }, slice) => {
      const found = await results.timeline({ ...endpoint, expecting: expecting(expected) }, span, slice, wanted);
      return found.flatMap(({ day, points }) => points.map((point) => timelineDocument(day, point)));
    },
    expected: (model) => model.timeline({ ...endpoint, expected }, span, wanted),
  };
};

export const timelineDays: Kind = (place) => {
  const [{ expected, ...endpoint }, span] = [endpointOf(place), spanOf(place)];
  return {
    limit: 'resultsPerAnswer',
    text: `timelineDays ${JSON.stringify([endpoint, span])}`,
    ask: async ({ results }, slice) => {
      const days: string[] = [];
      for await (const day of results.timelineDays({ ...endpoint, expecting: expecting(expected) }, span, slice)) days.push(day);
      return days;
    },
    expected: (model) => model.timelineDays({ ...endpoint, expected }, span),
  };
};

const latestQuery = (place: Place) => {
  const { random, tenantId, report, group, day, expected } = place;
  const wanted = random.pick([undefined, chosenStatus(place)]);
  const limit = random.pick([1, 3, 20, 100, 500, Number.POSITIVE_INFINITY]);
  return { ...{ tenantId, report, day, wanted, limit, expected }, group: random.pick([undefined, group]) };
};

const latest: Kind = (place) => {
  const { expected, ...query } = latestQuery(place);
  return {
    text: `latest ${JSON.stringify(query)} ${query.wanted}`,
    ask: ({ results }, slice) => textsOf(results.latest({ ...query, expecting: expecting(expected) }, slice)),
    expected: (model) => model.latest({ ...query, expected }),
  };
};

const latestPoints: Kind = (place) => {
  const { expected, ...query } = latestQuery(place);
  return {
    text: `latestPoints ${JSON.stringify(query)} ${query.wanted}`,
    ask: async ({ results }, slice) => {
      const found = await collected(results.latestPoints({ ...query, expecting: expecting(expected) }, slice));
      return found.map(({ point, bytes }) => ({ point, text: bytes.toString() }));
    },
    expected: (model) => model.latest({ ...query, expected }).map((text) => ({ point: JSON.parse(text), text })),
  };
};

const endpoints: Kind = (place) => {
  const { tenantId, report, day, expected } = place;
  const chosen = chosenStatus(place);
  return {
    limit: 'resultsPerAnswer',
    text: `endpoints ${JSON.stringify([tenantId, report, day])} ${chosen}`,
    ask: ({ results }, slice) => textsOf(results.endpoints({ tenantId, report, day, expecting: expecting(expected) }, chosen, slice)),
    expected: (model) => model.endpoints({ tenantId, report, day, expected }, chosen),
  };
};

const statuses: Kind = (place) => {
  const { tenantId, report, group, day, expected } = place;
  const chosen = chosenStatus(place);
  return {
    limit: 'resultsPerAnswer',
    text: `statuses ${JSON.stringify([tenantId, report, group, day])} ${chosen}`,
    ask: ({ results }, slice) => textsOf(results.statuses({ tenantId, report, group, day, expecting: expecting(expected) }, chosen, slice)),
    expected: (model) => model.statuses({ tenantId, report, group, day, expected }, chosen),
  };
};

const ofEndpoint: Kind = ({ random, tenantId, day, host, service }) => {
  const withData = random.chance(0.5);
  return {
    limit: 'pointsPerEndpoint',
    text: `ofEndpoint ${JSON.stringify([tenantId, day, host, service, withData])}`,
    ask: ({ points, withoutData }, slice) => (withData ? points : withoutData).ofEndpoint(tenantId, day, host, service, slice),
    expected: (model) => pointsByMetric(model.ofEndpoint({ tenantId, day, host, service }), withData),
  };
};

type OfEndpoint = Readonly<{ host?: string | undefined; service?: string | undefined }>;

const placeOf = ({ host = '', service = '' }: OfEndpoint): string => JSON.stringify([host, service]);

const inOrder = <T extends OfEndpoint>(endpoints: readonly T[]): readonly T[] =>
  [...endpoints].sort((one, other) => byBytes(placeOf(one), placeOf(other)));

const endpointsOfDay: Kind = ({ random, tenantId, day }) => {
  const withData = random.chance(0.5);
  return {
    text: `points.ofDay ${JSON.stringify([tenantId, day, withData])}`,
    ask: async ({ points, withoutData }, slice) =>
      inOrder(await filledPages((withData ? points : withoutData).ofDay(tenantId, day, slice))),
    expected: (model) => inOrder(model.endpointsOfDay(tenantId, day, withData)),
  };
};

const endpointsOfTwoDays: Kind = ({ random, tenantId, day, host, expected = new Map() }) => {
  const all = [...expected.values()].flatMap(({ endpoints }) => endpoints.map(({ host: one }: Readonly<{ host: string }>) => one));
  const hosts = new Set([...all.filter(() => random.chance(0.3)), host]);
  return {
    text: `points.ofTwoDays ${JSON.stringify([tenantId, day, [...hosts]])}`,
    ask: async ({ points }, slice) => inOrder(await filledPages(points.ofTwoDays(tenantId, day, hosts, slice))),
    expected: (model) => {
      const of = (one: string) => new Map(model.endpointsOfDay(tenantId, one, true).map((endpoint) => [placeOf(endpoint), endpoint]));
      const [today, before] = [of(day), of(dayBefore(day))];
      const wanted = [...new Map([...before, ...today])].filter(([, endpoint]) => hosts.has(endpoint.host ?? ''));
      return inOrder(
        wanted.map(([key, { host: name, service }]) => ({
          ...{ host: name, service },
          today: today.get(key)?.points ?? new Map(),
          before: before.get(key)?.points ?? new Map(),
        })),
      );
    },
  };
};

const stamps =
  (valuesOf: (stamps: ReadonlyMap<string, string>) => unknown): Kind =>
  (place) => {
    const { tenantId } = place;
    const { from, to } = spanOf(place);
    return {
      text: `stamps ${JSON.stringify([tenantId, from, to])}`,
      ask: async ({ points }, slice) => valuesOf(await points.stamps(tenantId, from, to, slice)),
      expected: (model) => valuesOf(model.stamps(tenantId, { from, to })),
    };
  };

const days: Kind = ({ tenantId }) => ({
  text: `days ${tenantId}`,
  ask: async ({ points }, slice) => (await filledPages(points.days(tenantId, { from: '' }, slice))).map(([day]) => day),
  expected: (model) => model.days(tenantId),
});

const byEndpoint = (endpoints: readonly Readonly<{ host: string; service: string }>[]) =>
  endpoints.map(({ host, service }) => JSON.stringify([host, service])).sort(byBytes);

const touchedAfter: Kind = ({ random, tenantId, day, stamp }) => {
  const after = random.pick(['', stamp, stamp]);
  return {
    text: `touchedAfter ${JSON.stringify([tenantId, day, after])}`,
    ask: async ({ points }, slice) => byEndpoint(await points.touchedAfter(tenantId, day, after, slice)),
    expected: (model) => byEndpoint(model.touchedAfter(tenantId, day, after)),
  };
};

/** Values of stamps may change as of the past; the days that have one do not. */
export const KINDS = {
  both: [
    ofDay,
    atSecond,
    counting,
    timeline,
    timelineDays,
    latest,
    latestPoints,
    endpoints,
    statuses,
    ofEndpoint,
    endpointsOfDay,
    endpointsOfTwoDays,
    days,
    touchedAfter,
  ],
  now: stamps((found) => found),
  past: stamps((found) => [...found.keys()].sort(byBytes)),
} as const;
