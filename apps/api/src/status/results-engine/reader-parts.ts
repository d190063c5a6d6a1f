import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { CommitCache } from '#api/shared/answers/commit-cache.js';
import type { Clock } from '#domain/shared/clock.js';
import { aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { DayListQueries } from '#projections/status/day-lists/queries.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ComputedDays, type Days } from '#projections/status/results/computed-days.js';
import { Configurations } from '#projections/status/results/configuration.js';
import { EndpointsPoints } from '#projections/status/results/endpoint-points.js';
import { FirstDays } from '#projections/status/results/first-day.js';
import { Memo, type Memory, type ReadCache } from '#projections/status/results/memory.js';
import { Plans } from '#projections/status/results/plans.js';
import { ComputedResults } from '#projections/status/results/reports-results.js';
import { CONFIGURATION_SOURCES } from '#projections/status/results/status-sources.js';
import type { ReaderParts } from '#projections/status/results/stored-report-reader.js';

const MIB = 1024 * 1024;

/** Cache sizes: profiles with their versions, topologies and downtimes; names of groups and hosts, of some 250,000 endpoints; results of days. */
const [PLANS_BYTES, NAMES_BYTES, DAYS_BYTES] = [64 * MIB, 32 * MIB, 64 * MIB];

/** Look-ups of reports and of what is configured in a span that are cached. */
const MOST_READS = 1_000;

const memoryOf = (maxSize: number): Memory => {
  const cache = new LRUCache<string, object>({ maxSize, maxEntrySize: maxSize });
  return { get: (key) => cache.get(key), set: (key, value, bytes) => cache.set(key, value, { size: Math.max(1, Math.ceil(bytes)) }) };
};

/** Shared parts of report readers, over the documents of a store. Their caches belong to this store alone. `over`: see {@link OverDays}; `reads`: default none. */
export const readerParts = (store: ReadStore, over: OverDays = (inner) => inner, reads?: ReadCache): ReaderParts => {
  const sources = {
    profiles: {
      metric: new DatedQueries(store, metricProfiles),
      operations: new DatedQueries(store, operationsProfiles),
      aggregation: new DatedQueries(store, aggregationProfiles),
      thresholds: new DatedQueries(store, thresholdsProfiles),
      weights: new DatedQueries(store, weights),
    },
    groups: new DayListQueries(store, topologyGroups, pause),
    endpoints: new DayListQueries(store, topologyEndpoints, pause),
    downtimes: new DayListQueries(store, downtimes, pause),
    recomputations: new RecomputationQueries(store),
  };
  const profiles = new Memo(memoryOf(PLANS_BYTES));
  const configurations = new Configurations(sources, profiles, reads);
  const plans = new Plans(sources, profiles, new Memo(memoryOf(NAMES_BYTES)));
  const kept = new Memo(memoryOf(DAYS_BYTES));
  const points = new PointQueries(store);
  const endpointsPoints = new EndpointsPoints(points);
  return {
    configurations,
    plans,
    points,
    endpointsPoints,
    firstDays: new FirstDays({ configurations, plans, points: new PointQueries(store, 'without-data'), kept }),
    days: over(new ComputedDays(endpointsPoints, kept)),
  };
};

/** Wraps a source of days with another one, and falls back to the inner one. */
type OverDays = (inner: Days) => Days;

/** The results of reports over a store, as of the clock's time. Nothing is cached if documents depend on the request. */
export const resultsOver = (store: ReadStore, clock: Clock, over?: OverDays): ComputedResults => {
  if (store.volatile) return new ComputedResults(store, () => readerParts(store), clock);
  const reads = new CommitCache<object>(store, CONFIGURATION_SOURCES, MOST_READS);
  const shared = readerParts(store, over, reads);
  return new ComputedResults(store, () => shared, clock, reads);
};
