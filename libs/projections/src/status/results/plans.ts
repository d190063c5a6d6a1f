import { sha256 } from '#domain/shared/bytes/sha256.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { MetricProfile } from '#domain/status/dated-records/metric-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { ThresholdsProfile } from '#domain/status/dated-records/thresholds-profiles.js';
import type { Weights } from '#domain/status/dated-records/weights.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { Plan, PlannedRecomputation } from '#domain/status/results/plan.js';
import { expectedMetrics } from '#domain/status/topology/expected-items.js';
import { reportFilters } from '#domain/status/topology/report-topology.js';
import type { DayListQueries, StoredDayList } from '#projections/status/day-lists/queries.js';
import type { ConfigurationSources, DayConfiguration, ListRef, VersionRef } from './configuration.js';
import { type Windows, windowsOf } from './downtime-windows.js';
import { type GroupNames, namesOf } from './group-names.js';
import type { Memo, SizedValue } from './memory.js';
import type { ProfileType, ReportSettings } from './report-settings.js';
import { type ReportTopology, readTopology } from './report-topology.js';

/** A reference of a configuration is outdated. The configuration has to be looked up again. */
export class ConfigurationChanged extends Error {
  override readonly name = 'ConfigurationChanged';
}

/** Approximate memory of parsed objects per byte of JSON. */
const PARSED = 3;

/** @throws DomainError `OVER_LIMIT` */
const ensureWithinLimits = ({ items, widest }: ReportTopology, recomputations: readonly PlannedRecomputation[]): void => {
  if (widest > STATUS_LIMITS.metricsPerService.value) throw overLimit('metricsPerService');
  if (items > STATUS_LIMITS.expectedPerDay.value) throw overLimit('expectedPerDay');
  const elements = recomputations.reduce(
    (sum, { exclude, exclude_metrics, exclude_monitoring_source, applied_status_changes }) =>
      sum + exclude.length + exclude_metrics.length + exclude_monitoring_source.length + applied_status_changes.length,
    0,
  );
  if (elements > STATUS_LIMITS.recomputedPerDay.value) throw overLimit('recomputedPerDay');
};

const NO_WINDOWS: Windows = new Map();
const NO_RULES: ThresholdsProfile['rules'] = [];
const NO_WEIGHTS: ReadonlyMap<string, number> = new Map();

/** Changes with every input that determines which items are expected on a day. */
export const topologyStamp = ({ filterStamp }: ReportSettings, { profiles, groups, endpoints }: DayConfiguration): string =>
  sha256(JSON.stringify([filterStamp, profiles.metric.hash, profiles.aggregation.hash, groups.event, endpoints?.event]));

/** Creates plans from configurations. Profiles and lists are read and parsed once for all days and reports that share them, while they are cached. */
export class Plans {
  constructor(
    private readonly sources: ConfigurationSources,
    private readonly kept: Memo,
    private readonly keptNames: Memo,
  ) {}

  /**
   * `undefined`: the list of groups by report is empty, so the day cannot be computed.
   * @throws ConfigurationChanged
   * @throws ReadStoreUnavailable
   * @throws DomainError `OVER_LIMIT`: the computation would take too long
   */
  async plan(report: ReportSettings, configuration: DayConfiguration): Promise<Plan | undefined> {
    const { profiles, downtimes, recomputations, day } = configuration;
    const { tenantId, id } = report;
    const topology = await this.topology(report, configuration);
    if (!topology.hasGroups) return undefined;
    ensureWithinLimits(topology, recomputations);
    const [operations, aggregation, thresholds, weights, windows] = await Promise.all([
      this.profile<OperationsProfile>(tenantId, 'operations', profiles.operations),
      this.profile<AggregationProfile>(tenantId, 'aggregation', profiles.aggregation),
      profiles.thresholds && this.profile<ThresholdsProfile>(tenantId, 'thresholds', profiles.thresholds),
      profiles.weights && this.weights(tenantId, profiles.weights),
      downtimes ? this.windows(tenantId, downtimes) : NO_WINDOWS,
    ]);
    const { groups, supergroups } = topology;
    const rules = thresholds?.rules ?? NO_RULES;
    return {
      report: id,
      day,
      operations,
      aggregation,
      thresholds: rules,
      groups,
      supergroups,
      downtimes: windows,
      weights: weights ?? NO_WEIGHTS,
      recomputations,
    };
  }

  /** The items expected on the day, a part of the plan that many days share. @throws ConfigurationChanged, ReadStoreUnavailable as `plan` does */
  topology(report: ReportSettings, configuration: DayConfiguration): Promise<ReportTopology> {
    return this.kept.fill(`topology/${topologyStamp(report, configuration)}`, () => this.read(report, configuration));
  }

  /** Names of the groups and hosts in the topology. They are kept apart from topologies, which take many times the memory. @throws as `topology` does */
  names(report: ReportSettings, configuration: DayConfiguration): Promise<readonly GroupNames[]> {
    const stamp = topologyStamp(report, configuration);
    return this.keptNames.fill(stamp, async () => {
      const { groups } = this.kept.get<ReportTopology>(`topology/${stamp}`) ?? (await this.read(report, configuration)).value;
      return namesOf(groups, new TimeSlice());
    });
  }

  private async read(report: ReportSettings, { profiles, groups, endpoints }: DayConfiguration): Promise<SizedValue<ReportTopology>> {
    const { tenantId } = report;
    const [metrics, aggregation, groupList, endpointList] = await Promise.all([
      this.profile<MetricProfile>(tenantId, 'metric', profiles.metric),
      this.profile<AggregationProfile>(tenantId, 'aggregation', profiles.aggregation),
      this.list(this.sources.groups, tenantId, groups),
      endpoints && this.list(this.sources.endpoints, tenantId, endpoints),
    ]);
    const filters = reportFilters({ types: report.types, filter_tags: report.filterTags });
    const lists = { groups: groupList, endpoints: endpointList };
    return readTopology(lists, filters, expectedMetrics(metrics, aggregation), new TimeSlice());
  }

  /** A snapshot of a profile. @throws ConfigurationChanged if its body is not the one to which the configuration refers */
  private profile<R extends object>(tenantId: string, type: ProfileType, { id, date, hash }: VersionRef): Promise<R> {
    return this.kept.fill<R>(`profile/${type}/${hash}`, async () => {
      const body = await this.sources.profiles[type].snapshot({ tenantId, id }, date);
      if (!body || sha256(body) !== hash) throw new ConfigurationChanged(`the profile ${id} changed`);
      return { value: JSON.parse(body.toString('utf8')) as R, bytes: PARSED * body.length };
    });
  }

  private async weights(tenantId: string, ref: VersionRef): Promise<ReadonlyMap<string, number>> {
    const { groups } = await this.profile<Weights>(tenantId, 'weights', ref);
    return this.kept.fill(`weights/${ref.hash}`, async () => ({
      value: new Map(groups.map(({ name, value }) => [name, value])),
      bytes: 100 * groups.length,
    }));
  }

  private async list(queries: DayListQueries, tenantId: string, { day, event }: ListRef): Promise<StoredDayList> {
    const list = await queries.of(tenantId, day);
    if (list?.event !== event) throw new ConfigurationChanged(`the list of ${day} changed`);
    return list;
  }

  private windows(tenantId: string, ref: ListRef): Promise<Windows> {
    return this.kept.fill(`downtimes/${ref.event}`, async () =>
      windowsOf(ref.day, await this.list(this.sources.downtimes, tenantId, ref), new TimeSlice()),
    );
  }
}
