import { setTimeout as sleep } from 'node:timers/promises';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { backOff } from '#infra/coordination/back-off.js';
import { isOutage } from '#infra/coordination/outage.js';
import { Gathering } from '#infra/followers/gathering.js';
import type { Logger } from '#infra/logging/logger.js';
import type { DecodeEvents } from '#infra/projection-runner/apply-batch.js';
import type { EventFailed } from '#infra/projection-runner/failure.js';
import { readSkipped } from '#infra/projection-runner/set-aside/skipped-events.js';
import type { SealedDocuments } from '#infra/read-store/sealed/sealed-documents.js';
import { Turnstile } from '#infra/scheduling/turnstile.js';
import type { ProjectedEvent, Projection } from '#projections/shared/projection.js';
import { ALWAYS_READ, Builds } from './builds.js';
import { MOST_CHARACTERS } from './event-changes.js';
import type { HistoryFiles } from './files.js';
import { ProjectionRecording, type RecordingStep } from './projection-recording.js';
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

const retryPauseMs = backOff(100, 5_000);
/** Events that are read and recorded in one step. More when the log is read from its beginning: documents are then written once for many events. */
const BATCH_EVENTS = 1_000;

/**
 * Follows the log once for all projections and records what it does to their documents. Projections that are behind the others, because they are
 * recorded anew, catch up beside them, and join them when they are level.
 */
export class Recorder {
  private readonly ending = new AbortController();
  private readonly turns = new Turnstile(1);
  private readonly builds: Builds;
  private recordings: readonly ProjectionRecording[] = [];
  private running: Promise<void> | undefined;
  private isAtHead = false;
  private lastRecordedAt = 0;
  private waitsFor: string | null = null;

  constructor(private readonly options: RecorderOptions) {
    this.builds = new Builds(options.files);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Ends between two commits. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
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

  /** Age in seconds of what was recorded last; 0 at the head of the log. */
  get lagSeconds(): number {
    return this.isLive || this.lastRecordedAt === 0 ? 0 : Math.max(0, (this.options.now() - this.lastRecordedAt) / 1_000);
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    const { events, log } = this.options;
    for (let failures = 0; !signal.aborted; ) {
      const interrupted = new AbortController();
      const release = events.onInterruption(() => interrupted.abort(), 'reads');
      try {
        await this.prepare();
        await this.follow(interrupted.signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        this.waitsFor = isOutage(error) ? 'the history waits for a store' : 'the history cannot be recorded';
        log[isOutage(error) ? 'warn' : 'error']({ err: error, failures }, this.waitsFor);
        this.options.changed();
        await sleep(retryPauseMs(failures), undefined, { signal }).catch(() => undefined);
      } finally {
        release();
      }
    }
  }

  private async prepare(): Promise<void> {
    const { events, files, projections, sealed, expiring, now, log } = this.options;
    if (!(await this.builds.isOfThisLog(events))) {
      log.warn({}, 'the history comes from another log than this one, and is recorded anew');
      await this.builds.discardAll();
    }
    const rows = await this.builds.open(projections);
    const end = Number(await events.end());
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
      recordings.push(
        await ProjectionRecording.open(
          dependencies,
          projection,
          row,
          await readSkipped(events, projection.name),
          row.position === 0 ? end : 0,
        ),
      );
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

  /** Returns after an interruption: the log may be another one, and end before what is recorded, so they are compared at once. */
  private async follow(interrupted: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const either = AbortSignal.any([this.ending.signal, interrupted, ended.signal]);
    let failure: unknown;
    const others = this.catchUp(either).catch((error: unknown) => {
      failure = error;
      ended.abort();
    });
    try {
      const { events } = this.options;
      const categories = this.categories();
      const gathering = new Gathering(BATCH_EVENTS);
      for await (const batch of events.subscribeAll({ after: BigInt(this.front), categories, signal: either, maxBatch: BATCH_EVENTS })) {
        if (interrupted.aborted) break;
        await this.turns.within('', () => this.take(batch));
        await sleep(gathering.pauseAfter(batch), undefined, { signal: either }).catch(() => undefined);
      }
    } finally {
      ended.abort();
      await others;
    }
    if (failure !== undefined) throw failure;
  }

  private async take({ events, position, caughtUp }: EventBatch): Promise<void> {
    const { front } = this;
    await this.record(
      this.going().filter((one) => one.position === front),
      events,
      Number(position),
    );
    this.isAtHead = caughtUp;
    this.options.changed();
  }

  /** Brings projections that are behind to where the others are, the last ones first; removes what is not wanted any more. */
  private async catchUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.builds.removeSome())) await sleep(5);
    while (!signal.aborted && this.behind().length > 0) {
      await this.turns.within('', () => this.catchUpSome());
      this.options.changed();
    }
  }

  private async catchUpSome(): Promise<void> {
    const behind = this.behind();
    if (behind.length === 0) return;
    const after = Math.min(...behind.map(({ position }) => position));
    const next = Math.min(...this.going().flatMap(({ position }) => (position > after ? [position] : [])));
    const page = await this.options.events.readAll({ after: BigInt(after), categories: this.categories(), limit: BATCH_EVENTS });
    await this.record(
      behind.filter(({ position }) => position === after),
      page.events.filter(({ position }) => Number(position) <= next),
      Math.min(Number(page.position), next),
    );
  }

  /** In one transaction, as far as it fits into memory: pages that projections share are written once. */
  private async record(recordings: readonly ProjectionRecording[], events: readonly RecordedEvent[], position: number): Promise<void> {
    const { files, expiring } = this.options;
    const decode = await this.decodedOnce(events);
    let steps: RecordingStep[] = [];
    const store = (): void => {
      for (const step of steps) step.store();
      steps = [];
    };
    for (const recording of recordings) {
      for (let left = recording.unrecorded(events); left.length > 0; ) {
        const step = await recording.step(left, decode);
        steps.push(step);
        left = step.rest;
        if (left.length === 0 && steps.reduce((sum, { characters }) => sum + characters, 0) < MOST_CHARACTERS) continue;
        await files.write(store);
      }
    }
    await files.write(() => {
      store();
      for (const recording of recordings) recording.advance(position);
      this.storePositions(recordings);
      this.builds.remember(events, expiring);
    });
    const last = events.at(-1);
    if (last) this.lastRecordedAt = last.recordedAt;
  }

  /** Only inside a transaction. One row tells where most of them are. */
  private storePositions(recordings: readonly ProjectionRecording[]): void {
    const { front } = this;
    const level = this.going().filter((one) => one.position === front);
    if (recordings.some((recording) => level.includes(recording)))
      this.builds.storeFront(
        front,
        level.map(({ row }) => row.build),
      );
    else for (const { projection, row } of recordings) this.builds.store(projection.name, row);
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

  private categories(): readonly string[] {
    return [...new Set([...ALWAYS_READ, ...this.options.projections.flatMap(({ categories }) => categories)])];
  }
}
