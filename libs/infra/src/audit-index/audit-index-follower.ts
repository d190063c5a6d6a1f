import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '#domain/shared/event-store.js';
import { backOff } from '#infra/coordination/back-off.js';
import { Gathering } from '#infra/followers/gathering.js';
import { type Checkpoint, clearIndex, type IndexDatabases, readCheckpoint } from './databases.js';
import { IndexWriter } from './index-writer.js';
import { IndexDiverged, Numbering } from './numbering.js';

export type AuditIndexFollowerOptions = Readonly<{
  /** The log, for reading. */
  events: Pick<EventStore, 'readStream' | 'subscribeAll' | 'end' | 'onInterruption'>;
  databases: IndexDatabases;
  /** Receives, as a sentence, why the index is built anew or waits. */
  report: (message: string, error?: unknown) => void;
  /** Called after each commit. */
  onProgress?: (progress: Checkpoint & Readonly<{ caughtUp: boolean }>) => void;
  /** Events that are indexed, and committed, at once. Default 1,000. */
  maxBatch?: number;
}>;

const pauseMs = backOff(100, 5_000);
const BATCH_EVENTS = 1_000;

/** Fills the audit index from the log, from where it stopped, for as long as it runs. One at a time for each index. */
export class AuditIndexFollower {
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: AuditIndexFollowerOptions) {}

  start(): void {
    this.running ??= this.follow();
  }

  /** Waits for the commit under way. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    for (let failures = 0; !signal.aborted; ) {
      const before = readCheckpoint(this.options.databases).position;
      try {
        await this.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof IndexDiverged) await this.begin(error.message);
        else this.options.report('the audit index cannot be kept up to date', error);
        failures = before === readCheckpoint(this.options.databases).position ? failures + 1 : 1;
        await sleep(pauseMs(failures), undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Returns after an interruption: the log may be another one, and end before what is indexed, so they are compared at once. */
  private async run(signal: AbortSignal): Promise<void> {
    const { events } = this.options;
    const interrupted = new AbortController();
    const release = events.onInterruption(() => interrupted.abort(), 'reads');
    try {
      await this.index(AbortSignal.any([signal, interrupted.signal]));
    } finally {
      release();
    }
    if (!signal.aborted && !interrupted.signal.aborted) throw new Error('the log was closed');
  }

  private async index(signal: AbortSignal): Promise<void> {
    const { events, databases } = this.options;
    if (!(await this.isOfThisLog())) await this.begin('the log is another one than it was read from');
    const writer = new IndexWriter(databases);
    const numbering = new Numbering(events, databases, writer);
    const after = BigInt(writer.checkpoint.position);
    const { maxBatch = BATCH_EVENTS } = this.options;
    const gathering = new Gathering(maxBatch);
    for await (const batch of events.subscribeAll({ after, signal, maxBatch })) {
      if (signal.aborted) return;
      await numbering.take(batch);
      this.options.onProgress?.({ ...writer.checkpoint, caughtUp: batch.caughtUp });
      await sleep(gathering.pauseAfter(batch), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether the log goes at least as far, and has what the index has. */
  private async isOfThisLog(): Promise<boolean> {
    const { events, databases } = this.options;
    const { position, last } = readCheckpoint(databases);
    if ((await events.end()) < BigInt(position)) return false;
    if (!last) return true;
    const [found] = await events.readStream(last.stream, { from: BigInt(last.revision), limit: 1 });
    return found?.id === last.id;
  }

  private async begin(why: string): Promise<void> {
    this.options.report(`the audit index is built anew: ${why}`);
    await clearIndex(this.options.databases);
  }
}
