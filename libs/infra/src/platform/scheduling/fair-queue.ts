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

  /** Whether an item of the owner waits. */
  has(owner: string): boolean {
    return this.byOwner.has(owner);
  }

  add(owner: string, item: Item, weight = 1): void {
    getOrInsert(this.byOwner, owner, () => []).push({ item, weight });
    this.count++;
  }

  /** The next item in turn that may go; `undefined` if there is none. Nothing is removed. */
  find(may: (owner: string, weight: number) => boolean): (Entry<Item> & Readonly<{ owner: string }>) | undefined {
    for (const [owner, [entry]] of this.byOwner) if (entry && may(owner, entry.weight)) return { ...entry, owner };
    return undefined;
  }

  /** Removes and returns the next item, or that of an owner; the owner goes to the end of the queue. */
  take(of?: string): Item | undefined {
    const owner = of ?? this.byOwner.keys().next().value;
    const own = owner === undefined ? undefined : this.byOwner.get(owner);
    if (owner === undefined || !own) return undefined;
    const entry = own.shift();
    this.byOwner.delete(owner);
    if (own.length > 0) this.byOwner.set(owner, own);
    this.count--;
    return entry?.item;
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
