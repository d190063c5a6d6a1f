import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';

/** Documents that are kept level with the log. */
export interface MailboxMember {
  readonly categories: readonly string[];
  /** Everything up to here is applied, or held back. */
  readonly processed: Position;
  /** Applies those of the events that it has not processed. They are of its categories, with openings of the log among them. */
  take(batch: EventBatch): Promise<void>;
  /** There is nothing for it up to the position. Returns `false` if it has to take that as a batch. Called only while it takes nothing. */
  pass(position: Position): boolean;
  /** Commits what it has passed: nothing came for a while. */
  rest(): Promise<void>;
}

/** A member with more waiting events is left behind, and reads the log itself. */
const MOST_EVENTS = 5_000;

/** Events at the head of the log for one member, until the member has taken them. */
export class Mailbox {
  /** The head does not wait for it until it is empty again. */
  isSlow = false;
  private waiting: EventBatch | null = null;
  private isTaking = true;
  private isToRest = false;
  private isClosed = false;
  private failure: unknown;
  private wake: (() => void) | undefined;
  private readonly emptied: (() => void)[] = [];

  constructor(private readonly member: Pick<MailboxMember, 'take' | 'pass' | 'rest'>) {}

  get isWaitedFor(): boolean {
    return !this.isSlow && (this.isTaking || this.waiting !== null);
  }

  /** Batches that the member does not take at once become one. */
  put(events: readonly RecordedEvent[], position: Position): void {
    if (this.isClosed) return;
    if (events.length === 0 && !this.waiting && !this.isTaking && this.member.pass(position)) return;
    const before = this.waiting?.events ?? [];
    if (before.length + events.length > MOST_EVENTS && before.length > 0) this.close();
    else this.waiting = { events: [...before, ...events], position, caughtUp: true };
    this.wake?.();
  }

  /** Nothing came for a while. */
  rest(): void {
    this.isToRest = true;
    this.wake?.();
  }

  /** Nothing more comes. @param failure why; without it the member goes on by itself */
  close(failure?: unknown): void {
    this.isClosed = true;
    this.failure = failure;
    this.wake?.();
  }

  /** Resolves when nothing waits. */
  empty(): Promise<void> {
    return new Promise((resolve) => this.emptied.push(resolve));
  }

  /** Has the member take what comes, until the mailbox is closed or the signal aborted. @throws what the member throws; why the mailbox was closed */
  async drain(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.wake?.();
    signal.addEventListener('abort', wake);
    try {
      while (!this.isClosed && !signal.aborted) {
        const batch = this.waiting;
        this.waiting = null;
        if (batch) await this.member.take(batch);
        else if (this.isToRest) await this.member.rest();
        else await this.pause();
        this.isToRest = false;
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.isClosed = true;
      this.release();
    }
    if (this.failure !== undefined && !signal.aborted) throw this.failure;
  }

  private async pause(): Promise<void> {
    this.isTaking = false;
    this.isSlow = false;
    this.release();
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = undefined;
    this.isTaking = true;
  }

  private release(): void {
    for (const resolve of this.emptied.splice(0)) resolve();
  }
}
