import { setTimeout as sleep } from 'node:timers/promises';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { type Continuation, type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { PAGE_EVENTS } from '#infra/engine/followers/shared-log.js';
import type { DecodeEvents } from '#infra/engine/projection-runner/apply-batch.js';
import type { EventFailed } from '#infra/engine/projection-runner/failure.js';
import { readSkipped } from '#infra/engine/projection-runner/set-aside/skipped-events.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { isOutage } from '#infra/platform/coordination/outage.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import type { ProjectedEvent, Projection } from '#projections/shared/projection.js';
import { ALWAYS_READ, Builds } from './builds.js';
import { MOST_CHARACTERS } from './event-changes.js';
import type { HistoryFiles } from './files.js';
import { ProjectionRecording, type RecordingStep } from './projection-recording.js';
import type { ProjectionRow } from './projection-row.js';
import { VersionWriter } from './version-writer.js';

export type RecorderOptions = Readonly<{
  events: EventStore;
  decode: DecodeEvents;
  projections: readonly Projection[];
  expiring: readonly string[];
  sealed: SealedDocuments;
  files: HistoryFiles;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  now: () => number;
  /** Told whenever it has come further, or something else has changed. */
  changed: () => void;
}>;

/**
 * Follows the log once for all projections and records what it does to their documents. Projections that are behind the others, because they are
 * recorded anew, catch up beside them, and join them when they are level.
 */
export class Recorder {
  private readonly filter: ReturnType<typeof parseFilter>;
  private readonly turns = new Turnstile(1);
  private readonly builds: Builds;
  private recordings: readonly ProjectionRecording[] = [];
  private following: Following | undefined;
  /** Follows the log for the projections that are behind. */
  private behindThem: Following | undefined;
  private isAtHead = false;
  private waitsFor: string | null = null;

  constructor(private readonly options: RecorderOptions) {
    this.builds = new Builds(options.files, options.expiring);
    this.filter = parseFilter([...ALWAYS_READ, ...options.projections.flatMap(({ categories }) => categories)]);
  }

  start(): void {
    this.following ??= followLog({
      events: this.options.events,
      subscription: { maxBatch: PAGE_EVENTS },
      interruptedBy: 'reads',
      begin: () => this.begin(),
      trouble: (error, failures) => {
        this.waitsFor = isOutage(error) ? 'the history waits for a store' : 'the history cannot be recorded';
        this.options.log[isOutage(error) ? 'warn' : 'error']({ err: error, failures }, this.waitsFor);
        this.options.changed();
      },
    });
  }

  /** Ends between two commits. */
  async stop(): Promise<void> {
    await this.following?.stop();
    await this.behindThem?.stop();
  }

  get states(): readonly ProjectionRecording[] {
    return this.recordings;
  }

  get isLive(): boolean {
    return this.isAtHead && this.behind().length === 0;
  }

  /** Why it does not go on now; null: it does. */
  get trouble(): string | null {
    return this.waitsFor;
  }

  private async begin(): Promise<Continuation> {
    await this.behindThem?.stop();
    await this.open();
    this.behindThem = this.catchUp();
    return { after: BigInt(this.front), take: (batch) => this.turns.within('', () => this.take(batch)) };
  }

  private async open(): Promise<void> {
    const { events, files, projections, sealed, expiring, now, log } = this.options;
    if (!(await this.builds.isOfThisLog(events))) {
      log.warn({}, 'the history comes from another log than this one, and is recorded anew');
      await this.builds.discardAll();
    }
    const rows = await this.builds.open(projections, Number(await events.head()));
    const writer = new VersionWriter(files);
    const failed = (projection: string, partition: string | null, failure: EventFailed): void =>
      log.error(
        { projection, partition, event: failure.event.id, type: failure.event.type, err: failure },
        'the history leaves out an event',
      );
    const dependencies = { files, writer, sealed, expiring, now, failed };
    const recordings: ProjectionRecording[] = [];
    for (const projection of projections) {
      const row = rows.get(projection.name);
      if (!row) continue;
      recordings.push(await ProjectionRecording.open(dependencies, projection, row, await readSkipped(events, projection.name)));
    }
    this.recordings = recordings;
    this.waitsFor = null;
    this.isAtHead = false;
  }

  /** Those that are recorded, without those that have failed. */
  private going(): readonly ProjectionRecording[] {
    return this.recordings.filter(({ row }) => !row.failure);
  }

  private get front(): number {
    return Math.max(0, ...this.going().map(({ position }) => position));
  }

  private behind(): readonly ProjectionRecording[] {
    const { front } = this;
    return this.going().filter(({ position }) => position < front);
  }

  private async take({ events, position, caughtUp }: EventBatch): Promise<void> {
    const { front } = this;
    const level = this.going().filter((one) => one.position === front);
    await this.record(level, events, Number(position));
    this.isAtHead = caughtUp;
    this.options.changed();
  }

  /** Removes what is not wanted any more, then brings projections that are behind to where the others are. */
  private catchUp(): Following {
    const { events, log, changed } = this.options;
    const following = followLog({
      events,
      subscription: { maxBatch: PAGE_EVENTS },
      interruptedBy: 'reads',
      begin: async (signal) => {
        while (!signal.aborted && (await this.builds.removeSome())) await sleep(5);
        const after = Math.min(this.front, ...this.behind().map(({ position }) => position));
        return { after: BigInt(after), take: (batch) => this.turns.within('', () => take(batch)) };
      },
      trouble: (error) => log.warn({ err: error }, 'a part of the history cannot catch up now'),
    });
    const take = async ({ events: found, position }: EventBatch): Promise<void> => {
      const end = Math.min(Number(position), this.front);
      const behind = this.behind().filter((one) => one.position < end);
      if (behind.length > 0) {
        const upToEnd = found.filter((event) => Number(event.position) <= end);
        await this.record(behind, upToEnd, end);
        changed();
      }
      if (this.behind().length === 0) void following.stop();
    };
    return following;
  }

  /** In one transaction, as far as it fits into memory: pages that projections share are written once. */
  private async record(recordings: readonly ProjectionRecording[], found: readonly RecordedEvent[], position: number): Promise<void> {
    const { files } = this.options;
    const events = found.filter(({ stream }) => passes(this.filter, categoryOf(stream)));
    const decode = await this.decodedOnce(events);
    const rows = new Map(recordings.map((recording) => [recording, recording.row]));
    let steps: RecordingStep[] = [];
    const store = async (more: () => void): Promise<void> => {
      await files.write(() => {
        for (const step of steps) rows.set(step.recording, step.store());
        more();
      });
      for (const step of steps) step.stored(rows.get(step.recording) ?? step.recording.row);
      steps = [];
    };
    for (const recording of recordings) {
      for (let left = recording.unrecorded(events); left.length > 0; ) {
        const step = await recording.step(left, decode);
        steps.push(step);
        left = step.rest;
        await nextTurn(); // the chain is not to be late because of it
        if (left.length > 0 || steps.reduce((sum, { characters }) => sum + characters, 0) >= MOST_CHARACTERS) await store(() => undefined);
      }
    }
    await store(() => {
      for (const [recording, row] of rows) if (!row.failure && row.position < position) rows.set(recording, { ...row, position });
      this.storePositions(rows);
      this.builds.remember(events);
    });
    for (const [recording, row] of rows) recording.stand(row);
  }

  /** Only inside a transaction. One row tells where most of them are. */
  private storePositions(changed: ReadonlyMap<ProjectionRecording, ProjectionRow>): void {
    const rows = new Map(this.recordings.map((recording) => [recording, changed.get(recording) ?? recording.row]));
    const going = [...rows.values()].filter(({ failure }) => !failure);
    const front = Math.max(0, ...going.map(({ position }) => position));
    const level = going.filter(({ position }) => position === front);
    if ([...changed.values()].some((row) => level.includes(row))) {
      const builds = level.map(({ build }) => build);
      this.builds.storeFront(front, builds);
    } else for (const [{ projection }, row] of changed) this.builds.store(projection.name, row);
  }

  /** Events that several projections read are decoded once. */
  private async decodedOnce(events: readonly RecordedEvent[]): Promise<DecodeEvents> {
    const { decode } = this.options;
    if (events.length === 0) return decode;
    try {
      const decoded = await decode(events);
      const byEvent = new Map(events.map((event, index) => [event, decoded[index] as ProjectedEvent]));
      return (wanted) => wanted.map((event) => byEvent.get(event) as ProjectedEvent);
    } catch (error) {
      if (isOutage(error)) throw error;
      return decode; // each is decoded alone then, to find the one that cannot be
    }
  }
}
