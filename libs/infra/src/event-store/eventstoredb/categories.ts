import type { CategoryFilter } from '#domain/shared/event-store.js';
import { type Categories, passes } from '#infra/event-store/category-filter.js';
import { streamOf, typeOf, type WireEvent } from './records.js';

/** Streams that hold the parts of large payloads; no category of a service. */
export const PAYLOAD_PREFIX = 'payload-';

/** Streams that are not the caller's: nameless, the server's own, and our payload streams. */
export const isReserved = (stream: string): boolean => stream === '' || stream.startsWith('$') || stream.startsWith(PAYLOAD_PREFIX);

/**
 * The filter as the server applies it to stream names: a regular expression that .NET and JavaScript read alike. Prefixes would not do,
 * because a stream may have the name of its category and nothing else.
 */
export const serverFilter = (categories: CategoryFilter | undefined): string => {
  if (!categories) return `^(?!\\$|${PAYLOAD_PREFIX})`;
  if (categories.length === 0) return '^(?!)';
  const names = categories.map((category) =>
    category.endsWith('.*') ? literally(category.slice(0, -1)) : `${literally(category)}(?:-|$)`,
  );
  return `^(?:${names.join('|')})`;
};

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');

/** Whether an event belongs to the filter; the server's own events, whose types start with `$`, never do. */
export const isWanted = (wire: WireEvent, categories: Categories | undefined): boolean => {
  if (typeOf(wire).startsWith('$')) return false;
  const stream = streamOf(wire);
  return !isReserved(stream) && passes(categories, stream);
};
