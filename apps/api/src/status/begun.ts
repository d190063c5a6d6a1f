/** Items in pages, of which the first item is known before they are taken; it is one of them. */
export type Begun<Item> = Readonly<{ first: Item | undefined; pages: AsyncIterable<readonly Item[]> }>;

async function* behind<Item>(page: readonly Item[], rest: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  yield page;
  yield* rest;
}

/** Reads pages up to the first item: the status of an answer may depend on whether there is one. */
export const begun = async <Item>(pages: AsyncGenerator<readonly Item[]>): Promise<Begun<Item>> => {
  for (;;) {
    const { value, done } = await pages.next();
    if (done) return { first: undefined, pages };
    if (value.length > 0) return { first: value[0], pages: behind(value, pages) };
  }
};
