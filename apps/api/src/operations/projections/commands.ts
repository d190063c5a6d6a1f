import { randomUUID } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Position } from '#domain/shared/events.js';
import { RebuildJobs } from '#infra/projection-runner/rebuild/rebuild-jobs.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { PartitionOperator, type PartitionOutcome } from './partition-operator.js';

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
export type RequestedRebuild = Readonly<{ id: string; position: Position }>;

/** Begins a rebuild, or finds the one that this request began before. Rejects with RebuildUnderWay. */
export class RequestRebuild extends Command<RequestedRebuild> {
  constructor(
    readonly context: CommandContext,
    readonly projection: string,
  ) {
    super();
  }
}

export class RebuildUnderWay extends Error {
  override readonly name = 'RebuildUnderWay';
  constructor(projection: string) {
    super(`a rebuild of ${projection} is under way`);
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

@CommandHandler(RequestRebuild)
class RequestRebuildHandler implements ICommandHandler<RequestRebuild> {
  constructor(
    private readonly jobs: RebuildJobs,
    private readonly operator: PartitionOperator,
  ) {}

  async execute({ context, projection }: RequestRebuild): Promise<RequestedRebuild> {
    const id = (await this.jobs.isUnderWay(projection)) ? undefined : randomUUID();
    const requested = await this.operator.requestRebuild(projection, id, context);
    if (!requested) throw new RebuildUnderWay(projection);
    await this.jobs.begin(projection, requested.id);
    return requested;
  }
}

export const projectionHandlers = [ResumePartitionHandler, ResumeProjectionHandler, SkipEventHandler, RequestRebuildHandler];
