import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedLog } from '#domain/shared/damaged-log.js';
import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { StepOutcome } from '#infra/engine/projection-runner/apply-batch.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { describeFailure, EventFailed } from '#infra/engine/projection-runner/failure.js';
import { foldEvents } from '#infra/engine/projection-runner/fold.js';
import { type ContestedWrite, WorkingSet } from '#infra/engine/projection-runner/working-set.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { refuseUnlessOutage, StepRefused } from '#infra/platform/program/outage.js';
import { MAX_KEY_BYTES } from '#infra/stores/read-store/keys.js';
import type { Projection } from '#projections/shared/projection.js';
import { type Change, MarksConflict, type ReadView } from '#projections/shared/read-store.js';
import { type SetAside, type SetAsideGroup, waitsIn } from './set-aside.js';
import { type LastWrites, readLastWrites } from './set-aside-documents.js';
import type { KnownSetAside, SetAsideTracker } from './set-aside-tracker.js';
import { readSkipped } from './skipped-events.js';

/** Events per step: few enough not to delay the projector's batches. */
const STEP_EVENTS = 500;

/** Dependencies on the projector that runs concurrently. */
type ResumptionHost = Readonly<{
  dependencies: RunnerDependencies;
  projection: Projection;
  documents: ReadView;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  signal: AbortSignal;
  /** Runs the work while no batch is being applied. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Position up to which everything is applied or held back. */
  processed(): Position;
  /** Commits without moving the checkpoint. @throws CheckpointConflict, MarksConflict, NamespaceGone */
  commit(outcome: StepOutcome, known: KnownSetAside): Promise<void>;
  reload(): Promise<void>;
}>;

type Placed = Readonly<{ changes: readonly Change[]; contested: readonly ContestedWrite[] }>;

const NOTHING: Placed = { changes: [], contested: [] };

/** The waiting events of a group in a part of the log. */
type Stretch = Readonly<{ group: SetAsideGroup; page: EventBatch; waiting: readonly RecordedEvent[] }>;

/**
 * Resumes set-aside partitions on request of an operator, as recorded in the log: retries the failed event, then the events waiting
 * behind it, in steps that alternate with the projector's batches. Each step is committed with its progress. A partition is resumed once the steps have reached the projector. A
 * failing event sets it aside again from there.
 */
export class Resumption {
  /** Read again at the beginning of each resumption. */
  private skipped: ReadonlySet<string> = new Set();
  private group: string | null = null;
  /** Maximum events per step. It is halved repeatedly to find an event whose step is refused. */
  private most = Number.POSITIVE_INFINITY;

  constructor(private readonly host: ResumptionHost) {}

  /** Returns on the signal. @throws NamespaceGone, CheckpointConflict */
  async run(): Promise<void> {
    const { tracker, signal } = this.host;
    for (;;) {
      await tracker.until(() => tracker.known.setAside.resuming !== undefined || tracker.requested.length > 0, signal);
      if (signal.aborted) return;
      try {
        await this.host.exclusively(() => this.step());
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof DamagedLog)
          await sleep(this.host.dependencies.timing.longestRetryMs, undefined, { signal }).catch(() => undefined); // waiting does not help
        else if (error instanceof MarksConflict) await this.host.reload();
        else throw error;
      }
      await nextTurn();
    }
  }

  private async step(): Promise<void> {
    const { tracker, dependencies, projection, retry } = this.host;
    const { known, requested } = tracker;
    if (requested.length > 0) return await this.begin(requested, known);
    const group = known.setAside.resuming;
    if (!group) return;
    if (this.group !== group.id) {
      this.skipped = await retry.retryUntilAvailable(() => readSkipped(dependencies.events, projection.name));
      this.group = group.id;
    }
    const { categories } = projection;
    const page = await retry.retryUntilAvailable(() => dependencies.events.readAll({ after: group.after, categories, limit: STEP_EVENTS }));
    const stretch = this.stretchOf(group, page);
    try {
      await this.take(stretch, known);
      this.most = Number.POSITIVE_INFINITY;
    } catch (error) {
      const [first] = stretch.waiting;
      if (!(error instanceof StepRefused) || !first) throw error;
      this.most = Math.floor(stretch.waiting.length / 2);
      if (this.most === 0) await this.end(stretch, known, new EventFailed(first, error.cause));
    }
  }

  private async begin(requested: readonly SetAsideGroup[], known: KnownSetAside): Promise<void> {
    this.group = null; // the request may be a skip
    const setAside = requested.reduce((state, group) => state.with(group), known.setAside);
    await this.host.commit({ ...NOTHING, setAside }, known);
  }

  private async take(stretch: Stretch, known: KnownSetAside): Promise<void> {
    const { set, failure } = await this.fold(stretch);
    const writes = set.contestedWrites(this.host.projection.partitions?.contested ?? []);
    await this.end(stretch, known, failure, await this.placed(set.changes(), writes));
  }

  private async end({ group, ...rest }: Stretch, known: KnownSetAside, failure: EventFailed | null, done: Placed = NOTHING): Promise<void> {
    const setAside = this.after(known.setAside, { group, ...rest }, failure);
    await this.host.commit({ ...done, setAside }, known);
    this.tell(group, setAside, failure);
  }

  /** The part of the page to retry in one step. */
  private stretchOf(group: SetAsideGroup, page: EventBatch): Stretch {
    const all = this.waitingIn(group, page);
    const waiting = all.slice(0, Math.max(1, Math.min(all.length, this.most)));
    const last = waiting.at(-1);
    return last && waiting.length < all.length
      ? { group, page: { ...page, position: last.position, caughtUp: false }, waiting }
      : { group, page, waiting };
  }

  private waitingIn(group: SetAsideGroup, { events }: EventBatch): readonly RecordedEvent[] {
    const { partitions } = this.host.projection;
    const processed = this.host.processed();
    return partitions ? events.filter((event) => event.position <= processed && waitsIn(group, partitions, event)) : [];
  }

  private async fold({ waiting }: Stretch): Promise<Readonly<{ set: WorkingSet; failure: EventFailed | null }>> {
    const { dependencies, projection, documents, retry } = this.host;
    const events = waiting.filter(({ id }) => !this.skipped.has(id));
    return retry.retryUntilAvailable(async () => {
      const set = new WorkingSet(projection, 'eager');
      return { set, failure: await foldEvents(projection, dependencies.decode, documents, set, events).catch(refuseUnlessOutage) };
    });
  }

  /** The set-aside state after the stretch is applied. */
  private after(before: SetAside, { group, page, waiting }: Stretch, failure: EventFailed | null): SetAside {
    if (failure) {
      const { position } = failure.event;
      const after = page.events.findLast((event) => event.position < position)?.position ?? group.after;
      const left = group.waiting - waiting.filter((event) => event.position < position).length;
      const described = describeFailure(failure, this.host.dependencies.now());
      return before.with({ ...moved(group, position, left), after, failure: described, resuming: false });
    }
    if (page.caughtUp || page.position >= this.host.processed()) return before.without(group.id);
    return before.with({ ...moved(group, page.position + 1n, group.waiting - waiting.length), after: page.position });
  }

  /**
   * Removes writes that would undo later writes by other partitions to contested keys: those were made while the partition was set aside,
   * although they come later in the log.
   */
  private async placed(changes: readonly Change[], writes: readonly ContestedWrite[]): Promise<Placed> {
    if (writes.length === 0) return { changes, contested: [] };
    const { documents, retry } = this.host;
    return retry.retryUntilAvailable(async () => {
      const under = await keysUnder(documents, writes);
      const lastWrites = await readLastWrites(documents, [...under, ...writes.flatMap((write) => ('key' in write ? write : []))]);
      return placed(changes, writes, under, lastWrites);
    });
  }

  private tell(group: SetAsideGroup, after: SetAside, failure: EventFailed | null): void {
    const { log } = this.host.dependencies;
    const facts = { projection: this.host.projection.name, partition: group.id };
    if (failure) {
      const { position, id, type } = failure.event;
      log.error(
        { ...facts, position: `${position}`, eventId: id, type, err: failure.cause },
        'partition stays set aside at an event that fails',
      );
    } else if (!after.groups.has(group.id)) log.info(facts, 'partition is served again');
    if (!after.groups.get(group.id)?.resuming) this.group = null;
  }
}

/** Records that events before the position no longer wait. */
const moved = (group: SetAsideGroup, position: Position, waiting: number): SetAsideGroup => ({
  ...group,
  partitions: new Map(Array.from(group.partitions, ([partition, from]) => [partition, from > position ? from : position])),
  waiting: Math.max(1, waiting),
});

/** Upper bound for keys with a prefix: a key has no space for more characters, and none is greater. Each takes 4 bytes. */
const HIGHEST_SUFFIX = '\u{10ffff}'.repeat(MAX_KEY_BYTES / 4);

type PlacedKey = Readonly<{ collection: string; key: string; prefix: string; position: Position }>;

/** Existing keys under the prefixes to remove. */
const keysUnder = async (documents: ReadView, writes: readonly ContestedWrite[]): Promise<readonly PlacedKey[]> => {
  const found: PlacedKey[] = [];
  for (const write of writes) {
    if (!('prefix' in write)) continue;
    const { collection, prefix, position } = write;
    const range = prefix === '' ? {} : { gte: prefix, lte: `${prefix}${HIGHEST_SUFFIX}` };
    for (const { key } of await documents.range(collection, range)) found.push({ collection, key, prefix, position });
  }
  return found;
};

const idOf = (collection: string, key: string): string => `${collection}\0${key}`;

const placed = (
  changes: readonly Change[],
  writes: readonly ContestedWrite[],
  under: readonly PlacedKey[],
  lastWrites: LastWrites,
): Placed => {
  const contested = new Set(writes.map(({ collection }) => collection));
  const positions = new Map(writes.flatMap((write) => ('key' in write ? [[idOf(write.collection, write.key), write.position]] : [])));
  const isLate = (collection: string, key: string, position: Position): boolean => lastWrites(collection, key) > position;
  const removals = under
    .filter(({ collection, key, position }) => !isLate(collection, key, position))
    .map(({ collection, key }): Change => ({ kind: 'delete', collection, key }));
  const others = changes.filter((change) => {
    if (!contested.has(change.collection)) return true;
    if (change.kind === 'delete-prefix') return false;
    return !isLate(change.collection, change.key, positions.get(idOf(change.collection, change.key)) ?? 0n);
  });
  const made = writes.filter((write) => !isLate(write.collection, 'key' in write ? write.key : write.prefix, write.position));
  return { changes: [...removals, ...others], contested: made };
};
