import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { Created, WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { dayOf } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { type ReportDraft, reports, streamOfReports } from '#domain/status/reports/reports.js';
import { type NamedProfile, ProfileNames } from './profile-names.js';

/** A report as a caller describes it: profiles by their ids. */
export type SubmittedReport = Omit<ReportDraft, 'profiles'> & Readonly<{ profiles: readonly NamedProfile[] }>;

/**
 * The report with the names that its profiles have at the time of the command.
 * @throws DomainError `OVER_LIMIT`, before any name is looked up
 */
const draftOf = async (
  names: ProfileNames,
  { context, tenantId, report }: Readonly<{ context: CommandContext; tenantId: string; report: SubmittedReport }>,
): Promise<ReportDraft> => {
  if (report.profiles.length > STATUS_LIMITS.profilesPerReport.value) throw overLimit('profilesPerReport');
  return { ...report, profiles: await names.resolve(tenantId, report.profiles, dayOf(context.time)) };
};

/** A new report of a tenant. */
export class CreateReport extends Command<Created> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly report: SubmittedReport,
  ) {
    super();
  }
}

@CommandHandler(CreateReport)
class CreateReportHandler implements ICommandHandler<CreateReport> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly names: ProfileNames,
  ) {}

  async execute(create: CreateReport): Promise<Created> {
    const { context, tenantId } = create;
    const command = { type: 'CreateReport', id: randomUUID(), report: await draftOf(this.names, create) } as const;
    const { events, readable } = await this.gateway.execute({ stream: streamOfReports(tenantId), decider: reports, context, command });
    const [created] = events;
    if (!created) throw new Error('a creation made no event');
    return { id: created.data.id, readable };
  }
}

/** Replaces a report; what is left out is gone. */
export class ReviseReport extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly id: string,
    readonly report: SubmittedReport,
  ) {
    super();
  }
}

@CommandHandler(ReviseReport)
class ReviseReportHandler implements ICommandHandler<ReviseReport> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly names: ProfileNames,
  ) {}

  async execute(revise: ReviseReport): Promise<WriteOutcome> {
    const { context, tenantId, id } = revise;
    const command = { type: 'ReviseReport', id, report: await draftOf(this.names, revise) } as const;
    return this.gateway.execute({ stream: streamOfReports(tenantId), decider: reports, context, command });
  }
}

/** Deletes a report. */
export class DeleteReport extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly id: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteReport)
class DeleteReportHandler implements ICommandHandler<DeleteReport> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, id }: DeleteReport): Promise<WriteOutcome> {
    const command = { type: 'DeleteReport', id } as const;
    return this.gateway.execute({ stream: streamOfReports(tenantId), decider: reports, context, command });
  }
}

/** How a report is marked. */
export type ReportMark = 'MakeReportPublic' | 'MakeReportPrivate' | 'ChooseNodeReport';

/** Makes a report public or private, or that of the tenant as a node. */
export class MarkReport extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly id: string,
    readonly mark: ReportMark,
  ) {
    super();
  }
}

@CommandHandler(MarkReport)
class MarkReportHandler implements ICommandHandler<MarkReport> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, id, mark }: MarkReport): Promise<WriteOutcome> {
    const command = { type: mark, id } as const;
    return this.gateway.execute({ stream: streamOfReports(tenantId), decider: reports, context, command });
  }
}

export const reportHandlers: readonly Type[] = [CreateReportHandler, ReviseReportHandler, DeleteReportHandler, MarkReportHandler];
