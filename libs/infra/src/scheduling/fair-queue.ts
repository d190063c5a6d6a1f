/** What waits, and what it takes of the room while it is at work. */
type Entry<Item> = Readonly<{ item: Item; weight: number }>;

/**
 * A queue in which owners take turns, each with what it put in first: one who puts in a thousand things does not keep the others from theirs.
 */
export class FairQueue<Item> {
  private readonly byOwner = new Map<string, Entry<Item>[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(owner: string, item: Item, weight = 1): void {
    const own = this.byOwner.get(owner);
    if (own) own.push({ item, weight });
    else this.byOwner.set(owner, [{ item, weight }]);
    this.count++;
  }

  /** The one whose turn it is; nothing when none waits. */
  peek(): Entry<Item> | undefined {
    return this.byOwner.values().next().value?.[0];
  }

  /** Takes out the one whose turn it is; its owner comes last then. */
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

  /** Takes out one that need not wait any longer. */
  remove(owner: string, item: Item): void {
    const own = this.byOwner.get(owner);
    const index = own?.findIndex((entry) => entry.item === item) ?? -1;
    if (!own || index < 0) return;
    own.splice(index, 1);
    this.count--;
    if (own.length === 0) this.byOwner.delete(owner);
  }
}
