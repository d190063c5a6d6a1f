import type { RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { commitCause } from '#infra/platform/lmdb/commit-failure.js';
import type { DiskRoom } from '#infra/stores/event-store/embedded/storage/disk-room.js';

/** It is unknown whether the transaction was committed. */
export class WriteOutcomeUnknown extends Error {
  override readonly name = 'WriteOutcomeUnknown';
}

/** A write that waits for its transaction. */
type Job = Readonly<{ work: () => unknown; resolve: (result: unknown) => void; reject: (error: unknown) => void }>;

/** All writes go through here. Each has a time limit, and after a failure of the disk no more are accepted. */
export class Writer {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly waiting: Job[] = [];
  private failure: unknown;

  /** @param flush writes the rows that the works of a transaction have changed: called at its end */
  constructor(
    private readonly root: RootDatabase,
    private readonly flush: () => void,
    private readonly disk: DiskRoom,
    private readonly timeoutMs: number,
    /** Reads something small; throws if the environment is broken. */
    private readonly probe: () => void,
    /** Called once, when the disk has failed. */
    private readonly failed: () => void,
  ) {}

  /** False once the disk has failed: only a new process may write again. */
  get accepts(): boolean {
    return this.failure === undefined;
  }

  /**
   * Runs `work` in a transaction shared with other waiting writes, and resolves when it is on disk. `work` calls `beforeWriting` before its
   * first write. `onCommit` is called with the result even if the time limit has passed.
   * @throws EventStoreUnavailable nothing was written
   * @throws WriteOutcomeUnknown
   */
  async write<Result>(work: (beforeWriting: () => void) => Result, onCommit: (result: Result) => void = () => {}): Promise<Result> {
    if (!this.accepts) throw new EventStoreUnavailable('the embedded log stopped accepting writes', { cause: this.failure });
    let writing = false;
    const committed = this.commit(work, () => {
      writing = true;
    });
    this.underWay.add(committed);
    const reported = committed.then((result) => {
      onCommit(result);
      return result;
    });
    try {
      return await this.inTime(reported);
    } catch (error) {
      if (error instanceof EventStoreUnavailable) throw error;
      throw await this.explain(error, writing);
    } finally {
      this.underWay.delete(committed);
    }
  }

  /** Resolves when no write is in progress any more. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled([...this.underWay].map((write) => this.inTime(write)));
  }

  private commit<Result>(work: (beforeWriting: () => void) => Result, beforeWriting: () => void): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ work: () => work(beforeWriting), resolve: resolve as Job['resolve'], reject });
      if (this.waiting.length === 1) void this.transact();
    });
  }

  /** One transaction for all that waits when lmdb begins it. A work that throws leaves the others as they are. */
  private async transact(): Promise<void> {
    let taken: readonly Job[] | undefined;
    const settlements: (() => void)[] = [];
    try {
      await this.root.transaction(() => {
        taken = this.waiting.splice(0);
        for (const job of taken) settlements.push(outcomeOf(job));
        this.flush();
      });
      for (const settle of settlements) settle();
    } catch (error) {
      for (const { reject } of taken ?? this.waiting.splice(0)) reject(error);
    }
  }

  /** After damage to a meta page lmdb never settles the promises of later transactions. */
  private inTime<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new WriteOutcomeUnknown(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  private async explain(error: unknown, writing: boolean): Promise<Error> {
    if (error instanceof WriteOutcomeUnknown) {
      this.stopIfBroken();
      return error;
    }
    const cause = await commitCause(error);
    if (cause === error && !writing) return new EventStoreUnavailable('the embedded log cannot write', { cause });
    // A full disk is reported as an input/output error too, but it heals: the reserve refuses appends until there is room.
    if (cause === error || !this.disk.explainsFailure()) this.stop(cause);
    this.stopIfBroken();
    return new WriteOutcomeUnknown('the transaction failed', { cause });
  }

  private stopIfBroken(): void {
    try {
      this.probe();
    } catch (error) {
      this.stop(error);
    }
  }

  private stop(cause: unknown): void {
    if (!this.accepts) return;
    this.failure = cause;
    this.failed();
  }
}

/** Does the work. The function that is returned tells whoever waits for it. */
const outcomeOf = ({ work, resolve, reject }: Job): (() => void) => {
  try {
    const result = work();
    return () => resolve(result);
  } catch (error) {
    return () => reject(error);
  }
};
