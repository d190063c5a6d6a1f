import { getOrInsert } from '#domain/shared/get-or-insert.js';

/** A waiting item, and how much capacity its work needs. */
type Entry<Item> = Readonly<{ item: Item; weight: number }>;

/** A queue in which owners take turns, each with its oldest item: an owner with a thousand items does not hold up the others. */
export class FairQueue<Item> {
  private readonly byOwner = new Map<string, Entry<Item>[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(owner: string, item: Item, weight = 1): void {
    getOrInsert(this.byOwner, owner, () => []).push({ item, weight });
    this.count++;
  }

  /** The next item; `undefined` if the queue is empty. */
  peek(): Entry<Item> | undefined {
    return this.byOwner.values().next().value?.[0];
  }

  /** Removes and returns the next item; its owner goes to the end of the queue. */
  take(): Item | undefined {
    for (const [owner, own] of this.byOwner) {
      const entry = own.shift();
      this.byOwner.delete(owner);
      if (own.length > 0) this.byOwner.set(owner, own);
      this.count--;
      return entry?.item;
    }
    return undefined;
  }

  /** Removes an item that does not need to wait any longer. */
  remove(owner: string, item: Item): void {
    const own = this.byOwner.get(owner);
    const index = own?.findIndex((entry) => entry.item === item) ?? -1;
    if (!own || index < 0) return;
    own.splice(index, 1);
    this.count--;
    if (own.length === 0) this.byOwner.delete(owner);
  }
}
