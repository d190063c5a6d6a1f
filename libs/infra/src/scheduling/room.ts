import { FairQueue } from './fair-queue.js';

/**
 * Room for large work, in bytes: who does not find enough waits, and owners take turns. Something larger than all of the room gets it alone.
 */
export class Room {
  private readonly waiting = new FairQueue<() => void>();
  private used = 0;

  constructor(private readonly size: number) {}

  /** Bytes that are taken now. */
  get taken(): number {
    return this.used;
  }

  /** Resolves when there is room; it is to be given back by what this returns, once. */
  async take(owner: string, bytes: number): Promise<() => void> {
    if (this.waiting.length > 0 || !this.fits(bytes)) {
      await new Promise<void>((resolve) => this.waiting.add(owner, resolve, bytes));
    } else this.used += bytes;
    return () => this.give(bytes);
  }

  /** Does the work as soon as there is room for it. */
  async within<Result>(owner: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const give = await this.take(owner, bytes);
    try {
      return await work();
    } finally {
      give();
    }
  }

  private fits(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.size;
  }

  private give(bytes: number): void {
    this.used -= bytes;
    for (let next = this.waiting.peek(); next && this.fits(next.weight); next = this.waiting.peek()) {
      this.used += next.weight;
      this.waiting.take()?.();
    }
  }
}
