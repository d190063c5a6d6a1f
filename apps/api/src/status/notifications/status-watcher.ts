import type { Clock } from '#domain/shared/clock.js';
import { dayAt, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import type { GroupOfReport, RecordStatusChanges } from '#domain/status/notifications/status-changes.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { GapQueries } from '#projections/status/day-lists/gaps.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import type { AnnouncedDocument, NotificationQueries, SettingsDocument } from '#projections/status/notifications/queries.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { ChangeCauses } from './change-causes.js';
import { endpointName, GroupMetrics } from './endpoint-metrics.js';
import { FoundChanges } from './found-changes.js';
import { type GroupSteps, groupSteps, type ItemSteps, type TwoDays } from './item-steps.js';
import { announcedStatuses, statusDelta } from './status-delta.js';
import { eventsOf } from './stretches.js';

/** Groups that are recorded together. */
const AT_A_TIME = 16;

/** The metrics of endpoints at the last look, by report, group and endpoint. For the process that looks at one tenant. */
export type LookMemory = Map<string, string>;

type LookContext = Readonly<{
  tenantId: string;
  settings: SettingsDocument;
  reader: ReportReader;
  days: TwoDays;
  span: DaySpan;
  causes: ChangeCauses;
  memory: LookMemory;
}>;

/** Findings about a group. `counts`: stored in memory once they are recorded. */
type FoundGroup = Readonly<{ commands: readonly RecordStatusChanges[]; counts: ReadonlyMap<string, string> }>;

export type WatcherParts = Readonly<{
  queries: NotificationQueries;
  reports: ReportQueries;
  results: Results;
  store: ReadStore;
  clock: Clock;
  /** Resolves with false if another process recorded first, or the read model does not show that yet. */
  record: (command: RecordStatusChanges, reader: ReportReader) => Promise<boolean>;
}>;

/** Looks at the statuses of a tenant and records changes that were not announced. */
export class StatusWatcher {
  private readonly gaps: GapQueries;
  private readonly points: PointQueries;
  private readonly metricData: MetricDataQueries;

  constructor(private readonly parts: WatcherParts) {
    const { store } = parts;
    this.gaps = new GapQueries(store);
    this.points = new PointQueries(store);
    this.metricData = new MetricDataQueries(store);
  }

  /**
   * Looks once at all watched reports of the tenant. Skips a report while a list is being replaced: equal statuses before and after are no
   * change, and a real change is found afterwards. @throws the errors of the stores
   */
  async look(tenantId: string, settings: SettingsDocument, memory: LookMemory, signal: AbortSignal): Promise<void> {
    const { reports, results } = this.parts;
    const names = settings.reports ?? (await reports.names(tenantId, STATUS_LIMITS.notifiedReports.value, new TimeSlice()));
    for (const name of names) {
      signal.throwIfAborted();
      const reader = await results.report(tenantId, name);
      if (reader && !reader.disabled && reader.computations.status) await this.lookAt(tenantId, settings, reader, memory);
    }
  }

  private async lookAt(tenantId: string, settings: SettingsDocument, reader: ReportReader, memory: LookMemory): Promise<void> {
    const { queries, clock } = this.parts;
    const to = dayAt(reader.now);
    const span = { from: dayBefore(to), to };
    const gapsBefore = await this.gaps.begun(tenantId, span, clock());
    const days = gapsBefore === undefined ? undefined : await twoDaysOf(reader, span);
    if (!days) return;
    const announced = await queries.told(tenantId, reader.id, new TimeSlice());
    const causes = new ChangeCauses(this.metricData, tenantId, reader);
    const context = { tenantId, settings, reader, days, span, causes, memory };
    const slice = new TimeSlice();
    for (let start = 0; start < days.today.groups.length; start += AT_A_TIME) {
      const found: FoundGroup[] = [];
      for (const group of days.today.groups.slice(start, start + AT_A_TIME)) {
        found.push(await this.foundIn(context, group, announced.get(group.name) ?? []));
        if (slice.isOver) await slice.next();
      }
      if ((await this.gaps.begun(tenantId, span, clock())) !== gapsBefore) return;
      await Promise.all(found.map((one) => this.record(one, reader, memory)));
    }
  }

  private async foundIn(context: LookContext, group: GroupDay, documents: readonly AnnouncedDocument[]): Promise<FoundGroup> {
    const { tenantId, settings, reader, days, span, causes, memory } = context;
    const { epoch, levels, repeatSeconds } = settings;
    const place: GroupOfReport = { tenantId, reportId: reader.id, group: group.name };
    const steps = groupSteps(group, days);
    const metrics = new GroupMetrics(this.points, tenantId, reader, group.name, span);
    const announced = announcedStatuses(documents, epoch);
    const counts = levels.includes('metric') ? newCounts(place, steps, memory) : new Map<string, string>();
    const touched = steps.endpoints.filter(({ item }) => counts.has(memoryKey(place, item)));
    await metrics.read(touched.map(({ item }) => item));
    const unread = new Set(steps.endpoints.filter(({ item }) => !counts.has(memoryKey(place, item))).map(({ item }) => endpointName(item)));
    const items: readonly ItemSteps[] = [steps.group, ...steps.services, ...steps.endpoints].filter(({ item }) =>
      levels.includes(item.level),
    );
    const ofMetrics = levels.includes('metric') ? touched.flatMap(({ item }) => metricItems(item, metrics)) : [];
    const look = { unread: levels.includes('metric') ? unread : new Set<string>(), now: reader.now, repeatSeconds };
    const { seen, gone, changes } = statusDelta(announced, [...items, ...ofMetrics], look);
    const found = await new FoundChanges(steps, metrics, causes).of(changes);
    const commands = [...eventsOf({ report: reader.name, seen, gone, changes: found })].map(
      (stretch, index) => ({ type: 'RecordStatusChanges', ...place, epoch, after: announced.number + index, ...stretch }) as const,
    );
    return { commands, counts };
  }

  /** The next look checks again if another node recorded changes meanwhile. */
  private async record({ commands, counts }: FoundGroup, reader: ReportReader, memory: LookMemory): Promise<void> {
    for (const command of commands) if (!(await this.parts.record(command, reader))) return;
    for (const [key, value] of counts) memory.set(key, value);
  }
}

/** `undefined` if today has no results. */
const twoDaysOf = async (reader: ReportReader, { from, to }: DaySpan): Promise<TwoDays | undefined> => {
  const days = new Map<string, ResultsDay<GroupDay>>();
  for await (const day of reader.details({ from, to })) days.set(day.day, day);
  const today = days.get(to);
  return today && { today, before: days.get(from) };
};

const memoryKey = ({ reportId, group }: GroupOfReport, { service, hostname }: Readonly<{ service: string; hostname: string }>): string =>
  JSON.stringify([reportId, group, service, hostname]);

/** Texts of the metrics of endpoints that have changed since the last look. */
const newCounts = (place: GroupOfReport, { endpoints }: GroupSteps, memory: LookMemory): ReadonlyMap<string, string> => {
  const counts = new Map<string, string>();
  for (const { item, counts: now } of endpoints) {
    const key = memoryKey(place, item);
    if (memory.get(key) !== now) counts.set(key, now);
  }
  return counts;
};

const metricItems = ({ service, hostname }: Readonly<{ service: string; hostname: string }>, metrics: GroupMetrics): readonly ItemSteps[] =>
  Array.from(metrics.of({ service, hostname }).steps, ([metric, steps]) => ({
    item: { level: 'metric', service, hostname, metric },
    steps,
  }));
