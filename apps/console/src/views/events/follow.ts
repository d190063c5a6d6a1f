import type { Query } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { type EventRow, rowOf } from './rows.js';

export type Page = AnswerOf<'/audit/events'>;
/** Asks for a page of `/audit/events`. @throws ApiError */
export type Ask = (query: Query) => Promise<Page>;

/** Rows of a page. */
export const PAGE = 100;
/** A filter without an index looks at 20,000 events a call: so many calls before the next look. */
const CALLS = 10;
/** Who is so far behind is better shown the newest. */
const MOST_NEW = 500;

/** Positions sort by length, then by text. */
const isAfter = (one: string, other: string): boolean => (one.length === other.length ? one > other : one.length > other.length);

/** Position of the newest event, whatever it is; `"0"`: there is none. @throws ApiError */
export const newestPosition = async (ask: Ask): Promise<string> =>
  (await ask({ order: 'desc', limit: 1 })).items.map(rowOf)[0]?.position ?? '0';

/** `items`: newest first. `newer`: everything up to this position has been looked at. */
type Newer = Readonly<{ items: readonly EventRow[]; newer: string }>;

/**
 * What came after a position and passes the filters, as far as one look goes: the next one goes on where it ended, and looks at no event again.
 * @returns `null`: so much came that it is better to begin with the newest @throws ApiError
 */
export const newerThan = async (after: string, filters: Query, ask: Ask): Promise<Newer | null> => {
  const head = await newestPosition(ask);
  const found: EventRow[] = [];
  let reached = after;
  for (let calls = 0; calls < CALLS && isAfter(head, reached); calls += 1) {
    if (found.length >= MOST_NEW) return null;
    const { items, next } = await ask({ ...filters, order: 'asc', limit: PAGE, after: reached });
    found.push(...items.map(rowOf));
    const last = found.at(-1)?.position;
    reached = next ?? (last !== undefined && isAfter(last, head) ? last : head);
  }
  return { items: found.reverse(), newer: reached };
};
