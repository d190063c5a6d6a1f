import type { CategoryFilter } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';
import { streamOf, typeOf, type WireEvent } from './records.js';

/** Streams that hold the parts of large payloads; no category of a service. */
export const payloadPrefix = 'payload-';

/** Streams that are not the caller's: nameless, the server's own, and our payload streams. */
export const isReserved = (stream: string): boolean => stream === '' || stream.startsWith('$') || stream.startsWith(payloadPrefix);

/**
 * The filter as the server applies it to stream names: a regular expression that .NET and JavaScript read alike. Prefixes would not do,
 * because a stream may have the name of its category and nothing else.
 */
export const serverFilter = (categories: CategoryFilter | undefined): string => {
  if (!categories) return `^(?!\\$|${payloadPrefix})`;
  if (categories.length === 0) return '^(?!)';
  const names = categories.map((category) =>
    category.endsWith('.*') ? literally(category.slice(0, -1)) : `${literally(category)}(?:-|$)`,
  );
  return `^(?:${names.join('|')})`;
};

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');

const passes = (categories: CategoryFilter | undefined, stream: string): boolean => {
  if (isReserved(stream)) return false;
  if (!categories) return true;
  const category = categoryOf(stream);
  return categories.some((wanted) => (wanted.endsWith('.*') ? category.startsWith(wanted.slice(0, -1)) : category === wanted));
};

/** Whether an event belongs to the filter; the server's own events, whose types start with `$`, never do. */
export const isWanted = (wire: WireEvent, categories: CategoryFilter | undefined): boolean =>
  !typeOf(wire).startsWith('$') && passes(categories, streamOf(wire));
