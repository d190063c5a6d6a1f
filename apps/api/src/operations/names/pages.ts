import { TimeSlice } from '#domain/shared/time-slice.js';

/** A list, page by page. */
export type Pages<Item> = AsyncGenerator<readonly Item[]>;

/** Maximum number of searched records of a kind; others are found by their ids. */
const MOST_LOOKED_AT = 10_000;

/** Items of each part of a list, or of all of it. */
export async function* paged<Part, Item>(
  parts: AsyncIterable<Part> | Promise<Part>,
  itemsOf: (part: Part) => readonly Item[],
): Pages<Item> {
  if (parts instanceof Promise) yield itemsOf(await parts);
  else for await (const part of parts) yield itemsOf(part);
}

/**
 * Pages up to the maximum number of records, in slices of time, because reads of embedded stores return at once. A wait for a page uses up one slice,
 * however long it is, so that a busy machine does not shorten a search.
 * @param gone aborted when nobody waits for more of them
 * @param mostSlices after which it ends. Default: any number
 */
export async function* lookedThrough<Item>(
  pages: AsyncIterable<readonly Item[]>,
  gone: AbortSignal,
  mostSlices = Number.POSITIVE_INFINITY,
): Pages<Item> {
  const slice = new TimeSlice();
  let [looked, slices] = [0, 0];
  for await (const page of pages) {
    yield page;
    looked += page.length;
    if (looked >= MOST_LOOKED_AT || gone.aborted) return;
    if (!slice.isOver) continue;
    slices += 1;
    if (slices >= mostSlices) return;
    await slice.next();
  }
}
