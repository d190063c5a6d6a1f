import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { PartitionOperator, type PartitionOutcome, type ProjectionJob } from './partition-operator.js';
import { ProjectionJobs } from './projection-jobs.js';

/** Tries the failing event of a partition again, then those that wait behind it. Rejects with NotToResume. */
export class ResumePartition extends Command<PartitionOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projection: string,
    readonly partition: string,
  ) {
    super();
  }
}

/** Tries everything again that is set aside, and the event at which this process has stopped. Rejects with NotToResume. */
export class ResumeProjection extends Command<Position> {
  constructor(
    readonly context: CommandContext,
    readonly projection: string,
  ) {
    super();
  }
}

/** Takes the failing event of a partition out of the log for this projection, for good, then resumes. Rejects with NotToResume. */
export class SkipEvent extends Command<PartitionOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projection: string,
    readonly partition: string,
    readonly reason: string,
  ) {
    super();
  }
}

/** `position`: of the event that says who asked for it. */
export type RequestedJob = Readonly<{ id: string; position: Position }>;

/** Begins a rebuild or verification, or finds the one that this request began before. Rejects with ProjectionBusy. */
export class RequestProjectionJob extends Command<RequestedJob> {
  constructor(
    readonly context: CommandContext,
    readonly kind: ProjectionJob,
    readonly projection: string,
  ) {
    super();
  }
}

@CommandHandler(ResumePartition)
class ResumePartitionHandler implements ICommandHandler<ResumePartition> {
  constructor(private readonly partitions: PartitionOperator) {}

  execute({ context, projection, partition }: ResumePartition): Promise<PartitionOutcome> {
    return this.partitions.resume(projection, partition, context);
  }
}

@CommandHandler(ResumeProjection)
class ResumeProjectionHandler implements ICommandHandler<ResumeProjection> {
  constructor(private readonly partitions: PartitionOperator) {}

  execute({ context, projection }: ResumeProjection): Promise<Position> {
    return this.partitions.resumeAll(projection, context);
  }
}

@CommandHandler(SkipEvent)
class SkipEventHandler implements ICommandHandler<SkipEvent> {
  constructor(private readonly partitions: PartitionOperator) {}

  execute({ context, projection, partition, reason }: SkipEvent): Promise<PartitionOutcome> {
    return this.partitions.skip(projection, partition, reason, context);
  }
}

@CommandHandler(RequestProjectionJob)
class RequestProjectionJobHandler implements ICommandHandler<RequestProjectionJob> {
  constructor(private readonly projectionJobs: ProjectionJobs) {}

  execute({ context, kind, projection }: RequestProjectionJob): Promise<RequestedJob> {
    return this.projectionJobs.request(kind, projection, context);
  }
}

export const projectionHandlers = [ResumePartitionHandler, ResumeProjectionHandler, SkipEventHandler, RequestProjectionJobHandler];
