import type { Position } from '#domain/shared/events.js';

/** Waits for several gates at once. */
type Waiter = Readonly<{ reached: () => void; refused: () => void }>;

/** Position of the served documents of one projection, and the waiters for later positions. */
export class PositionGate {
  private reached = 0n;
  private isClosed = true;
  private lastMovedAt = 0;
  private owed = 0n;
  private owingListener: (isOwing: boolean) => void = () => undefined;
  private waiters: Readonly<{ waiter: Waiter; wanted: Position }>[] = [];

  /** Everything up to here is in the documents that readers see. */
  get position(): Position {
    return this.reached;
  }

  /** Time of the last advance, by the clock of `advance`: milliseconds since 1970-01-01 UTC; 0 if there was none. */
  get movedAt(): number {
    return this.lastMovedAt;
  }

  /** A closed gate immediately refuses all waits for positions not yet reached. */
  get closed(): boolean {
    return this.isClosed;
  }

  open(): void {
    this.isClosed = false;
  }

  close(): void {
    this.isClosed = true;
    const { waiters } = this;
    this.waiters = [];
    for (const { waiter } of waiters) waiter.refused();
  }

  /** Ignores a position that is not larger, because commits may be reported late. */
  advance(position: Position, now: number): void {
    if (position <= this.reached) return;
    this.reached = position;
    this.lastMovedAt = now;
    this.owingListener(this.isOwing);
    const { waiters } = this;
    this.waiters = waiters.filter(({ wanted }) => wanted > position);
    for (const { waiter, wanted } of waiters) if (wanted <= position) waiter.reached();
  }

  /** Sets an earlier position, because the store lost commits. */
  rewind(position: Position): void {
    this.reached = position;
    this.owingListener(this.isOwing);
  }

  /** Records the position of a write that this process acknowledges before the documents show it. */
  owe(position: Position): void {
    if (position > this.owed) this.owed = position;
    this.owingListener(this.isOwing);
  }

  /** The log ends at `end`: writes owed beyond it are lost. */
  forgive(end: Position): void {
    if (this.owed > end) this.owed = 0n;
    this.owingListener(this.isOwing);
  }

  /** Returns whether a write was acknowledged that the documents do not show yet. */
  get isOwing(): boolean {
    return this.owed > this.reached;
  }

  /** Waits until the documents show all writes owed now; see {@link allReach}. */
  settled(timeoutMs: number): Promise<boolean> {
    return allReach([this], this.owed, timeoutMs);
  }

  /** Calls the listener with `isOwing` whenever that may have changed. Only one listener is supported. */
  onOwing(listener: (isOwing: boolean) => void): void {
    this.owingListener = listener;
  }

  /** Must not be called for a position that was reached, nor on a closed gate. */
  add(waiter: Waiter, position: Position): void {
    this.waiters.push({ waiter, wanted: position });
  }

  remove(waiter: Waiter): void {
    this.waiters = this.waiters.filter((one) => one.waiter !== waiter);
  }
}

/**
 * Waits until all gates have reached the position. Resolves to `true` once they have; to `false` after the time, or at once if a gate that
 * has not reached it is closed or closes.
 */
export const allReach = (gates: readonly PositionGate[], position: Position, timeoutMs: number): Promise<boolean> => {
  const behind = gates.filter((gate) => gate.position < position);
  if (behind.length === 0) return Promise.resolve(true);
  if (behind.some(({ closed }) => closed)) return Promise.resolve(false);
  return new Promise((resolve) => {
    let left = behind.length;
    const settle = (outcome: boolean): void => {
      clearTimeout(timer);
      if (!outcome) for (const gate of behind) gate.remove(waiter); // gates that have reached the position have dropped the waiter
      resolve(outcome);
    };
    const waiter: Waiter = {
      reached: () => {
        left -= 1;
        if (left === 0) settle(true);
      },
      refused: () => settle(false),
    };
    // Timers of one duration share a list in Node: one timer per waiter costs less than our own bookkeeping.
    const timer = setTimeout(settle, timeoutMs, false);
    for (const gate of behind) gate.add(waiter, position);
  });
};
