import { randomUUID } from 'node:crypto';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { dayOf } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { type ReportCommand, type ReportDraft, reports, streamOfReports } from '#domain/status/reports/reports.js';
import { type NamedProfile, ProfileNames } from './profile-names.js';

/** A report in a call: profiles by their ids. */
export type SubmittedReport = Omit<ReportDraft, 'profiles'> & Readonly<{ profiles: readonly NamedProfile[] }>;

type OfTenant = Readonly<{ tenantId: string }>;
type TenantReportCommand = ReportCommand & OfTenant;

/** The report with the current names of its profiles. @throws DomainError `OVER_LIMIT`, before any name is looked up */
const draftOf = async (
  names: ProfileNames,
  { tenantId, report }: OfTenant & Readonly<{ report: SubmittedReport }>,
  { time }: CommandContext,
): Promise<ReportDraft> => {
  if (report.profiles.length > STATUS_LIMITS.profilesPerReport.value) throw overLimit('profilesPerReport');
  return { ...report, profiles: await names.resolve(tenantId, report.profiles, dayOf(time)) };
};

const toReports = toStreams(reports, ({ tenantId }: TenantReportCommand) => streamOfReports(tenantId));

export class DeleteReport extends commandTo(toReports, 'DeleteReport') {}
export class MakeReportPublic extends commandTo(toReports, 'MakeReportPublic') {}
export class MakeReportPrivate extends commandTo(toReports, 'MakeReportPrivate') {}

/** Sets the report of the tenant as a node, in place of the previous one. */
export class ChooseNodeReport extends commandTo(toReports, 'ChooseNodeReport') {}

/** A new report of a tenant. */
export class CreateReport extends commandWith(
  [ProfileNames],
  async (data: OfTenant & Readonly<{ report: SubmittedReport }>, { context, gateway }, names) => {
    const command = { type: 'CreateReport', ...data, id: randomUUID(), report: await draftOf(names, data, context) } as const;
    const { events, readable } = await gateway.execute(toReports(context, command));
    return { id: eventOf(events, 'ReportCreated').data.id, readable };
  },
) {}

/** Replaces a report. Omitted members are removed. */
export class ReviseReport extends commandWith(
  [ProfileNames],
  async (data: OfTenant & Readonly<{ id: string; report: SubmittedReport }>, { context, gateway }, names) => {
    const command = { type: 'ReviseReport', ...data, report: await draftOf(names, data, context) } as const;
    return gateway.execute(toReports(context, command));
  },
) {}
