import type { Position } from '#domain/shared/events.js';

/** Waits on several gates at once. */
type Waiter = Readonly<{ reached: () => void; refused: () => void }>;

/** How far the served documents of one projection are, and who waits for them. */
export class PositionGate {
  private reached = 0n;
  private isClosed = true;
  private lastMovedAt = 0;
  private readonly waiters = new Map<Waiter, Position>();

  /** Everything up to here is in the documents that readers see. */
  get position(): Position {
    return this.reached;
  }

  /** When the position last grew, by the clock of `advance`: milliseconds since 1970-01-01 UTC; 0 = never. */
  get movedAt(): number {
    return this.lastMovedAt;
  }

  /** A closed gate refuses at once whoever waits for a position not yet reached. */
  get closed(): boolean {
    return this.isClosed;
  }

  open(): void {
    this.isClosed = false;
  }

  close(): void {
    this.isClosed = true;
    const waiters = [...this.waiters.keys()];
    this.waiters.clear();
    for (const { refused } of waiters) refused();
  }

  /** Late news of a smaller position is ignored. */
  advance(position: Position, now: number): void {
    if (position <= this.reached) return;
    this.reached = position;
    this.lastMovedAt = now;
    for (const [waiter, wanted] of this.waiters) {
      if (wanted <= position) {
        this.waiters.delete(waiter);
        waiter.reached();
      }
    }
  }

  /** The store lost commits: the documents are those of an earlier position again. */
  rewind(position: Position): void {
    this.reached = position;
  }

  /** Must not be called for a position that has been reached, nor on a closed gate. */
  add(waiter: Waiter, position: Position): void {
    this.waiters.set(waiter, position);
  }

  remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
  }
}

/**
 * Whether all gates reach the position before the time is over: `true` as soon as they have, `false` at the end of the time,
 * or at once when one that has not is closed or closes.
 */
export const allReach = (gates: readonly PositionGate[], position: Position, timeoutMs: number): Promise<boolean> => {
  const behind = gates.filter((gate) => gate.position < position);
  if (behind.length === 0) return Promise.resolve(true);
  if (behind.some(({ closed }) => closed)) return Promise.resolve(false);
  return new Promise((resolve) => {
    let left = behind.length;
    const settle = (outcome: boolean): void => {
      clearTimeout(timer);
      for (const gate of behind) gate.remove(waiter);
      resolve(outcome);
    };
    const waiter: Waiter = {
      reached: () => {
        left -= 1;
        if (left === 0) settle(true);
      },
      refused: () => settle(false),
    };
    // Timers of one duration share a list in Node: one for each waiter costs less than keeping our own.
    const timer = setTimeout(settle, timeoutMs, false);
    for (const gate of behind) gate.add(waiter, position);
  });
};
