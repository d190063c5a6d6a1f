import type { FastifyRequest } from 'fastify';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { offsetOf, type Paging } from './paging.js';
import { matches, type Search, SearchEffort } from './search.js';

/** Records read at a time at the most. */
export const STEP = 1_000;
/** Records read first, while nobody knows how long they are. */
const FIRST_STEP = 16;
/** Bytes of records read at a time, as far as the ones before tell. */
const STEP_BYTES = 1024 * 1024;

/** Keeps a search from holding up others: for how long it works in one go, how much in all, and whether its client is still there. */
export class Pace {
  readonly slice = new TimeSlice();
  readonly effort = new SearchEffort();

  constructor(private readonly request: FastifyRequest) {}

  get isPointless(): boolean {
    return this.request.raw.socket.destroyed;
  }
}

/** All documents of a range without `offset` and `limit`, some at a time: about a megabyte of them, and `step` at the most. */
export async function* documentsIn(
  view: ReadView,
  collection: string,
  range: KeyRange,
  step = STEP,
): AsyncGenerator<readonly StoredDocument[]> {
  const { gte: _first, ...rest } = range;
  let limit = Math.min(step, FIRST_STEP);
  let found = await view.range(collection, { ...range, limit });
  while (found.length > 0) {
    yield found;
    const last = found.at(-1);
    if (!last || found.length < limit) return;
    limit = nextStep(found, step);
    found = await view.range(collection, { ...rest, gt: last.key, limit });
  }
}

/** How many documents to read after these. */
const nextStep = (found: readonly StoredDocument[], most: number): number => {
  let bytes = 0;
  for (const { value } of found) bytes += value.length;
  return Math.max(1, Math.min(most, Math.floor((STEP_BYTES * found.length) / Math.max(bytes, 1))));
};

/** The same as the records that they hold. */
export async function* recordsIn<T>(view: ReadView, collection: string, range: KeyRange): AsyncGenerator<readonly T[]> {
  for await (const documents of documentsIn(view, collection, range))
    yield documents.map(({ value }) => JSON.parse(value.toString('utf8')) as T);
}

/**
 * The texts of several sources in one order, some at a time: each source gives its texts in order, several at a time. What can be told apart
 * by what was read so far is passed on, so that only the next few texts of each source are held.
 */
export async function* inOrder(sources: readonly AsyncIterator<readonly string[]>[]): AsyncGenerator<readonly string[]> {
  const refilled = async (source: AsyncIterator<readonly string[]>) => {
    const { done, value } = await source.next();
    return done ? [] : [{ source, texts: value }];
  };
  let heads = (await Promise.all(sources.map(refilled))).flat();
  while (heads.length > 0) {
    const [bound = ''] = heads.map(({ texts }) => texts.at(-1) ?? '').sort();
    const cuts = heads.map((head) => ({ head, cut: head.texts.findIndex((text) => text > bound) }));
    yield cuts.flatMap(({ head: { texts }, cut }) => (cut < 0 ? texts : texts.slice(0, cut))).sort();
    const left = cuts.map(({ head, cut }) => (cut < 0 ? refilled(head.source) : [{ ...head, texts: head.texts.slice(cut) }]));
    heads = (await Promise.all(left)).flat();
  }
}

/** The records of one page among those that match, in the order in which they come, and how many match in all. */
export const select = async <T>(
  batches: AsyncIterable<readonly T[]>,
  search: Search<T>,
  paging: Paging,
  pace: Pace,
): Promise<Readonly<{ found: readonly T[]; total: number }>> => {
  const found: T[] = [];
  let total = 0;
  for await (const batch of batches) {
    for (const record of batch) {
      if (matches(search, record, pace.effort)) {
        if (total >= offsetOf(paging) && found.length < paging.size) found.push(record);
        total += 1;
      }
      if (pace.slice.isOver) await pace.slice.next();
    }
    if (pace.isPointless) break;
  }
  return { found, total };
};
