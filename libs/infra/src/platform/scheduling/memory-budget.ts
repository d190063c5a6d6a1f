import { FairQueue } from './fair-queue.js';

/** A limit in bytes for large work. Work waits while there is not enough left, and owners take turns. Work larger than the limit runs alone. */
export class MemoryBudget {
  private readonly waiting = new FairQueue<() => void>();
  private used = 0;

  constructor(private readonly size: number) {}

  /** Bytes in use. */
  get taken(): number {
    return this.used;
  }

  /** Whether any work waits. */
  get isCrowded(): boolean {
    return this.waiting.length > 0;
  }

  /** Takes bytes and returns how to give them back, to be called once; `undefined` if there are not enough, or others wait. */
  tryTake(bytes: number): (() => void) | undefined {
    if (this.isCrowded || !this.fits(bytes)) return undefined;
    this.used += bytes;
    return () => this.give(bytes);
  }

  /** Takes bytes even if there are not enough, for work that cannot wait. */
  takeAnyway(bytes: number): () => void {
    this.used += bytes;
    return () => this.give(bytes);
  }

  /** Waits for bytes and returns how to give them back, to be called once. @throws the reason of the signal when it ends the wait */
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

  /** Runs the work as soon as there are enough bytes for it. */
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
