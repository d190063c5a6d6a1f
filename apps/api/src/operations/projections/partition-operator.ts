import { setTimeout as sleep } from 'node:timers/promises';
import {
  ALL_PARTITIONS,
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

type OperatorParts = Readonly<{
  processor: Pick<StreamProcessor, 'execute'>;
  readModels: ReadModels;
  /** Keeps the documents of the past if those of `readModels` are elsewhere. */
  keeper?: ReadModels | undefined;
}>;

/** A partition that is set aside in the served documents, in this node's history, or in both. */
export type KeptGroup = Readonly<{ id: string; served: SetAsideGroup | undefined; history: SetAsideGroup | undefined }>;

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

const notSetAside = (projection: string, partition: string) => new NotToResume(`${partition} of ${projection} is not paused`);

const skipOf = (projection: string, partition: string, reason: string, kept: KeptGroup | undefined): ProjectionCommand | NotToResume => {
  const group = kept?.served ?? kept?.history;
  if (!group) return notSetAside(projection, partition);
  if (group.resuming) return new NotToResume(`${partition} of ${projection} is resuming: an event can be skipped once it is paused again`);
  const { eventId, position, type: eventType } = group.failure;
  return { type: 'SkipEvent', projection, partition, eventId, position: `${position}`, eventType, reason };
};

/**
 * Longest waits of an answer, in milliseconds: until the request is taken, which is immediate if a node keeps the documents up to date, and for the
 * outcome; and the interval of its checks.
 */
const PATIENCE = { taken: 10_000, outcome: 2_000, between: 25 };

/** State of a partition after a call. Without a group it is not set aside any more. `position`: of the last event of the call. */
export type PartitionOutcome = Readonly<{ partition: string; group: KeptGroup | undefined; position: Position }>;

const partsOf = ({ served, history }: KeptGroup): readonly SetAsideGroup[] => [served, history].flatMap((group) => group ?? []);

/** Returns whether a request at the position is not taken yet. */
const isWaiting = (kept: KeptGroup, position: Position): boolean => partsOf(kept).some(({ asked = 0n }) => asked < position);
const isResuming = (kept: KeptGroup): boolean => partsOf(kept).some(({ resuming }) => resuming);

/**
 * Records calls of operators on partitions that are set aside. Each call is an event with its caller, which every process that keeps documents
 * carries out. A repeat with the same `Idempotency-Key` does no harm, even after a success.
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

  /** Retries all partitions that are set aside, and events at which processes have stopped. @throws NotToResume */
  async resumeAll(projection: string, context: CommandContext): Promise<Position> {
    const isHeldUp = (await this.isStopped(projection)) || (await this.groups(projection)).length > 0;
    const command = { type: 'RequestResume', projection, partition: ALL_PARTITIONS } as const;
    const position = await this.record(
      isHeldUp ? command : new NotToResume(`nothing of ${projection} is paused or stopped`),
      projection,
      context,
    );
    await Promise.all(this.keepers.map((models) => models.requestsTaken(position, PATIENCE.taken)));
    await this.until(async () => !(await this.groups(projection)).some((kept) => isWaiting(kept, position)), PATIENCE.taken);
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

  /** All partitions of the projection that are set aside, the earliest failure first. */
  async groups(projection: string): Promise<readonly KeptGroup[]> {
    const { readModels, keeper } = this.parts;
    const [served, history] = await Promise.all([readModels.storedSetAside(projection), keeper?.storedSetAside(projection)]);
    const ofServed = [...served.groups.values()].map((group) => ({ id: group.id, served: group, history: history?.find(group.id) }));
    const others = [...(history?.groups.values() ?? [])].filter(({ id }) => !served.find(id));
    const all = [...ofServed, ...others.map((group) => ({ id: group.id, served: undefined, history: group }))];
    const failedAt = (kept: KeptGroup): Position => partsOf(kept)[0]?.failure.position ?? 0n;
    return all.sort((one, other) => (failedAt(one) < failedAt(other) ? -1 : 1));
  }

  private async group(projection: string, partition: string): Promise<KeptGroup | undefined> {
    const { readModels, keeper } = this.parts;
    const [served, history] = await Promise.all([readModels.storedSetAside(projection), keeper?.storedSetAside(projection)]);
    const group = { id: partition, served: served.find(partition), history: history?.find(partition) };
    return partsOf(group).length > 0 ? group : undefined;
  }

  /** Returns whether the projection has stopped, here or possibly at another node, where only its lag is known. */
  private async isStopped(projection: string): Promise<boolean> {
    if (this.keepers.some((models) => models.state(projection) === 'stopped')) return true;
    const status = await this.parts.readModels.status(projection);
    return status !== null && status.pace === null && status.lag.events > 0;
  }

  private get keepers(): readonly ReadModels[] {
    const { readModels, keeper } = this.parts;
    return keeper ? [readModels, keeper] : [readModels];
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
    let group: KeptGroup | undefined;
    const look = async (isOver: (kept: KeptGroup) => boolean): Promise<boolean> => {
      group = await this.group(projection, partition);
      return !group || isOver(group);
    };
    await this.until(() => look((kept) => !isWaiting(kept, position)), PATIENCE.taken);
    await this.until(() => look((kept) => !isResuming(kept)), PATIENCE.outcome);
    return { partition, group, position };
  }

  private async until(isSo: () => Promise<boolean>, longestMs: number): Promise<void> {
    for (const end = performance.now() + longestMs; !(await isSo()) && performance.now() < end; ) await sleep(PATIENCE.between);
  }
}
