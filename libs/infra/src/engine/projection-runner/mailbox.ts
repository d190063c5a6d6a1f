import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { NeededStreams } from '#projections/shared/projection.js';

/** Documents that are kept level with the head of the log. */
export interface MailboxMember {
  readonly categories: readonly string[];
  /** Present if the others wait while it catches up: all streams of its events. */
  readonly needed?: NeededStreams | undefined;
  /** Whether its documents have never shown the whole log, so that they may be filled from the streams of `needed`. Default `false`. */
  readonly isFilling?: boolean;
  /** Position up to which everything is applied or held back. */
  readonly processed: Position;
  /** Applies the events that it has not processed. They belong to its categories or are openings of the log. */
  take(batch: EventBatch): Promise<void>;
  /** Skips to the position without events. Returns `false` if it must process that as a batch. Called only while it is idle. */
  pass(position: Position): boolean;
  /** Commits skipped positions after a pause without events. */
  rest(): Promise<void>;
}

/** A member with more waiting events is left behind and reads the log itself. */
const MOST_EVENTS = 5_000;

/** Events at the head of the log that one member has not taken yet. */
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

  /** Batches that the member does not take at once are combined. */
  put(events: readonly RecordedEvent[], position: Position): void {
    if (this.isClosed) return;
    if (events.length === 0 && !this.waiting && !this.isTaking && this.member.pass(position)) return;
    const before = this.waiting?.events ?? [];
    if (before.length + events.length > MOST_EVENTS && before.length > 0) this.close();
    else this.waiting = { events: [...before, ...events], position, caughtUp: true };
    this.wake?.();
  }

  /** Reports a pause without events. */
  rest(): void {
    this.isToRest = true;
    this.wake?.();
  }

  /** Ends the mailbox. @param failure the reason; without it the member continues by itself */
  close(failure?: unknown): void {
    this.isClosed = true;
    this.failure = failure;
    this.wake?.();
  }

  /** Resolves when no batch waits. */
  empty(): Promise<void> {
    return new Promise((resolve) => this.emptied.push(resolve));
  }

  /** Passes batches to the member until the mailbox is closed or the signal aborted. @throws the member's errors; the reason for closing */
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
