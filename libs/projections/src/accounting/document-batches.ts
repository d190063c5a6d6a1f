import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Documents read at a time at the most. */
const STEP = 1_000;
/** Documents read first, while their length is unknown. */
const FIRST_STEP = 16;
/** Bytes of documents read at a time, estimated from the documents before. */
const STEP_BYTES = 1024 * 1024;

/** The documents of a range, some at a time. */
export type Batches = AsyncGenerator<readonly StoredDocument[]>;

/** How many documents to read after these. */
const nextStep = (found: readonly StoredDocument[], most: number): number => {
  let bytes = 0;
  for (const { value } of found) bytes += value.length;
  return Math.max(1, Math.min(most, Math.floor((STEP_BYTES * found.length) / Math.max(bytes, 1))));
};

/** The documents of a range of which the first were read: all that there are when they are fewer than `limit`. */
async function* continued(
  view: ReadView,
  collection: string,
  range: KeyRange,
  first: readonly StoredDocument[],
  limit: number,
  step: number,
): Batches {
  const { gte: _first, ...rest } = range;
  let found = first;
  let wanted = limit;
  while (found.length > 0) {
    yield found;
    const last = found.at(-1);
    if (!last || found.length < wanted) return;
    wanted = nextStep(found, step);
    found = await view.range(collection, { ...rest, gt: last.key, limit: wanted });
  }
}

/** All documents of a range without `offset` and `limit`, some at a time: about a megabyte of them, and `step` at the most. */
export async function* documentsIn(view: ReadView, collection: string, range: KeyRange, step = STEP): Batches {
  const limit = Math.min(step, FIRST_STEP);
  yield* continued(view, collection, range, await view.range(collection, { ...range, limit }), limit, step);
}

/**
 * The documents of several ranges, in the order asked: the first of each are read together, the others of a long one once they are asked for.
 * Each may be walked through more than once.
 */
export const documentsInEach = async (
  view: ReadView,
  collection: string,
  ranges: readonly KeyRange[],
  limit = FIRST_STEP,
): Promise<readonly (() => Batches)[]> => {
  const begun =
    ranges.length === 0
      ? []
      : await view.ranges(
          collection,
          ranges.map((range) => ({ ...range, limit })),
        );
  return ranges.map((range, index) => () => continued(view, collection, range, begun[index] ?? [], limit, STEP));
};
