import { setTimeout as pause } from 'node:timers/promises';
import { dayOf } from '#domain/shared/time.js';
import { type Downtime, downtimes } from '#domain/status/downtimes/downtimes.js';
import { type ChangeCause, type CurrentStatus, statusKey } from '#domain/status/notifications/told-statuses.js';
import type { GroupDay } from '#domain/status/results/results.js';
import { downtimeOn, recomputationOn } from '#domain/status/results/windows.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DayListQueries } from '#projections/status/day-lists/queries.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import type { EndpointFilter, EndpointMetrics, ReportReader } from '#projections/status/results/report-reader.js';
import { instantOf } from './current-statuses.js';

/** Endpoints that are looked up one by one; of more of a group, all are. */
const FEW = 5;

/** When a recomputation begins and when it no longer holds. */
const edgesOf = ({ start_time, end_time }: Readonly<{ start_time: string; end_time: string }>): readonly string[] => {
  const [first, last] = [dayOf(start_time), dayOf(end_time)];
  const [begin, end] = [recomputationOn(first, start_time, end_time), recomputationOn(last, start_time, end_time)];
  return begin && end ? [instantOf(first, begin.from), instantOf(last, end.to)] : [];
};

/** Finds what changes of the statuses of a report came from. For one look: what was read once is not read again. */
export class ChangeCauses {
  private readonly lists: DayListQueries;
  private readonly recomputations: RecomputationQueries;
  private readonly downtimeEdges = new Map<string, Promise<ReadonlySet<string>>>();
  private recomputationEdges: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(
    store: ReadStore,
    private readonly tenantId: string,
    private readonly reader: ReportReader,
  ) {
    this.lists = new DayListQueries(store, downtimes, { newSlice: () => new TimeSlice(), pause });
    this.recomputations = new RecomputationQueries(store);
  }

  /** Causes by {@link statusKey}. `changed`: of the group today, itself or its endpoints. */
  async of(group: GroupDay, today: string, changed: readonly CurrentStatus[]): Promise<ReadonlyMap<string, ChangeCause>> {
    const own = changed.find(({ hostname }) => hostname === '');
    const culprit = own && culpritOf(group, today, own);
    const endpoints = changed.filter(({ hostname }) => hostname !== '');
    if (culprit) endpoints.push(culprit);
    const metrics = await this.metricsOf(group.name, endpoints);
    const causes = new Map<string, ChangeCause>();
    for (const endpoint of endpoints)
      causes.set(statusKey(endpoint), metricCause(metrics.get(statusKey(endpoint)), endpoint) ?? (await this.otherCause(endpoint)));
    const cause = culprit && causes.get(statusKey(culprit));
    if (own && culprit && cause)
      causes.set(statusKey(own), { type: 'endpoint', service: culprit.service, hostname: culprit.hostname, cause });
    else if (own) causes.set(statusKey(own), await this.otherCause(own));
    return causes;
  }

  /** The metrics of endpoints on the days since which their statuses hold. */
  private async metricsOf(group: string, endpoints: readonly CurrentStatus[]): Promise<ReadonlyMap<string, readonly EndpointMetrics[]>> {
    const wanted = new Set(endpoints.map(statusKey));
    const found = new Map<string, EndpointMetrics[]>();
    for (const [day, filter] of lookUps(group, endpoints)) {
      for await (const page of this.reader.metrics({ from: day, to: day }, filter)) {
        for (const one of page.endpoints) {
          const key = statusKey({ service: one.service, hostname: one.host });
          if (wanted.has(key)) found.set(key, [...(found.get(key) ?? []), one]);
        }
      }
    }
    return found;
  }

  private async otherCause({ service, hostname, since }: CurrentStatus): Promise<ChangeCause> {
    if (hostname !== '' && (await this.downtimesOn(dayOf(since))).has(JSON.stringify([service, hostname, since])))
      return { type: 'downtime' };
    const id = (await this.recomputed()).get(since);
    if (id !== undefined) return { type: 'recomputation', id };
    return { type: since.endsWith('T00:00:00Z') ? 'day' : 'configuration' };
  }

  /** When downtimes of that day begin and end, each with service and host. */
  private downtimesOn(day: string): Promise<ReadonlySet<string>> {
    const known = this.downtimeEdges.get(day) ?? this.readDowntimes(day);
    this.downtimeEdges.set(day, known);
    return known;
  }

  private async readDowntimes(day: string): Promise<ReadonlySet<string>> {
    const edges = new Set<string>();
    const list = await this.lists.of(this.tenantId, day);
    for await (const { items } of list?.items<Downtime>() ?? [])
      for (const { item } of items) {
        const window = downtimeOn(day, item.start_time, item.end_time);
        for (const second of window ? [window.from, window.to] : [])
          edges.add(JSON.stringify([item.service, item.hostname, instantOf(day, second)]));
      }
    return edges;
  }

  /** Ids of recomputations in force for the report by when they begin or end. */
  private recomputed(): Promise<ReadonlyMap<string, string>> {
    this.recomputationEdges ??= this.readRecomputations();
    return this.recomputationEdges;
  }

  private async readRecomputations(): Promise<ReadonlyMap<string, string>> {
    const edges = new Map<string, string>();
    for await (const { document } of this.recomputations.inForce(this.tenantId, this.reader.name, new TimeSlice()))
      for (const edge of edgesOf(document)) edges.set(edge, document.id);
    return edges;
  }
}

/** What to look up for endpoints of a group, by day. */
const lookUps = (group: string, endpoints: readonly CurrentStatus[]): readonly (readonly [day: string, filter: EndpointFilter])[] => {
  const days = [...new Set(endpoints.map(({ since }) => dayOf(since)))];
  return days.flatMap((day) => {
    const ofDay = endpoints.filter(({ since }) => dayOf(since) === day);
    const filters = ofDay.length > FEW ? [{ group }] : ofDay.map(({ service, hostname: host }) => ({ group, service, host }));
    return filters.map((filter) => [day, filter] as const);
  });
};

/** The first endpoint of a group that changed today when the group did. */
const culpritOf = (group: GroupDay, today: string, { since }: CurrentStatus): CurrentStatus | undefined => {
  for (const { service, endpoints } of group.services) {
    for (const { host: hostname, timeline } of endpoints) {
      const step = timeline.find(({ at }) => at > 0 && instantOf(today, at) === since);
      if (step) return { service, hostname, status: step.status, since };
    }
  }
  return undefined;
};

/** A point of that very instant, of the same status if there is one. */
const metricCause = (days: readonly EndpointMetrics[] | undefined, { status, since }: CurrentStatus): ChangeCause | undefined => {
  const second = (Date.parse(since) - Date.parse(dayOf(since))) / 1_000;
  if (second === 0) return undefined; // the point may stand for the whole day
  let found: Extract<ChangeCause, { type: 'metric' }> | undefined;
  for (const { metric, points } of (days ?? []).flatMap(({ metrics }) => metrics)) {
    const point = points.find(({ at }) => at === second);
    if (point && (!found || (found.status !== status && point.status === status)))
      found = { type: 'metric', metric, status: point.status, timestamp: since };
  }
  return found;
};
