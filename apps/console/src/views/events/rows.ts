import type { ItemOf } from '../../api/types.js';

/** An event of a list, readable form, or what is left of an expired one. */
export type EventItem = ItemOf<'/audit/events'>;
/** One in the readable form. */
export type ReadableEvent = Extract<EventItem, { actor: unknown }>;

export const isReadable = (event: EventItem): event is ReadableEvent => 'actor' in event;

/** Rows that the page holds at most. */
export const MOST_ROWS = 2_000;

/**
 * What the page shows: rows, newest first, and where to go on. `before`: rows newer than the first one were let go, so that the page stays small.
 * `next`: null at the end of the log.
 */
export type Rows = Readonly<{ items: readonly EventItem[]; next: string | null; before: boolean }>;

export const NO_ROWS: Rows = { items: [], next: null, before: false };

/** Older events come at the end; beyond the most rows the newest are let go. */
export const withOlder = ({ items, before }: Rows, older: readonly EventItem[], next: string | null): Rows => {
  const all = [...items, ...older];
  const gone = Math.max(0, all.length - MOST_ROWS);
  return { items: all.slice(gone), next, before: before || gone > 0 };
};

const positionOf = (event: EventItem | undefined): string | undefined => (event && 'position' in event ? event.position : undefined);

/** New events come first; beyond the most rows the oldest are let go, which `More` brings again. */
export const withNewer = ({ items, next, before }: Rows, newer: readonly EventItem[]): Rows => {
  const known = new Set(items.map(({ index }) => index));
  const all = [...newer.filter(({ index }) => !known.has(index)), ...items];
  const kept = all.slice(0, MOST_ROWS);
  return { items: kept, before, next: kept.length < all.length ? (positionOf(kept.at(-1)) ?? next) : next };
};

/** Position of the newest row. */
export const newestOf = ({ items }: Rows): string | undefined => positionOf(items[0]);
