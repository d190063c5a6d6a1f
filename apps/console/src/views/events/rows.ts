import type { ItemOf } from '../../api/types.js';

/** An event of a list, readable form, or what is left of an expired one. */
export type EventItem = ItemOf<'/audit/events'>;
/** One in the readable form. */
export type ReadableEvent = Extract<EventItem, { actor: unknown }>;

export const isReadable = (event: EventItem): event is ReadableEvent => 'actor' in event;

/** What a list shows of an event, and no more: its data may be large. All but the index are gone with an expired one. */
export type EventRow = Readonly<{
  index: number;
  position?: string;
  type?: string;
  stream?: string;
  time?: string;
  actor?: ReadableEvent['actor'];
}>;

export const rowOf = (event: EventItem): EventRow => {
  if (!isReadable(event)) return 'position' in event ? { index: event.index, position: event.position } : { index: event.index };
  const { index, position, type, stream, time, actor } = event;
  return { index, position, type, stream, time, actor };
};

/** Rows that the page holds at most. */
export const MOST_ROWS = 2_000;

/**
 * What the page shows: rows, newest first, and where to go on. `before`: rows newer than the first one were let go, so that the page stays small.
 * `next`: null at the end of the log.
 */
export type Rows = Readonly<{ items: readonly EventRow[]; next: string | null; before: boolean }>;

export const NO_ROWS: Rows = { items: [], next: null, before: false };

/** Each event once, newest first: two calls may bring the same. */
const merged = (rows: readonly EventRow[], others: readonly EventRow[]): readonly EventRow[] => {
  const known = new Set(rows.map(({ index }) => index));
  return [...rows, ...others.filter(({ index }) => !known.has(index))].sort((one, other) => other.index - one.index);
};

/** Older events come at the end; beyond the most rows the newest are let go. */
export const withOlder = ({ items, before }: Rows, older: readonly EventRow[], next: string | null): Rows => {
  const all = merged(items, older);
  const gone = Math.max(0, all.length - MOST_ROWS);
  return { items: all.slice(gone), next, before: before || gone > 0 };
};

/** New events come first; beyond the most rows the oldest are let go, which `More` brings again. */
export const withNewer = ({ items, next, before }: Rows, newer: readonly EventRow[]): Rows => {
  const all = merged(items, newer);
  const kept = all.slice(0, MOST_ROWS);
  return { items: kept, before, next: kept.length < all.length ? (kept.at(-1)?.position ?? next) : next };
};

/** Position of the newest row. */
export const newestOf = ({ items }: Rows): string | undefined => items[0]?.position;
