import { offsetOf, type Paging } from '#api/accounting/paging.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { matchesInSlices } from './matching.js';
import type { Pace } from './pace.js';
import type { Search } from './search.js';

/** Sources that are read in parallel. */
const AT_ONCE = 64;

/**
 * Merges the texts of several sorted sources, in batches. Texts are emitted as soon as no source can have an earlier one, so that only the
 * next few texts of each source are in memory.
 */
export async function* inOrder(
  sources: readonly AsyncIterator<readonly string[]>[],
  slice = new TimeSlice(),
): AsyncGenerator<readonly string[]> {
  const refilled = async (source: AsyncIterator<readonly string[]>) => {
    const { done, value } = await source.next();
    return done ? [] : [{ source, texts: value }];
  };
  let heads: Readonly<{ source: AsyncIterator<readonly string[]>; texts: readonly string[] }>[] = [];
  for (let start = 0; start < sources.length; start += AT_ONCE) {
    heads.push(...(await Promise.all(sources.slice(start, start + AT_ONCE).map(refilled))).flat());
    if (slice.isOver) await slice.next();
  }
  while (heads.length > 0) {
    if (slice.isOver) await slice.next();
    const [bound = ''] = heads.map(({ texts }) => texts.at(-1) ?? '').sort();
    const cuts = heads.map((head) => ({ head, cut: head.texts.findIndex((text) => text > bound) }));
    yield cuts.flatMap(({ head: { texts }, cut }) => (cut < 0 ? texts : texts.slice(0, cut))).sort();
    const left = cuts.map(({ head, cut }) => (cut < 0 ? refilled(head.source) : [{ ...head, texts: head.texts.slice(cut) }]));
    heads = (await Promise.all(left)).flat();
  }
}

/** The matching records of one page in the order of the batches, and the number of all matching records. */
export const select = async <T>(
  batches: AsyncIterable<readonly T[]>,
  search: Search<T>,
  paging: Paging,
  pace: Pace,
): Promise<Readonly<{ found: readonly T[]; total: number }>> => {
  const found: T[] = [];
  let total = 0;
  const take = (record: T): void => {
    if (total >= offsetOf(paging) && found.length < paging.size) found.push(record);
    total += 1;
  };
  for await (const batch of batches) {
    for (const record of batch) {
      const matches = matchesInSlices(search, record, pace.effort, pace.slice);
      if (typeof matches === 'boolean' ? matches : await matches) take(record);
      if (pace.slice.isOver) await pace.slice.next();
    }
    if (pace.isPointless) break;
  }
  return { found, total };
};
