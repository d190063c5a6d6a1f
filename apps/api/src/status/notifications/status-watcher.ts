import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
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
import type {
  AnnouncedDocument,
  AnnouncedReport,
  NotificationQueries,
  SettingsDocument,
} from '#projections/status/notifications/queries.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { ChangeCauses } from './change-causes.js';
import { type EndpointName, endpointName, GroupMetrics } from './endpoint-metrics.js';
import { FoundChanges } from './found-changes.js';
import { digestOf, type GroupSteps, groupSteps, type ItemSteps, type TwoDays } from './item-steps.js';
import { NotificationsUnusable } from './notice-publisher.js';
import { type AnnouncedStatuses, announcedStatuses, sameUntil, statusDelta } from './status-delta.js';
import { eventsOf } from './stretches.js';

/** Groups that are recorded together. */
const AT_A_TIME = 16;

/**
 * A group in which a look found nothing to record. `digest`: of everything on which that depends, apart from the time. `until`: when it may be
 * different by itself, in milliseconds since 1970.
 */
type QuietGroup = Readonly<{ digest: string; until: number }>;

/**
 * A report at the last look. `digests`: {@link EndpointSteps.digest} by group and endpoint. `groups`: those with announced statuses or with results;
 * `undefined`: to be looked at again.
 */
type ReportMemory = Readonly<{ digests: Map<string, string>; groups: Map<string, QuietGroup | undefined> }>;

/** By report. For the process that looks at one tenant. */
export type LookMemory = Map<string, ReportMemory>;

/** Announced statuses of a report, by group. `last`: of each group the part with the number of its last event; none at the first look. */
type Announced = Readonly<{
  last: ReadonlyMap<string, AnnouncedDocument | undefined>;
  of: (group: string) => Promise<readonly AnnouncedDocument[]>;
}>;

type LookContext = Readonly<{
  tenantId: string;
  settings: SettingsDocument;
  reader: ReportReader;
  days: TwoDays;
  span: DaySpan;
  causes: ChangeCauses;
  announced: Announced;
  memory: ReportMemory;
  /** Keys of the digests of the endpoints that were looked at. */
  there: Set<string>;
}>;

type Findings = Readonly<{ commands: readonly RecordStatusChanges[]; digests: ReadonlyMap<string, string> }>;

/** Findings about a group. `digests` and `quiet`: stored in memory once they are recorded. `quiet`: set if there is nothing to record. */
type FoundGroup = Findings & Readonly<{ group: string; quiet?: QuietGroup }>;

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
    const to = dayAt(reader.now);
    const span = { from: dayBefore(to), to };
    const lists = await this.gaps.begin(tenantId, span, this.parts.clock());
    const days = lists && (await twoDaysOf(reader, span));
    if (!days) return;
    const here = new Map<string, GroupDay | undefined>(days.today.groups.map((group) => [group.name, group]));
    const { announced, memory } = await this.announced({ tenantId, reportId: reader.id }, [...here.keys()], lookMemory.get(reader.id));
    lookMemory.set(reader.id, memory);
    const causes = new ChangeCauses(this.metricData, tenantId, reader);
    const context = { tenantId, settings, reader, days, span, causes, announced, memory, there: new Set<string>() };
    const slice = new TimeSlice();
    const groups = [...new Set([...here.keys(), ...memory.groups.keys()])];
    for (let start = 0; start < groups.length; start += AT_A_TIME) {
      const found: FoundGroup[] = [];
      for (const group of groups.slice(start, start + AT_A_TIME)) {
        found.push(await this.foundIn(context, group, here.get(group)));
        if (slice.isOver) await slice.next();
      }
      if (!(await this.gaps.holds(lists))) return;
      await Promise.all(found.map((one) => this.record(one, reader, memory)));
    }
    for (const key of memory.digests.keys()) if (!context.there.has(key)) memory.digests.delete(key);
  }

  /** Reads everything at the first look at the report, and later only what is asked for. */
  private async announced(
    report: AnnouncedReport,
    here: readonly string[],
    memory: ReportMemory | undefined,
  ): Promise<Readonly<{ announced: Announced; memory: ReportMemory }>> {
    const { queries } = this.parts;
    const slice = new TimeSlice();
    if (!memory) {
      const all = await queries.told(report, slice);
      const groups = new Map<string, QuietGroup | undefined>(Array.from(all.keys(), (group) => [group, undefined]));
      return { announced: { last: new Map(), of: async (group) => all.get(group) ?? [] }, memory: { digests: new Map(), groups } };
    }
    const groups = [...new Set([...here, ...memory.groups.keys()])];
    const parts = await queries.lastTold(report, groups, slice);
    const last = new Map(groups.map((group, index) => [group, parts[index]]));
    const of = async (group: string) => (await queries.told({ ...report, group }, slice)).get(group) ?? [];
    return { announced: { last, of }, memory };
  }

  /** Nothing, without a look at the announced statuses, if there was nothing before and nothing has changed. `day`: absent without results today. */
  private async foundIn(context: LookContext, group: string, day: GroupDay | undefined): Promise<FoundGroup> {
    const { settings, reader, days, announced, memory, there } = context;
    const steps = day && groupSteps(day, days);
    for (const { item } of steps?.endpoints ?? []) there.add(memoryKey(group, item));
    const inputs = [settings.epoch, settings.levels, settings.repeatSeconds, steps && digestOf(steps)];
    const digestWith = (last: AnnouncedDocument | undefined): string => JSON.stringify([...inputs, last?.epoch, last?.number]);
    const quiet = memory.groups.get(group);
    if (quiet && reader.now < quiet.until && quiet.digest === digestWith(announced.last.get(group)))
      return { group, commands: [], digests: new Map(), quiet };
    const documents = await announced.of(group);
    const statuses = announcedStatuses(documents, settings.epoch);
    const found = steps ? await this.findingsIn(context, group, steps, statuses) : groupLeft(context, group, statuses);
    if (found.commands.length > 0) return { group, ...found };
    const until = sameUntil(statuses, { now: reader.now, repeatSeconds: settings.repeatSeconds });
    return { group, ...found, quiet: { digest: digestWith(documents.find(({ part }) => part === '')), until } };
  }

  private async findingsIn(context: LookContext, group: string, steps: GroupSteps, announced: AnnouncedStatuses): Promise<Findings> {
    const { tenantId, settings, reader, span, causes, memory } = context;
    const { levels, repeatSeconds } = settings;
    const metrics = new GroupMetrics(this.points, tenantId, reader, group, span);
    const digests = levels.includes('metric') ? newDigests(steps, group, memory.digests) : new Map<string, string>();
    const touched = steps.endpoints.filter(({ item }) => digests.has(memoryKey(group, item)));
    await metrics.read(touched.map(({ item }) => item));
    const same = steps.endpoints.filter(({ item }) => !digests.has(memoryKey(group, item)));
    const unread = new Set(same.map(({ item }) => endpointName(item)));
    const items: readonly ItemSteps[] = [steps.group, ...steps.services, ...steps.endpoints].filter(({ item }) =>
      levels.includes(item.level),
    );
    const ofMetrics = levels.includes('metric') ? touched.flatMap(({ item }) => metricItems(item, metrics)) : [];
    const look = { unread: levels.includes('metric') ? unread : new Set<string>(), now: reader.now, repeatSeconds };
    const { seen, gone, changes } = statusDelta(announced, [...items, ...ofMetrics], look);
    const found = await new FoundChanges(steps, metrics, causes).of(changes);
    return { commands: commandsOf(context, group, announced, { seen, gone, changes: found }), digests };
  }

  /** The next look checks again if another node recorded changes meanwhile. */
  private async record({ group, commands, digests, quiet }: FoundGroup, reader: ReportReader, memory: ReportMemory): Promise<void> {
    for (const command of commands) if (!(await this.parts.record(command, reader))) return;
    for (const [key, value] of digests) memory.digests.set(key, value);
    memory.groups.set(group, quiet);
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
  { number }: Pick<AnnouncedStatuses, 'number'>,
  found: Omit<FoundStatuses, 'report'>,
): readonly RecordStatusChanges[] =>
  [...eventsOf({ report: reader.name, ...found })].map((stretch, index) => ({
    ...{ type: 'RecordStatusChanges', tenantId, reportId: reader.id, group, epoch, after: number + index },
    ...stretch,
  }));

/** A group without results today: all its items are gone, so that nothing is announced when it comes back. */
const groupLeft = (context: LookContext, group: string, announced: AnnouncedStatuses): Findings => {
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
