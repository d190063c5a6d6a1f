/** Pages of items, and the first item, which is known before the pages are read. The pages include it. */
export type PeekedPages<Item> = Readonly<{ first: Item | undefined; pages: AsyncIterable<readonly Item[]> }>;

async function* behind<Item>(page: readonly Item[], rest: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  yield page;
  yield* rest;
}

/** Reads pages up to the first item, because the status of an answer may depend on it. */
export const peekFirst = async <Item>(pages: AsyncGenerator<readonly Item[]>): Promise<PeekedPages<Item>> => {
  for (;;) {
    const { value, done } = await pages.next();
    if (done) return { first: undefined, pages };
    if (value.length > 0) return { first: value[0], pages: behind(value, pages) };
  }
};
