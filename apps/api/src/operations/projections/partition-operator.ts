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

/** Nothing of it is set aside or stopped, or it is being tried again already. */
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

/** In events: all partitions. */
const ALL = '*';

/** How long an answer waits for the outcome, and how often it looks: milliseconds. */
const PATIENCE = { atMost: 2_000, between: 25 };

/** How a partition is after a call. Without a group it is not set aside any more. `position`: of the last event of the call. */
export type PartitionOutcome = Readonly<{ partition: string; group: SetAsideGroup | undefined; position: Position }>;

/**
 * What operators do to partitions that are set aside. Each call is an event, with who made it; one with the `Idempotency-Key` of another does
 * no harm, also after that has succeeded.
 */
export class PartitionOperator {
  constructor(private readonly parts: OperatorParts) {}

  /** The events of the partition are tried again. Waits a moment for the outcome. @throws NotToResume */
  async resume(projection: string, partition: string, context: CommandContext): Promise<PartitionOutcome> {
    const group = await this.group(projection, partition);
    const position = await this.record(group ? { type: 'RequestResume', projection, partition } : undefined, projection, context);
    return this.outcome(projection, partition, position);
  }

  /** Tries everything again that is set aside, and the event at which this process has stopped. @throws NotToResume */
  async resumeAll(projection: string, context: CommandContext): Promise<Position> {
    const { readModels } = this.parts;
    const isHeldUp = readModels.state(projection) === 'stopped' || (await this.groups(projection)).length > 0;
    const command = { type: 'RequestResume', projection, partition: ALL } as const;
    const position = await this.record(isHeldUp ? command : undefined, projection, context);
    readModels.resume(projection);
    await readModels.resumePartition(projection);
    return position;
  }

  /** The event that fails is taken out of the log for this projection; then likewise. @throws NotToResume */
  async skip(projection: string, partition: string, reason: string, context: CommandContext): Promise<PartitionOutcome> {
    const group = await this.group(projection, partition);
    const { eventId, position: at, type: eventType } = group?.failure ?? {};
    const isFailing = group !== undefined && !group.resuming && eventId !== undefined && eventType !== undefined;
    const command = isFailing
      ? ({ type: 'SkipEvent', projection, partition, eventId, position: `${at}`, eventType, reason } as const)
      : undefined;
    const position = await this.record(command, projection, context);
    return this.outcome(projection, partition, position);
  }

  /** Notes who asked for a rebuild or verification. Without an id: nothing, unless the call is repeated, whose job is returned then. */
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

  /** Everything that is set aside in the projection. */
  async groups(projection: string): Promise<readonly SetAsideGroup[]> {
    const status = await this.parts.readModels.status(projection);
    return [...(status?.setAside.groups.values() ?? [])].sort((one, other) => (one.failure.position < other.failure.position ? -1 : 1));
  }

  private async group(projection: string, partition: string): Promise<SetAsideGroup | undefined> {
    return (await this.parts.readModels.status(projection))?.setAside.find(partition);
  }

  /** Without a command: whatever the call led to when it came first. @throws NotToResume */
  private async record(command: ProjectionCommand | undefined, projection: string, context: CommandContext): Promise<Position> {
    const { position, repeated } = await this.execute(projection, command ?? { type: 'LookUp', projection }, context);
    if (!command && !repeated) throw new NotToResume(`${projection}: there is nothing to resume, or it is being tried again`);
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
