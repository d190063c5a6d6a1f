/** Min-heap: items ordered by rank, the smallest first. */
export class Heap<Item> {
  private readonly items: (readonly [rank: number, item: Item])[] = [];

  get size(): number {
    return this.items.length;
  }

  /** Rank of the first item. `undefined` if the heap is empty. */
  get rank(): number | undefined {
    return this.items[0]?.[0];
  }

  /** The first item that `isCurrent`; those before it are removed. */
  first(isCurrent: (item: Item, rank: number) => boolean): Item | undefined {
    for (let [first] = this.items; first; [first] = this.items) {
      const [rank, item] = first;
      if (isCurrent(item, rank)) return item;
      this.pop();
    }
    return undefined;
  }

  push(rank: number, item: Item): void {
    const { items } = this;
    let at = items.length;
    items.push([rank, item]);
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.rankAt(parent) <= rank) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop(): Item | undefined {
    const { items } = this;
    const [top, last] = [items[0], items.pop()];
    if (!top || !last || items.length === 0) return top?.[1];
    items[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = this.rankAt(right) < this.rankAt(left) ? right : left;
      if (this.rankAt(child) >= this.rankAt(at)) return top[1];
      this.swap(at, child);
      at = child;
    }
  }

  private rankAt(index: number): number {
    return this.items[index]?.[0] ?? Number.POSITIVE_INFINITY;
  }

  private swap(a: number, b: number): void {
    const { items } = this;
    const [first, second] = [items[a], items[b]];
    if (!first || !second) return;
    items[a] = second;
    items[b] = first;
  }
}
