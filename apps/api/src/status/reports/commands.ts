import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn, toStreams } from '#api/shared/commands/handlers.js';
import type { Created, WriteOutcome } from '#api/status/answers/written.js';
import { dayOf } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { type ReportCommand, type ReportDraft, type ReportEvent, reports, streamOfReports } from '#domain/status/reports/reports.js';
import { type NamedProfile, ProfileNames } from './profile-names.js';

/** A report in a call: profiles by their ids. */
export type SubmittedReport = Omit<ReportDraft, 'profiles'> & Readonly<{ profiles: readonly NamedProfile[] }>;

type OfTenant = Readonly<{ tenantId: string }>;
type TenantReportCommand = ReportCommand & OfTenant;

/** A new report of a tenant. */
export class CreateReport extends CommandWith<OfTenant & Readonly<{ report: SubmittedReport }>, Created> {}

/** Replaces a report. Omitted members are removed. */
export class ReviseReport extends CommandWith<OfTenant & Readonly<{ id: string; report: SubmittedReport }>, WriteOutcome> {}
export class DeleteReport extends CommandOf<TenantReportCommand, 'DeleteReport', ReportEvent> {}

export class MakeReportPublic extends CommandOf<TenantReportCommand, 'MakeReportPublic', ReportEvent> {}

export class MakeReportPrivate extends CommandOf<TenantReportCommand, 'MakeReportPrivate', ReportEvent> {}

/** Sets the report of the tenant as a node, in place of the previous one. */
export class ChooseNodeReport extends CommandOf<TenantReportCommand, 'ChooseNodeReport', ReportEvent> {}

/** The report with the current names of its profiles. @throws DomainError `OVER_LIMIT`, before any name is looked up */
const draftOf = async (names: ProfileNames, { context, data: { tenantId, report } }: CreateReport | ReviseReport): Promise<ReportDraft> => {
  if (report.profiles.length > STATUS_LIMITS.profilesPerReport.value) throw overLimit('profilesPerReport');
  return { ...report, profiles: await names.resolve(tenantId, report.profiles, dayOf(context.time)) };
};

const toReports = toStreams(reports, ({ tenantId }: TenantReportCommand) => streamOfReports(tenantId));

export const reportHandlers: readonly Provider[] = [
  ...passOn(toReports, { DeleteReport, MakeReportPublic, MakeReportPrivate, ChooseNodeReport }),

  handles(CreateReport, [CommandGateway, ProfileNames], async (create, gateway, names) => {
    const command = { type: 'CreateReport', ...create.data, id: randomUUID(), report: await draftOf(names, create) } as const;
    const { events, readable } = await gateway.execute(toReports(create.context, command));
    return { id: eventOf(events, 'ReportCreated').data.id, readable };
  }),

  handles(ReviseReport, [CommandGateway, ProfileNames], async (revise, gateway, names) => {
    const command = { type: 'ReviseReport', ...revise.data, report: await draftOf(names, revise) } as const;
    return gateway.execute(toReports(revise.context, command));
  }),
];
