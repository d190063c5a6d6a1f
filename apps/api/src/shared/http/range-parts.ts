import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';

/** Documents that are read at once. */
const TOGETHER = 500;

/** The documents of a range in key order, some at a time, giving way in between: for ranges whose length callers decide. Not one state of the store. */
export async function* rangeInParts(
  view: ReadView,
  collection: string,
  range: Pick<KeyRange, 'gte' | 'lt'>,
  together = TOGETHER,
): AsyncGenerator<readonly StoredDocument[]> {
  const slice = new TimeSlice();
  const { gte, ...upper } = range;
  let lower: Pick<KeyRange, 'gte' | 'gt'> = gte === undefined ? {} : { gte };
  for (;;) {
    const part = await view.range(collection, { ...lower, ...upper, limit: together });
    const last = part.at(-1);
    if (last) yield part;
    if (!last || part.length < together) return;
    lower = { gt: last.key };
    if (slice.isOver) await slice.next();
  }
}
