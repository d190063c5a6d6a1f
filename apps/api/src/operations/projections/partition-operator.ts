import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { executeOn } from '#api/runtime/projection-commands.js';
import { ALL_PARTITIONS, type ProjectionCommand } from '#domain/operations/projection-operations.js';
import { causeOf, reactionTo } from '#domain/shared/causation.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { JobUnderWay } from '#infra/engine/jobs/job.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { exclusiveFor, REBUILD, type SkipAlike } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { SetAside, type SetAsideGroup } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { underWay } from './projection-jobs.js';

type OperatorParts = Readonly<{
  processor: Pick<StreamProcessor, 'execute'>;
  jobs: Jobs;
  readModels: ReadModels;
  /** Keeps the documents of the past if those of `readModels` are elsewhere. */
  keeper?: ReadModels | undefined;
}>;

/** A partition that is set aside in the served documents, in this node's history, or in both. */
export type KeptGroup = Readonly<{
  id: string;
  served: SetAsideGroup | undefined;
  history: SetAsideGroup | undefined;
  /** Whether each of them is being rebuilt, which tries the events again. */
  isRebuilding: Readonly<{ served: boolean; history: boolean }>;
}>;

/** The message says why: nothing is set aside, or a retry is already running. */
export class NotToResume extends Error {
  override readonly name = 'NotToResume';
}

const notNow = (kind: string, projection: string) =>
  new NotToResume(`a ${kind} of ${projection} is under way: try again once it has ended`);

const notSetAside = (projection: string, partition?: string) =>
  new NotToResume(partition === undefined ? `nothing of ${projection} is paused` : `${partition} of ${projection} is not paused`);

/**
 * Longest waits of an answer, in milliseconds: until the request is taken, which is immediate if a node keeps the documents up to date, and for the
 * outcome; and the interval of its checks.
 */
const PATIENCE = { taken: 10_000, outcome: 2_000, between: 25 };

/** State of a partition after a call. Without a group it is not set aside any more. `position`: of the last event of the call. */
export type PartitionOutcome = Readonly<{ partition: string; group: KeptGroup | undefined; position: Position }>;

const partsOf = ({ served, history }: Pick<KeptGroup, 'served' | 'history'>): readonly SetAsideGroup[] =>
  [served, history].flatMap((group) => group ?? []);

/** An event to skip. `all`: and later ones of the partition that fail for the same reason. */
export type Skip = Readonly<{ reason: string; all?: boolean | undefined }>;

/**
 * Records calls of operators on partitions that are set aside. Each call is an event with its caller, and a rebuild, which tries the failing
 * events of all partitions again. A repeat with the same `Idempotency-Key` does no harm, even after a success.
 */
export class PartitionOperator {
  constructor(private readonly parts: OperatorParts) {}

  /** Retries the events of a partition; default: of all that are set aside. Waits a moment for the outcome. @throws NotToResume */
  async resume(projection: string, partition: string | undefined, context: CommandContext): Promise<PartitionOutcome> {
    const isPaused = partition === undefined ? (await this.groups(projection)).length > 0 : await this.group(projection, partition);
    const refusal = isPaused ? await this.busy(projection) : notSetAside(projection, partition);
    const command = { type: 'RequestResume', projection, partition: partition ?? ALL_PARTITIONS, rebuildId: randomUUID() } as const;
    return this.outcome(projection, partition ?? ALL_PARTITIONS, await this.record(refusal ?? command, projection, context));
  }

  /**
   * Skips the failing event in this projection, then resumes as {@link resume} does; or resumes with a rebuild that leaves out all that fail
   * alike, and records them before it is served. @throws NotToResume
   */
  async skip(projection: string, partition: string, { reason, all = false }: Skip, context: CommandContext): Promise<PartitionOutcome> {
    const kept = await this.group(projection, partition);
    const group = kept?.served ?? kept?.history;
    const refusal = group ? await this.busy(projection) : notSetAside(projection, partition);
    const { eventId = '', position = 0n, type: eventType = '', message = '' } = group?.failure ?? {};
    const request = { projection, partition, rebuildId: randomUUID() };
    const alike = all && kept?.served && { partition, partitions: [...kept.served.partitions.keys()], message, reason };
    const command: ProjectionCommand = alike
      ? { type: 'RequestResume', ...request }
      : { type: 'SkipEvent', ...request, eventId, position: `${position}`, eventType, reason };
    return this.outcome(projection, partition, await this.record(refusal ?? command, projection, context, alike || undefined));
  }

  /** All partitions of the projection that are set aside, the earliest failure first. */
  async groups(projection: string): Promise<readonly KeptGroup[]> {
    const { served, history, isRebuilding } = await this.kept(projection);
    const ofServed = [...served.groups.values()].map((group) => ({
      id: group.id,
      served: group,
      history: history.find(group.id),
      isRebuilding,
    }));
    const others = [...history.groups.values()].filter(({ id }) => !served.find(id));
    const all = [...ofServed, ...others.map((group) => ({ id: group.id, served: undefined, history: group, isRebuilding }))];
    const failedAt = (kept: KeptGroup): Position => partsOf(kept)[0]?.failure.position ?? 0n;
    return all.sort((one, other) => (failedAt(one) < failedAt(other) ? -1 : 1));
  }

  private async group(projection: string, partition: string): Promise<KeptGroup | undefined> {
    const { served, history, isRebuilding } = await this.kept(projection);
    const group = { id: partition, served: served.find(partition), history: history.find(partition), isRebuilding };
    return partsOf(group).length > 0 ? group : undefined;
  }

  /** Whether it is rebuilt is read first: if a rebuild ends meanwhile, the partitions are those after it. */
  private async kept(projection: string) {
    const { readModels, keeper } = this.parts;
    const isRebuilding = {
      served: (await underWay(this.parts, projection))?.kind === REBUILD,
      history: (await keeper?.isRebuilding(projection)) ?? false,
    };
    const [served, history = SetAside.NONE] = await Promise.all([
      readModels.storedSetAside(projection),
      keeper?.storedSetAside(projection),
    ]);
    return { served, history, isRebuilding };
  }

  private async busy(projection: string): Promise<NotToResume | undefined> {
    const other = await underWay(this.parts, projection);
    return other ? notNow(other.kind, projection) : undefined;
  }

  private get keepers(): readonly ReadModels[] {
    const { readModels, keeper } = this.parts;
    return keeper ? [readModels, keeper] : [readModels];
  }

  /** Records the request and begins its rebuild. If the call is refused: the result of the first call with this key. @throws NotToResume */
  private async record(
    request: ProjectionCommand | NotToResume,
    projection: string,
    context: CommandContext,
    alike?: Omit<SkipAlike, 'caller'>,
  ): Promise<Position> {
    const isRefused = request instanceof NotToResume;
    const command = isRefused ? ({ type: 'LookUp', projection } as const) : request;
    const { events, position, repeated } = await executeOn(this.parts.processor, projection, command, context);
    if (isRefused && !repeated) throw request;
    for (const { id, data, metadata } of events) {
      if (!('rebuildId' in data) || data.rebuildId === undefined) continue;
      const { time, actor, service } = metadata;
      const caller = { time, actor, service, requestId: randomUUID(), ...reactionTo(causeOf({ id, metadata })) };
      await this.rebuild(projection, data.rebuildId, alike && { ...alike, caller });
    }
    return position;
  }

  /** Begins the rebuild unless it was begun before. If another job has begun at this moment, the partition may stay paused. */
  private async rebuild(projection: string, id: string, skip: SkipAlike | undefined): Promise<void> {
    try {
      await this.parts.jobs.begin(REBUILD, id, { projection, ...(skip && { skip }) }, { exclusive: exclusiveFor(projection) });
    } catch (error) {
      if (!(error instanceof JobUnderWay)) throw error;
    }
  }

  private async outcome(projection: string, partition: string, position: Position): Promise<PartitionOutcome> {
    await this.settled(projection, position);
    return { partition, group: await this.group(projection, partition), position };
  }

  /** Waits a while until the request at the position is taken, and no rebuild runs. */
  private async settled(projection: string, position: Position): Promise<void> {
    await Promise.all(this.keepers.map((models) => models.requestsTaken(position, PATIENCE.taken)));
    await this.until(async () => {
      const { isRebuilding } = await this.kept(projection);
      return !isRebuilding.served && !isRebuilding.history;
    }, PATIENCE.outcome);
  }

  private async until(isSo: () => Promise<boolean>, longestMs: number): Promise<void> {
    for (const end = performance.now() + longestMs; !(await isSo()) && performance.now() < end; ) await sleep(PATIENCE.between);
  }
}
