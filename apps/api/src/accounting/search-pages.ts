import { setImmediate as breathe } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { KeyRange, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { offsetOf, type Paging } from './paging.js';
import { matches, type Search } from './search.js';

/** Records read at a time. */
export const STEP = 1_000;
/** Milliseconds before others get their turn. */
const TURN = 10;

/** Keeps long work from holding up others, and tells when it has become pointless because the client is gone. */
export class Pace {
  private since = performance.now();

  constructor(private readonly request: FastifyRequest) {}

  get isPointless(): boolean {
    return this.request.raw.socket.destroyed;
  }

  get isDue(): boolean {
    return performance.now() - this.since > TURN;
  }

  async rest(): Promise<void> {
    await breathe();
    this.since = performance.now();
  }
}

/** All documents of a range without `offset` and `limit`, some at a time. */
export async function* documentsIn(
  view: ReadView,
  collection: string,
  range: KeyRange,
  step = STEP,
): AsyncGenerator<readonly StoredDocument[]> {
  const { gte: _first, ...rest } = range;
  let found = await view.range(collection, { ...range, limit: step });
  while (found.length > 0) {
    yield found;
    const last = found.at(-1);
    if (!last || found.length < step) return;
    found = await view.range(collection, { ...rest, gt: last.key, limit: step });
  }
}

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
      if (matches(search, record)) {
        if (total >= offsetOf(paging) && found.length < paging.size) found.push(record);
        total += 1;
      }
      if (pace.isDue) await pace.rest();
    }
    if (pace.isPointless) break;
  }
  return { found, total };
};
