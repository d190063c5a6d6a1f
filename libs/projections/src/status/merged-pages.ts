/** Takes items from consecutive pages. */
class Taker<T> {
  private readonly pages: AsyncIterator<readonly T[]>;
  private page: readonly T[] = [];
  private place = 0;

  constructor(pages: AsyncIterable<readonly T[]>) {
    this.pages = pages[Symbol.asyncIterator]();
  }

  /** The next item of the current page. `undefined`: the next page has to be fetched, or there is none. */
  get next(): T | undefined {
    return this.page[this.place];
  }

  take(): void {
    this.place++;
  }

  /** Fetches pages until there is a next item. `false`: there is none. */
  async fetch(): Promise<boolean> {
    while (this.place >= this.page.length) {
      const { value, done } = await this.pages.next();
      if (done) return false;
      [this.page, this.place] = [value, 0];
    }
    return true;
  }

  async *rest(): AsyncGenerator<readonly T[]> {
    while (await this.fetch()) {
      yield this.page.slice(this.place);
      this.place = this.page.length;
    }
  }
}

/**
 * Merges two sorted sequences, in pages. Of equal items, that of `left` comes first. Pages of both are read only when they are needed, and an output
 * page is never longer than one page of each together.
 */
export async function* mergedPages<T>(
  left: AsyncIterable<readonly T[]>,
  right: AsyncIterable<readonly T[]>,
  compare: (left: T, right: T) => number,
): AsyncGenerator<readonly T[]> {
  const [ofLeft, ofRight] = [new Taker(left), new Taker(right)];
  while ((await ofLeft.fetch()) && (await ofRight.fetch())) {
    const page: T[] = [];
    for (
      let [one, other] = [ofLeft.next, ofRight.next];
      one !== undefined && other !== undefined;
      [one, other] = [ofLeft.next, ofRight.next]
    ) {
      const isLeft = compare(one, other) <= 0;
      page.push(isLeft ? one : other);
      (isLeft ? ofLeft : ofRight).take();
    }
    yield page;
  }
  yield* ofLeft.rest();
  yield* ofRight.rest();
}
