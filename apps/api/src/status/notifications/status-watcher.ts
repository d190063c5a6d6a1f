import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { dayAt, dayBefore } from '#domain/shared/time.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import {
  type CurrentStatus,
  differing,
  isNews,
  type NotifyStatuses,
  streamOfToldStatuses,
  toldStatuses,
} from '#domain/status/notifications/told-statuses.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { systemContext } from '#infra/event-store/system-events.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { NotificationQueries, type SettingsDocument, type ToldDocument, toldKey } from '#projections/status/notifications/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { BACKGROUND_RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { ChangeCauses } from './change-causes.js';
import { statusesOf, type TwoDays } from './current-statuses.js';

/** Parts that are recorded at a time. */
const PARTS_AT_ONCE = 64;
const AT_A_TIME = 16;

type Looked = Readonly<{
  tenantId: string;
  settings: SettingsDocument;
  reader: ReportReader;
  days: TwoDays;
  told: ReadonlyMap<string, ToldDocument>;
  causes: ChangeCauses;
}>;

/** Looks at the current statuses of a tenant, and records what differs from what was told. */
@Injectable()
export class StatusWatcher {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: NotificationQueries,
    private readonly reports: ReportQueries,
    @Inject(BACKGROUND_RESULTS) private readonly results: Results,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** One look at all reports of the tenant that are watched. @throws the errors of the stores */
  async look(tenantId: string, settings: SettingsDocument, signal: AbortSignal): Promise<void> {
    const names = settings.reports ?? (await this.reports.names(tenantId, STATUS_LIMITS.notifiedReports.value, new TimeSlice()));
    for (const name of names) {
      signal.throwIfAborted();
      const reader = await this.results.report(tenantId, name);
      if (reader && !reader.disabled && reader.computations.status) await this.lookAt(tenantId, settings, reader);
    }
  }

  private async lookAt(tenantId: string, settings: SettingsDocument, reader: ReportReader): Promise<void> {
    const days = await twoDaysOf(reader);
    if (!days) return;
    const told = await this.queries.told(tenantId, reader.id, new TimeSlice());
    const looked = { tenantId, settings, reader, days, told, causes: new ChangeCauses(this.store, tenantId, reader) };
    const slice = new TimeSlice();
    const news: NotifyStatuses[] = [];
    for (const group of days.today.groups) {
      news.push(...(await newsOf(looked, group)));
      if (news.length >= PARTS_AT_ONCE) await this.record(news.splice(0));
      if (slice.isOver) await slice.next();
    }
    await this.record(news);
  }

  private async record(news: readonly NotifyStatuses[]): Promise<void> {
    const context = systemContext('status-watcher', 'status', this.clock());
    const commands = news.map((command) => ({ stream: streamOfToldStatuses(command), command, context }));
    await this.gateway.executeAll(toldStatuses, commands, AT_A_TIME);
  }
}

/** `undefined`: today has no results. */
const twoDaysOf = async (reader: ReportReader): Promise<TwoDays | undefined> => {
  const to = dayAt(reader.now);
  const days = new Map<string, ResultsDay<GroupDay>>();
  for await (const day of reader.details({ from: dayBefore(to), to })) days.set(day.day, day);
  const today = days.get(to);
  return today && { today, before: days.get(dayBefore(to)) };
};

/** What has to be recorded of a group. */
const newsOf = async (looked: Looked, group: GroupDay): Promise<readonly NotifyStatuses[]> => {
  const { tenantId, settings, reader, days, told, causes } = looked;
  const { epoch, levels } = settings;
  const parts = statusesOf(group, days, levels).flatMap(({ part, statuses }) => {
    const place = { tenantId, reportId: reader.id, group: group.name, part };
    const known = told.get(toldKey(place)) ?? null;
    return isNews(known, epoch, statuses) ? [{ place, statuses, changed: differing(known, epoch, statuses) }] : [];
  });
  const changed: readonly CurrentStatus[] = parts.flatMap((part) => part.changed);
  const found = changed.length > 0 ? await causes.of(group, days.today.day, changed) : new Map();
  return parts.map(({ place, statuses }) => ({
    type: 'NotifyStatuses',
    ...place,
    epoch,
    report: reader.name,
    statuses,
    causes: found,
  }));
};
