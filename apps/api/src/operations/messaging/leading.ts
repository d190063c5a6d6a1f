/** The first items in an order, of any number, in memory for twice as many as are kept. */
export class FirstItems<Item> {
  private kept: Item[] = [];
  private count = 0;

  /** @param most number of items that are kept */
  constructor(
    private readonly most: number,
    private readonly compare: (one: Item, other: Item) => number,
  ) {}

  add(items: readonly Item[]): void {
    this.count += items.length;
    for (const item of items) {
      this.kept.push(item);
      if (this.kept.length >= 2 * this.most) this.kept = this.sorted();
    }
  }

  /** In order. */
  get first(): readonly Item[] {
    return this.sorted();
  }

  /** Number of all that were added. */
  get total(): number {
    return this.count;
  }

  private sorted(): Item[] {
    return [...this.kept].sort(this.compare).slice(0, this.most);
  }
}
