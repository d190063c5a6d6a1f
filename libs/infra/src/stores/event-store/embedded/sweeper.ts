import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { TransactionWriter } from './appends/writer.js';
import { deletableUpTo } from './storage/chained.js';
import { type Databases } from './storage/databases.js';
import { deletePieceInTransaction, hasDeletable, isReleasable, releaseInTransaction } from './storage/retention.js';

const INTERVAL_MS = 60_000;
const STREAMS_PER_TURN = 500;

/** Deletes events made unreadable by truncation and retention: every minute, in small transactions between which appends continue. */
export class Sweeper {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<number> | undefined;
  private stopped = false;

  constructor(
    private readonly db: Databases,
    private readonly writer: TransactionWriter,
    /** Set if the events of this log are chained: none is deleted before that. */
    private readonly isChaining: boolean,
  ) {
    // A failure here (full disk, broken log) also fails appends, which report it.
    this.timer = setInterval(() => void this.sweep().catch(() => {}), INTERVAL_MS).unref();
  }

  /** Sweeps all streams that have something to delete, or joins the sweep in progress. Returns the number of deleted events. */
  sweep(): Promise<number> {
    this.running ??= this.pass().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Resolves when the transaction in progress is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running?.catch(() => {});
  }

  private async pass(): Promise<number> {
    let deleted = 0;
    let after: string | undefined;
    const upTo = deletableUpTo(this.db, this.isChaining);
    while (!this.stopped) {
      const start = after === undefined ? {} : { start: after, exclusiveStart: true };
      const streams = [...this.db.retained.getKeys({ ...start, limit: STREAMS_PER_TURN })];
      after = streams.at(-1);
      if (after === undefined) break;
      const now = Date.now();
      for (const stream of streams) if (hasDeletable(this.db, stream, now)) deleted += await this.empty(stream, now, upTo);
      if (this.stopped) break;
      const done = streams.filter((stream) => isReleasable(this.db, stream, now));
      if (done.length > 0) await this.writer.write(() => done.forEach((stream) => void releaseInTransaction(this.db, stream, now)));
      await nextTurn();
    }
    return deleted;
  }

  /** Deletes the unreadable events of a stream up to a position. Returns their number. */
  async empty(stream: string, now: number, upTo: number): Promise<number> {
    let deleted = 0;
    for (let piece = 1; piece > 0 && !this.stopped; deleted += piece) {
      piece = await this.writer.write((beforeWriting) => {
        beforeWriting();
        return deletePieceInTransaction(this.db, stream, now, upTo);
      });
    }
    return deleted;
  }
}
