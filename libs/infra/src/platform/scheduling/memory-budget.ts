import { FairQueue } from './fair-queue.js';

/**
 * A limit in bytes for large work. Work waits while there is not enough left, and owners take turns. Work larger than the limit runs alone.
 * One owner may take a share; the only work of an owner is exempt from it.
 */
export class MemoryBudget {
  private readonly waiting = new FairQueue<() => void>();
  private used = 0;
  /** The same, of each owner only up to its share: one that has more must not stop the others. */
  private counted = 0;
  private readonly byOwner = new Map<string, number>();

  /** @param share bytes that one owner may take; default: all */
  constructor(
    private readonly size: number,
    private readonly share = size,
  ) {}

  /** Bytes in use. */
  get taken(): number {
    return this.used;
  }

  /** Whether work of the owner would wait, because other work of the owner does or there is nothing left for anybody. */
  isCrowded(owner: string): boolean {
    return this.waiting.length > 0 && (this.waiting.has(owner) || this.next() !== undefined);
  }

  /** Takes bytes and returns how to give them back, to be called once; `undefined` if there are not enough, or others wait. */
  tryTake(owner: string, bytes: number): (() => void) | undefined {
    return this.tryAdd(owner, bytes) ? () => this.add(owner, -bytes) : undefined;
  }

  /** Takes bytes, to be given back by {@link add}; `false` if there are not enough, or others wait. */
  tryAdd(owner: string, bytes: number): boolean {
    if (this.isCrowded(owner) || !this.isWithinShare(owner, bytes) || !this.fits(bytes)) return false;
    this.add(owner, bytes);
    return true;
  }

  /** Takes bytes even if there are not enough, or gives some back if negative. */
  add(owner: string, bytes: number): void {
    this.used += bytes;
    const before = this.byOwner.get(owner) ?? 0;
    const own = before + bytes;
    this.counted += Math.min(own, this.share) - Math.min(before, this.share);
    if (own > 0) this.byOwner.set(owner, own);
    else this.byOwner.delete(owner);
    if (bytes < 0 && this.waiting.length > 0) this.admit();
  }

  /** Waits for bytes and returns how to give them back, to be called once. @throws the reason of the signal when it ends the wait */
  async take(owner: string, bytes: number, signal?: AbortSignal): Promise<() => void> {
    const taken = this.tryTake(owner, bytes);
    if (taken) return taken;
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal?.removeEventListener('abort', refuse);
        this.add(owner, bytes);
        resolve(() => this.add(owner, -bytes));
      };
      const refuse = (): void => {
        this.waiting.remove(owner, proceed);
        this.admit();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', refuse, { once: true });
      this.waiting.add(owner, proceed, bytes);
    });
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
    return this.counted === 0 || this.counted + bytes <= this.size;
  }

  private isWithinShare(owner: string, bytes: number): boolean {
    const own = this.byOwner.get(owner);
    return own === undefined || own + bytes <= this.share;
  }

  /** The next work in turn whose owner is within its share. */
  private next() {
    return this.waiting.find((owner, weight) => this.isWithinShare(owner, weight));
  }

  private admit(): void {
    for (let next = this.next(); next && this.fits(next.weight); next = this.next()) this.waiting.take(next.owner)?.();
  }
}
