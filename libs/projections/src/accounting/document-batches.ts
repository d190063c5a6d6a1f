import type { Collection } from '#projections/shared/collection.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Maximum documents per batch. */
const STEP = 1_000;
/** Documents in the first batch, while their length is unknown. */
const FIRST_STEP = 16;
/** Target bytes per batch, estimated from the previous documents. */
const STEP_BYTES = 1024 * 1024;

/** The documents of a range, in batches. */
export type Batches = AsyncGenerator<readonly StoredDocument[]>;

/** Size of the next batch. */
const nextStep = (found: readonly StoredDocument[], most: number): number => {
  let bytes = 0;
  for (const { value } of found) bytes += value.length;
  return Math.max(1, Math.min(most, Math.floor((STEP_BYTES * found.length) / Math.max(bytes, 1))));
};

/** Continues a range from its first documents. The range ends there if these are fewer than `limit`. */
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

/** All documents of a range without `offset` and `limit`, in batches of about a megabyte and at most `step` documents. */
export async function* documentsIn(view: ReadView, collection: string, range: KeyRange, step = STEP): Batches {
  const limit = Math.min(step, FIRST_STEP);
  yield* continued(view, collection, range, await view.range(collection, { ...range, limit }), limit, step);
}

/** The same, parsed. */
export async function* parsedIn<Document>(
  view: ReadView,
  collection: Collection<Document, never>,
  range: KeyRange = {},
): AsyncGenerator<readonly Document[]> {
  for await (const documents of documentsIn(view, collection.name, range)) yield documents.map(({ value }) => collection.parse(value));
}

/**
 * The documents of several ranges, in the given order. The first documents of all ranges are read together, the others on demand. Each range may be
 * read more than once.
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
