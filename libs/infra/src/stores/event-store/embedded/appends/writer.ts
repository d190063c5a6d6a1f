import type { RootDatabase } from 'lmdb';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { commitCause } from '#infra/platform/lmdb/commit-failure.js';
import type { DiskRoom } from '#infra/stores/event-store/embedded/storage/disk-room.js';

/** It is unknown whether the transaction was committed. */
export class WriteOutcomeUnknown extends Error {
  override readonly name = 'WriteOutcomeUnknown';
}

type Outcome<Result> = Readonly<{ result: Result } | { error: unknown }>;

/** A write that is not settled yet. */
class Job<Result = unknown> {
  /** True once it may have written something. */
  writing = false;
  isOver = false;
  readonly outcome: Promise<Outcome<Result>>;
  private resolve!: (outcome: Outcome<Result>) => void;

  /** @param deadline on the clock of `performance` */
  constructor(
    private readonly work: (beforeWriting: () => void) => Result,
    private readonly onCommit: (result: Result) => void,
    readonly deadline: number,
  ) {
    this.outcome = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Only the first outcome counts. */
  end(outcome: Outcome<Result>): void {
    this.isOver = true;
    this.resolve(outcome);
  }

  /** Does the work. The returned function settles the promise of the caller. */
  run(): () => void {
    try {
      const result = this.work(() => {
        this.writing = true;
      });
      return () => this.committed(result);
    } catch (error) {
      return () => this.end({ error });
    }
  }

  private committed(result: Result): void {
    try {
      this.onCommit(result);
      this.end({ result });
    } catch (error) {
      this.end({ error });
    }
  }
}

/** Runs all writes of the log. Each has a time limit. After a disk failure no more are accepted. */
export class TransactionWriter {
  /** Oldest first. A list that is replaced, because a set's outgrown tables refer to later ones and so keep settled jobs in memory. */
  private underWay: Job[] = [];
  private readonly waiting: Job[] = [];
  /** Timer for the deadline of the oldest job; all jobs have the same limit. */
  private timer: NodeJS.Timeout | undefined;
  private failure: unknown;

  /** @param flush writes the rows that the jobs of a transaction have changed; called at its end */
  constructor(
    private readonly root: RootDatabase,
    private readonly flush: () => void,
    private readonly disk: DiskRoom,
    private readonly timeoutMs: number,
    /** Called once when the disk has failed. */
    private readonly failed: () => void,
  ) {}

  /** False once the disk has failed: only a new process can write again. */
  get accepts(): boolean {
    return this.failure === undefined;
  }

  /**
   * Runs `work` in a transaction shared with other waiting writes, and resolves when it is on disk. `work` must call `beforeWriting` before
   * its first write. `onCommit` receives the result even if the time limit has passed.
   * @throws EventStoreUnavailable nothing was written
   * @throws WriteOutcomeUnknown
   */
  async write<Result>(work: (beforeWriting: () => void) => Result, onCommit: (result: Result) => void = () => {}): Promise<Result> {
    if (!this.accepts) throw new EventStoreUnavailable('the embedded log stopped accepting writes', { cause: this.failure });
    const job = new Job(work, onCommit, performance.now() + this.timeoutMs);
    this.begin(job as Job);
    const outcome = await job.outcome;
    if ('result' in outcome) return outcome.result;
    const { error } = outcome;
    throw error instanceof EventStoreUnavailable ? error : await this.explain(error, job.writing);
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    while (this.underWay.length > 0) await Promise.all(this.underWay.map(({ outcome }) => outcome));
  }

  private begin(job: Job): void {
    this.underWay.push(job);
    this.timer ??= setTimeout(() => this.expire(), this.timeoutMs);
    this.waiting.push(job);
    if (this.waiting.length === 1) void this.transact();
  }

  /** After damage to a meta page, lmdb never settles the promises of later transactions. */
  private expire(): void {
    const now = performance.now();
    const isLate = ({ deadline }: Job): boolean => deadline <= now;
    const inTime = this.waiting.findIndex((job) => !isLate(job)); // the oldest come first
    for (const job of this.waiting.splice(0, inTime < 0 ? this.waiting.length : inTime))
      job.end({ error: new EventStoreUnavailable(`the embedded log has not begun to write within ${this.timeoutMs} ms`) });
    for (const job of this.underWay) if (isLate(job)) job.end({ error: new WriteOutcomeUnknown(`no answer within ${this.timeoutMs} ms`) });
    this.forget();
    const [next] = this.underWay;
    this.timer = next && setTimeout(() => this.expire(), next.deadline - now);
  }

  /** Drops settled writes. */
  private forget(): void {
    this.underWay = this.underWay.filter(({ isOver }) => !isOver);
    if (this.underWay.length > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Runs one transaction for all jobs that wait when lmdb begins it. A job that throws leaves the others unaffected. */
  private async transact(): Promise<void> {
    let taken: readonly Job[] | undefined;
    let settlements: (() => void)[] = [];
    try {
      await this.root.transaction(() => {
        taken = this.waiting.splice(0);
        for (const job of taken) settlements.push(job.run());
        this.flush();
      });
      for (const settle of settlements) settle();
    } catch (error) {
      for (const job of taken ?? this.waiting.splice(0)) job.end({ error });
    }
    this.forget();
    [taken, settlements] = [[], []]; // lmdb holds the called function a while longer
  }

  private async explain(error: unknown, writing: boolean): Promise<Error> {
    if (error instanceof WriteOutcomeUnknown) return error;
    const cause = await commitCause(error);
    if (cause === error && !writing) return new EventStoreUnavailable('the embedded log cannot write', { cause });
    // A full disk is also reported as an input/output error, but it is temporary: appends are refused until there is space.
    if (cause === error || !this.disk.explainsFailure()) this.stop(cause);
    return new WriteOutcomeUnknown('the transaction failed', { cause });
  }

  private stop(cause: unknown): void {
    if (!this.accepts) return;
    this.failure = cause;
    this.failed();
  }
}
