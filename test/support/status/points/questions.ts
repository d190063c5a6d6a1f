import { byBytes } from '#domain/shared/text/text-order.js';
import type { PlannedEndpoint, PlannedGroup } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import type { Random } from '#test/faults/random.js';
import { gatheredPoints, type PointReads } from './lab.js';
import { type Expected, type LoggedPoint, type PointsModel, pointsByMetric, stampOf } from './model.js';
import { KINDS, type Place, type Question, timeline, timelineDays } from './reads.js';
import { GROUPS, REPORTS } from './sets.js';

/** The past and the present of a read in two steps, of which the second adds to the first. */
export type TwoSteps = Readonly<{
  text: string;
  ask(first: PointReads, second: PointReads, slice: Slice): Promise<unknown>;
  expected(first: PointsModel, second: PointsModel): unknown;
}>;

/**
 * Items expected on a day: endpoints of the points in some groups. Metrics depend on the service.
 * @param share of the metrics; half as large a share of the endpoints is in each group
 */
export const randomPlan = (random: Random, points: readonly LoggedPoint[], share: number): Expected => {
  const metrics = new Map<string, Set<string>>();
  const endpoints = new Map<string, Readonly<{ service: string; host: string }>>();
  for (const { host, result } of points) {
    if (!metrics.has(result.service)) metrics.set(result.service, new Set());
    if (random.chance(share)) metrics.get(result.service)?.add(result.metric);
    endpoints.set(JSON.stringify([result.service, host]), { service: result.service, host });
  }
  const inOrder = [...endpoints.values()].sort((one, other) => byBytes(one.service, other.service) || byBytes(one.host, other.host));
  const lists = new Map(Array.from(metrics, ([service, names]) => [service, [...names].sort(byBytes)]));
  const planned = (group: string): readonly [string, PlannedGroup] => {
    const some = inOrder.filter(() => random.chance(share / 2));
    const list = some.map((one): PlannedEndpoint => ({ ...one, metrics: lists.get(one.service) ?? [] }));
    return [group, { name: group, endpoints: list.filter((one) => one.metrics.length > 0) }];
  };
  return new Map([...GROUPS].sort(byBytes).map(planned));
};

/** Questions about the points of a log. */
export class Questions {
  private readonly withReport: readonly LoggedPoint[];
  private asked: number;

  constructor(
    private readonly random: Random,
    private readonly points: readonly LoggedPoint[],
    private readonly plans: readonly Expected[],
  ) {
    this.withReport = points.filter(({ result }) => result.report !== undefined);
    this.asked = random.between(0, KINDS.both.length);
  }

  /** Of every kind in turn. */
  next(when: 'now' | 'past'): Question {
    const kinds = [...KINDS.both, KINDS[when]];
    const kind = kinds[this.asked++ % kinds.length] ?? KINDS[when];
    return kind(this.place(kind === timeline || kind === timelineDays ? this.withReport : this.points));
  }

  twoSteps(): TwoSteps {
    const { random, tenantId, day, host, service, stamp } = this.place();
    const endpoint = { tenantId, day, host, service };
    const after = random.pick(['', stamp]);
    const scope = random.pick(['all', 'without-data'] as const);
    return {
      text: `addAfter ${JSON.stringify([endpoint, after, scope])}`,
      ask: async (first, second, slice) => {
        const gathered = gatheredPoints(scope);
        const one = await first.points.addAfter(gathered, endpoint, after, slice);
        const other = await second.points.addAfter(gathered, endpoint, one, slice);
        return [one, other, new Map([...gathered.all()].filter(([, points]) => points.length > 0))];
      },
      expected: (first, second) => {
        const before = first.ofEndpoint(endpoint, after);
        const last = before.map(stampOf).at(-1) ?? after;
        const later = second.ofEndpoint(endpoint, last);
        return [last, later.map(stampOf).at(-1) ?? last, pointsByMetric([...before, ...later], scope === 'all')];
      },
    };
  }

  /** @param about a point of which the question mostly has the members */
  private place(about = this.points): Place {
    const { random, points, plans } = this;
    const one = random.pick(about.length > 0 ? about : points);
    const some = () => (random.chance(0.07) ? random.pick(points) : one);
    const { timestamp } = some().result;
    const { report = random.pick(REPORTS), endpoint_group } = some().result;
    return {
      random,
      tenantId: random.chance(0.02) ? 'nobody' : some().tenantId,
      host: some().host,
      service: some().result.service,
      metric: some().result.metric,
      report,
      group: (random.chance(0.85) && endpoint_group) || random.pick(GROUPS),
      timestamp,
      day: timestamp.slice(0, 10),
      status: some().result.status,
      otherDay: random.pick(points).result.timestamp.slice(0, 10),
      stamp: stampOf(random.pick(points)),
      expected: random.pick(plans),
    };
  }
}
