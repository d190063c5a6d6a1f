import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { dayAt, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import type { FoundStatuses, RecordStatusChanges } from '#domain/status/notifications/status-changes.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { PartitionSetAside, type ReadStore } from '#projections/shared/read-store.js';
import { GapQueries } from '#projections/status/day-lists/gaps.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import type { AnnouncedDocument, NotificationQueries, SettingsDocument } from '#projections/status/notifications/queries.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { ChangeCauses } from './change-causes.js';
import { type EndpointName, endpointName, GroupMetrics } from './endpoint-metrics.js';
import { FoundChanges } from './found-changes.js';
import { type GroupSteps, groupSteps, type ItemSteps, type TwoDays } from './item-steps.js';
import { NotificationsUnusable } from './notice-publisher.js';
import { announcedStatuses, statusDelta } from './status-delta.js';
import { eventsOf } from './stretches.js';

/** Groups that are recorded together. */
const AT_A_TIME = 16;

/** {@link EndpointSteps.digest} at the last look, by report, then by group and endpoint. For the process that looks at one tenant. */
export type LookMemory = Map<string, Map<string, string>>;

type LookContext = Readonly<{
  tenantId: string;
  settings: SettingsDocument;
  reader: ReportReader;
  days: TwoDays;
  span: DaySpan;
  causes: ChangeCauses;
  memory: ReadonlyMap<string, string>;
  /** Keys in memory of the endpoints that were looked at. */
  there: Set<string>;
}>;

/** Findings about a group. `digests`: stored in memory once they are recorded. */
type FoundGroup = Readonly<{ commands: readonly RecordStatusChanges[]; digests: ReadonlyMap<string, string> }>;

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
   * change, and a real change is found afterwards. Looks at the other reports if one cannot be watched. Resolves with the first unexpected error of a
   * report, otherwise the first problem that only a user can solve. @throws the errors of the stores
   */
  async look(tenantId: string, settings: SettingsDocument, memory: LookMemory, signal: AbortSignal): Promise<ReportProblem | undefined> {
    const { reports, results } = this.parts;
    const names = settings.reports ?? (await reports.names(tenantId, STATUS_LIMITS.notifiedReports.value, new TimeSlice()));
    const problems: NotificationsUnusable[] = [];
    const unexpected: ReportFailed[] = [];
    const ids = new Set<string>();
    for (const name of names) {
      signal.throwIfAborted();
      const watched = async (): Promise<void> => {
        const reader = await results.report(tenantId, name);
        if (reader) ids.add(reader.id);
        else if (settings.reports) throw new NotificationsUnusable(`Report ${name} does not exist`);
        if (reader && !reader.disabled && reader.computations.status) await this.lookAt(tenantId, settings, reader, memory);
      };
      await watched().catch((error: unknown) => {
        const problem = problemOfReport(name, error);
        if (problem instanceof NotificationsUnusable) problems.push(problem);
        else unexpected.push(problem);
      });
    }
    for (const id of memory.keys()) if (!ids.has(id)) memory.delete(id);
    return unexpected[0] ?? problems[0];
  }

  private async lookAt(tenantId: string, settings: SettingsDocument, reader: ReportReader, lookMemory: LookMemory): Promise<void> {
    const { queries, clock } = this.parts;
    const to = dayAt(reader.now);
    const span = { from: dayBefore(to), to };
    const lists = await this.gaps.begin(tenantId, span, clock());
    const days = lists && (await twoDaysOf(reader, span));
    if (!days) return;
    const announced = await queries.told(tenantId, reader.id, new TimeSlice());
    const causes = new ChangeCauses(this.metricData, tenantId, reader);
    const memory = getOrInsert(lookMemory, reader.id, () => new Map<string, string>());
    const context = { tenantId, settings, reader, days, span, causes, memory, there: new Set<string>() };
    const slice = new TimeSlice();
    const here = new Set(days.today.groups.map(({ name }) => name));
    const looks = [
      ...days.today.groups.map((group) => () => this.foundIn(context, group, announced.get(group.name) ?? [])),
      ...[...announced].flatMap(([name, documents]) => (here.has(name) ? [] : [() => groupLeft(context, name, documents)])),
    ];
    for (let start = 0; start < looks.length; start += AT_A_TIME) {
      const found: FoundGroup[] = [];
      for (const look of looks.slice(start, start + AT_A_TIME)) {
        found.push(await look());
        if (slice.isOver) await slice.next();
      }
      if (!(await this.gaps.holds(lists))) return;
      await Promise.all(found.map((one) => this.record(one, reader, memory)));
    }
    for (const key of memory.keys()) if (!context.there.has(key)) memory.delete(key);
  }

  private async foundIn(context: LookContext, group: GroupDay, documents: readonly AnnouncedDocument[]): Promise<FoundGroup> {
    const { tenantId, settings, reader, days, span, causes, memory, there } = context;
    const { epoch, levels, repeatSeconds } = settings;
    const steps = groupSteps(group, days);
    for (const { item } of steps.endpoints) there.add(memoryKey(group.name, item));
    const metrics = new GroupMetrics(this.points, tenantId, reader, group.name, span);
    const announced = announcedStatuses(documents, epoch);
    const digests = levels.includes('metric') ? newDigests(steps, group.name, memory) : new Map<string, string>();
    const touched = steps.endpoints.filter(({ item }) => digests.has(memoryKey(group.name, item)));
    await metrics.read(touched.map(({ item }) => item));
    const same = steps.endpoints.filter(({ item }) => !digests.has(memoryKey(group.name, item)));
    const unread = new Set(same.map(({ item }) => endpointName(item)));
    const items: readonly ItemSteps[] = [steps.group, ...steps.services, ...steps.endpoints].filter(({ item }) =>
      levels.includes(item.level),
    );
    const ofMetrics = levels.includes('metric') ? touched.flatMap(({ item }) => metricItems(item, metrics)) : [];
    const look = { unread: levels.includes('metric') ? unread : new Set<string>(), now: reader.now, repeatSeconds };
    const { seen, gone, changes } = statusDelta(announced, [...items, ...ofMetrics], look);
    const found = await new FoundChanges(steps, metrics, causes).of(changes);
    return { commands: commandsOf(context, group.name, announced, { seen, gone, changes: found }), digests };
  }

  /** The next look checks again if another node recorded changes meanwhile. */
  private async record({ commands, digests }: FoundGroup, reader: ReportReader, memory: Map<string, string>): Promise<void> {
    for (const command of commands) if (!(await this.parts.record(command, reader))) return;
    for (const [key, value] of digests) memory.set(key, value);
  }
}

/** The unexpected error of a report. The message names the report and is for operators; the cause is for the log. */
export class ReportFailed extends Error {
  override readonly name = 'ReportFailed';

  constructor(report: string, cause: unknown) {
    super(`Report ${report} cannot be watched: see the log of the server`, { cause });
  }
}

/** A problem of one report, which does not concern the others. */
export type ReportProblem = NotificationsUnusable | ReportFailed;

/** The problem of a report, with its name. @throws errors that concern all reports */
const problemOfReport = (name: string, error: unknown): ReportProblem => {
  if (isOutage(error) || error instanceof PartitionSetAside) throw error;
  if (error instanceof NotificationsUnusable) return error;
  if (error instanceof DomainError && error.code === 'OVER_LIMIT')
    return new NotificationsUnusable(`Report ${name} cannot be watched: ${error.details.text}`);
  return new ReportFailed(name, error);
};

/** `announced`: what is known about the group. */
const commandsOf = (
  { tenantId, settings: { epoch }, reader }: LookContext,
  group: string,
  { number }: Pick<ReturnType<typeof announcedStatuses>, 'number'>,
  found: Omit<FoundStatuses, 'report'>,
): readonly RecordStatusChanges[] =>
  [...eventsOf({ report: reader.name, ...found })].map((stretch, index) => ({
    ...{ type: 'RecordStatusChanges', tenantId, reportId: reader.id, group, epoch, after: number + index },
    ...stretch,
  }));

/** A group without results today: all its items are gone, so that nothing is announced when it comes back. */
const groupLeft = (context: LookContext, group: string, documents: readonly AnnouncedDocument[]): FoundGroup => {
  const announced = announcedStatuses(documents, context.settings.epoch);
  const { gone } = statusDelta(announced, [], { unread: new Set(), now: context.reader.now, repeatSeconds: undefined });
  return { commands: commandsOf(context, group, announced, { seen: [], gone, changes: [] }), digests: new Map() };
};

/** `undefined` if today has no results. */
const twoDaysOf = async (reader: ReportReader, { from, to }: DaySpan): Promise<TwoDays | undefined> => {
  const days = new Map<string, ResultsDay<GroupDay>>();
  for await (const day of reader.details({ from, to })) days.set(day.day, day);
  const today = days.get(to);
  return today && { today, before: days.get(from) };
};

const memoryKey = (group: string, { service, hostname }: EndpointName): string => JSON.stringify([group, service, hostname]);

/** Digests of endpoints that have changed since the last look. */
const newDigests = ({ endpoints }: GroupSteps, group: string, memory: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const digests = new Map<string, string>();
  for (const { item, digest } of endpoints) {
    const key = memoryKey(group, item);
    if (memory.get(key) !== digest) digests.set(key, digest);
  }
  return digests;
};

const metricItems = ({ service, hostname }: EndpointName, metrics: GroupMetrics): readonly ItemSteps[] =>
  Array.from(metrics.of({ service, hostname }).steps, ([metric, steps]) => ({
    item: { level: 'metric', service, hostname, metric },
    steps,
  }));
