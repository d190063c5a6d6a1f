import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ProjectionCommand,
  type ProjectionOperation,
  type ProjectionState,
  projectionOperation,
  streamOfProjection,
} from '#domain/operations/projection-operations.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext, Execution } from '#domain/shared/execution.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import type { SetAsideGroup } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { VERIFICATION } from '#infra/engine/projection-runner/verify/verification-kind.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

type OperatorParts = Readonly<{ processor: Pick<StreamProcessor, 'execute'>; readModels: ReadModels }>;

/** The message says why: nothing is set aside or stopped, or a retry is already running. */
export class NotToResume extends Error {
  override readonly name = 'NotToResume';
}

export type ProjectionJob = typeof REBUILD | typeof VERIFICATION;

const requestOf = (kind: ProjectionJob, projection: string, id: string | undefined): ProjectionCommand => {
  if (id === undefined) return { type: 'LookUp', projection };
  return kind === REBUILD
    ? { type: 'RequestRebuild', projection, rebuildId: id }
    : { type: 'RequestVerification', projection, verificationId: id };
};

const notSetAside = (projection: string, partition: string) => new NotToResume(`${partition} of ${projection} is not set aside`);

/** Means all partitions, in events. */
const ALL = '*';

const skipOf = (
  projection: string,
  partition: string,
  reason: string,
  group: SetAsideGroup | undefined,
): ProjectionCommand | NotToResume => {
  if (!group) return notSetAside(projection, partition);
  if (group.resuming)
    return new NotToResume(`${partition} of ${projection} is resuming: an event can be skipped once it is set aside again`);
  const { eventId, position, type: eventType } = group.failure;
  return { type: 'SkipEvent', projection, partition, eventId, position: `${position}`, eventType, reason };
};

/** Longest wait of an answer for the outcome, and the interval of its checks, in milliseconds. */
const PATIENCE = { atMost: 2_000, between: 25 };

/** State of a partition after a call. Without a group it is not set aside any more. `position`: of the last event of the call. */
export type PartitionOutcome = Readonly<{ partition: string; group: SetAsideGroup | undefined; position: Position }>;

/**
 * Executes calls of operators on partitions that are set aside. Each call is an event with its caller. A repeat with the same
 * `Idempotency-Key` does no harm, even after a success.
 */
export class PartitionOperator {
  constructor(private readonly parts: OperatorParts) {}

  /** Retries the events of the partition. Waits a moment for the outcome. @throws NotToResume */
  async resume(projection: string, partition: string, context: CommandContext): Promise<PartitionOutcome> {
    const group = await this.group(projection, partition);
    const request = group ? ({ type: 'RequestResume', projection, partition } as const) : notSetAside(projection, partition);
    const position = await this.record(request, projection, context);
    return this.outcome(projection, partition, position);
  }

  /** Retries all partitions that are set aside, and the event at which this process has stopped. @throws NotToResume */
  async resumeAll(projection: string, context: CommandContext): Promise<Position> {
    const { readModels } = this.parts;
    const isHeldUp = readModels.state(projection) === 'stopped' || (await this.groups(projection)).length > 0;
    const command = { type: 'RequestResume', projection, partition: ALL } as const;
    const position = await this.record(
      isHeldUp ? command : new NotToResume(`nothing of ${projection} is set aside or stopped`),
      projection,
      context,
    );
    readModels.resume(projection);
    await readModels.resumePartition(projection);
    return position;
  }

  /** Skips the failing event in this projection, then resumes as {@link resume} does. @throws NotToResume */
  async skip(projection: string, partition: string, reason: string, context: CommandContext): Promise<PartitionOutcome> {
    const group = await this.group(projection, partition);
    const position = await this.record(skipOf(projection, partition, reason, group), projection, context);
    return this.outcome(projection, partition, position);
  }

  /** Records a request for a rebuild or verification. Without an id it records nothing; for a repeated call it returns the earlier job. */
  async requestJob(
    kind: ProjectionJob,
    projection: string,
    id: string | undefined,
    context: CommandContext,
  ): Promise<Readonly<{ id: string; position: Position }> | undefined> {
    const { events, position } = await this.execute(projection, requestOf(kind, projection, id), context);
    for (const { type, data } of events) {
      if (kind === REBUILD && type === 'ProjectionRebuildRequested') return { id: data.rebuildId, position };
      if (kind === VERIFICATION && type === 'ProjectionVerificationRequested') return { id: data.verificationId, position };
    }
    return undefined;
  }

  /** All partitions of the projection that are set aside. */
  async groups(projection: string): Promise<readonly SetAsideGroup[]> {
    const { groups } = await this.parts.readModels.storedSetAside(projection);
    return [...groups.values()].sort((one, other) => (one.failure.position < other.failure.position ? -1 : 1));
  }

  private async group(projection: string, partition: string): Promise<SetAsideGroup | undefined> {
    return (await this.parts.readModels.storedSetAside(projection)).find(partition);
  }

  /** If the call is refused: the result of the first call with this key. @throws NotToResume */
  private async record(request: ProjectionCommand | NotToResume, projection: string, context: CommandContext): Promise<Position> {
    if (!(request instanceof NotToResume)) return (await this.execute(projection, request, context)).position;
    const { position, repeated } = await this.execute(projection, { type: 'LookUp', projection }, context);
    if (!repeated) throw request;
    return position;
  }

  private execute(projection: string, command: ProjectionCommand, context: CommandContext): Promise<Execution<ProjectionOperation>> {
    return this.parts.processor.execute<ProjectionState, ProjectionCommand, ProjectionOperation>({
      stream: streamOfProjection(projection),
      decider: projectionOperation,
      command,
      context,
    });
  }

  private async outcome(projection: string, partition: string, position: Position): Promise<PartitionOutcome> {
    await this.parts.readModels.resumePartition(projection, partition);
    const end = performance.now() + PATIENCE.atMost;
    let group = await this.group(projection, partition);
    while (group?.resuming && performance.now() < end) {
      await sleep(PATIENCE.between);
      group = await this.group(projection, partition);
    }
    return { partition, group, position };
  }
}
