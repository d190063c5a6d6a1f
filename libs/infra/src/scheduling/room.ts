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

  /** Whether somebody waits for room. */
  get isCrowded(): boolean {
    return this.waiting.length > 0;
  }

  /** How to give back what was taken, once; nothing when there is not enough, or others wait. */
  tryTake(bytes: number): (() => void) | undefined {
    if (this.isCrowded || !this.fits(bytes)) return undefined;
    this.used += bytes;
    return () => this.give(bytes);
  }

  /** Takes it whether there is enough or not, for what cannot do without. */
  takeAnyway(bytes: number): () => void {
    this.used += bytes;
    return () => this.give(bytes);
  }

  /** Resolves when there is room; it is to be given back by what this returns, once. @throws the reason of the signal, which ends the waiting */
  async take(owner: string, bytes: number, signal?: AbortSignal): Promise<() => void> {
    const taken = this.tryTake(bytes);
    if (taken) return taken;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const proceed = (): void => {
        signal?.removeEventListener('abort', refuse);
        resolve();
      };
      const refuse = (): void => {
        this.waiting.remove(owner, proceed);
        this.admit();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', refuse, { once: true });
      this.waiting.add(owner, proceed, bytes);
    });
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
    this.admit();
  }

  private admit(): void {
    for (let next = this.waiting.peek(); next && this.fits(next.weight); next = this.waiting.peek()) {
      this.used += next.weight;
      this.waiting.take()?.();
    }
  }
}
