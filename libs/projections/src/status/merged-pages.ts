/** Takes items from pages one after the other. */
class Taker<T> {
  private readonly pages: AsyncIterator<readonly T[]>;
  private page: readonly T[] = [];
  private place = 0;

  constructor(pages: AsyncIterable<readonly T[]>) {
    this.pages = pages[Symbol.asyncIterator]();
  }

  /** The next item of the page at hand; `undefined`: more has to be fetched, or there is none. */
  get next(): T | undefined {
    return this.page[this.place];
  }

  take(): void {
    this.place++;
  }

  /** Makes sure that there is a next item. `false`: it was the last one. */
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
 * Items of two sorted sequences as one, page by page; of equal ones `left` comes first. The pages of both are taken only when they are needed, and a
 * page is never more than one of each together.
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
