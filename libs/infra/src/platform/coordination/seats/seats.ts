import { randomUUID } from 'node:crypto';
import { Alarm } from '#infra/platform/coordination/alarm.js';
import { LeaseLost } from '#infra/platform/coordination/lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type BookPage, SeatBook, type SeatHolder } from './seat-book.js';

/** In milliseconds: between two beats; a process that has not beaten for `silenceMs` has lost its seats; pause after an outage. */
type SeatTiming = Readonly<{ beatMs: number; silenceMs: number; retryMs: number }>;

const DEFAULT_TIMING: SeatTiming = { beatMs: 500, silenceMs: 1_500, retryMs: 250 };

type SeatsDependencies = Readonly<{
  store: ReadStore;
  /** Namespace in which the seats are stored. */
  name: string;
  /** Name of this node for people. */
  node: string;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  timing?: SeatTiming;
}>;

/** The right of this process to something, until it is given back or lost. */
export type Seat = Readonly<{
  /** Aborted with `LeaseLost` when another process has taken it. */
  lost: AbortSignal;
  /** Gives it back, and lets those who wait know. Resolves at once: it is stored in the background. */
  release(): void;
}>;

type Waiter = Readonly<{ take: (seat: Seat) => void }>;

/** Last sign of life of another process, and when this process first saw it. */
type Watched = Readonly<{ beats: number; since: number }>;

/**
 * Many rights, each of one process at a time, kept alive by one heart beat of the process. Whoever holds nothing writes nothing; whoever waits is woken by
 * the changes of others. What must not be done twice has to be fenced off where it is done: a process that was stopped learns late what it has lost.
 */
export class Seats {
  private readonly id = randomUUID();
  private readonly book: SeatBook;
  private readonly alarm = new Alarm();
  private readonly wanted = new Map<string, Waiter>();
  private readonly held = new Map<string, AbortController>();
  private readonly released = new Set<string>();
  private readonly watched = new Map<string, Watched>();
  private page: BookPage | null = null;
  private beats = 0;
  private beatAt = 0;
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private stopListening: (() => void) | undefined;
  private readonly timing: SeatTiming;

  constructor(private readonly dependencies: SeatsDependencies) {
    this.book = new SeatBook(dependencies.store, dependencies.name);
    this.timing = dependencies.timing ?? DEFAULT_TIMING;
  }

  /** Resolves once this process holds the seat. One call at a time for each seat. @throws AbortError on the signal */
  async take(seat: string, signal: AbortSignal): Promise<Seat> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.wanted.delete(seat);
        reject(signal.reason);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.released.delete(seat);
      this.wanted.set(seat, {
        take: (taken) => {
          signal.removeEventListener('abort', aborted);
          resolve(taken);
        },
      });
      this.running ??= this.run();
      this.alarm.ring();
    });
  }

  /** Gives everything back. Resolves when that is stored, or cannot be: then it runs out. */
  async close(): Promise<void> {
    this.wanted.clear();
    for (const seat of this.held.keys()) this.release(seat);
    this.closing.abort();
    this.alarm.ring();
    await this.running;
  }

  private release(seat: string): void {
    if (!this.held.delete(seat)) return;
    this.released.add(seat);
    this.alarm.ring();
  }

  private async run(): Promise<void> {
    const { log } = this.dependencies;
    const never = new AbortController().signal;
    for (let isAway = false; ; ) {
      try {
        await this.turn();
        isAway = false;
      } catch (error) {
        this.page = null;
        if (!isAway && !this.closing.signal.aborted) log.warn({ err: error }, 'seats cannot be taken or kept now');
        isAway = true;
      }
      if (this.closing.signal.aborted) break;
      this.listen();
      await this.alarm.pause(isAway ? this.timing.retryMs : this.pauseMs(), never);
    }
    this.stopListening?.();
  }

  /** Changes of others matter to those who wait; a holder learns of them with its next beat. */
  private listen(): void {
    if (this.wanted.size > 0) this.stopListening ??= this.book.onChange(this.alarm.ring);
    else {
      this.stopListening?.();
      this.stopListening = undefined;
    }
  }

  private pauseMs(): number {
    const now = performance.now();
    const { beatMs, silenceMs } = this.timing;
    const beat = this.held.size > 0 ? this.beatAt + beatMs - now : Number.POSITIVE_INFINITY;
    if (this.wanted.size === 0) return Math.max(1, Math.min(beat, 60_000));
    const silences = [...this.watched.values()].map(({ since }) => since + silenceMs - now).filter((left) => left > 0);
    return Math.max(1, Math.min(beat, ...silences, silenceMs));
  }

  /** Looks at the book where that may tell something, and writes what is due, until nothing is. */
  private async turn(): Promise<void> {
    for (;;) {
      if (!this.page || this.wanted.size > 0) this.page = this.look(await this.book.read());
      const { page } = this;
      const taken = [...this.wanted.keys()].filter((seat) => this.isFree(seat, page));
      const released = [...this.released].filter((seat) => page.holders.get(seat) === this.id);
      const isBeatDue = this.held.size > 0 && performance.now() - this.beatAt >= this.timing.beatMs;
      if (taken.length === 0 && released.length === 0 && !isBeatDue) {
        this.released.clear();
        return;
      }
      if (!(await this.write(page, taken, released))) this.page = null;
    }
  }

  /** @returns false: the book has changed */
  private async write(page: BookPage, taken: readonly string[], released: readonly string[]): Promise<boolean> {
    const gone = [...page.members.values()].filter((member) => member.id !== this.id && this.hasEnded(member)).map(({ id }) => id);
    const entry = { id: this.id, member: this.held.size + taken.length > 0 ? this.member() : null, taken, released, gone };
    const begun = performance.now();
    if (!(await this.book.write(page, entry))) return false;
    const members = new Map(page.members);
    const holders = new Map(page.holders);
    for (const process of gone) members.delete(process);
    for (const seat of released) holders.delete(seat);
    for (const seat of taken) holders.set(seat, this.id);
    this.page = { ...page, changes: page.changes + 1n, members, holders };
    this.beatAt = begun;
    for (const seat of released) this.released.delete(seat);
    for (const seat of taken) this.give(seat);
    return true;
  }

  /** Gives a seat to its waiter, or back if the caller has gone. */
  private give(seat: string): void {
    const waiter = this.wanted.get(seat);
    this.wanted.delete(seat);
    this.released.delete(seat);
    const loss = new AbortController();
    this.held.set(seat, loss);
    if (waiter) waiter.take({ lost: loss.signal, release: () => this.held.get(seat) === loss && this.release(seat) });
    else this.release(seat);
  }

  private member(): SeatHolder {
    const { node, now } = this.dependencies;
    this.beats += 1;
    return { id: this.id, node, beats: this.beats, beatAt: now() };
  }

  /** Notices signs of life of others, and seats that they have taken from this process. */
  private look(page: BookPage): BookPage {
    const now = performance.now();
    for (const id of this.watched.keys()) if (!page.members.has(id)) this.watched.delete(id);
    for (const { id, beats } of page.members.values())
      if (id !== this.id && this.watched.get(id)?.beats !== beats) this.watched.set(id, { beats, since: now });
    for (const [seat, loss] of [...this.held]) {
      if (page.holders.get(seat) === this.id) continue;
      this.held.delete(seat);
      loss.abort(new LeaseLost(`another process has taken ${seat}`));
    }
    return page;
  }

  private isFree(seat: string, { holders, members }: BookPage): boolean {
    const holder = holders.get(seat);
    if (holder === undefined || holder === this.id) return true;
    const member = members.get(holder);
    return !member || this.hasEnded(member);
  }

  /** By what this process has seen of it, as the clocks of two nodes may differ. */
  private hasEnded({ id }: SeatHolder): boolean {
    const watched = this.watched.get(id);
    return watched !== undefined && performance.now() - watched.since >= this.timing.silenceMs;
  }
}
