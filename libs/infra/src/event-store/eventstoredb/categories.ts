import type { CategoryFilter } from '#domain/shared/event-store.js';
import { type Categories, passes } from '#infra/event-store/category-filter.js';
import type { WireEvent } from './messages/records.js';

/** Prefix of streams that hold the parts of large payloads; not a category of a service. */
export const PAYLOAD_PREFIX = 'payload-';

/** Whether callers may not use the stream: it has no name, is the server's own, or holds a payload. */
export const isReserved = (stream: string): boolean => stream === '' || stream.startsWith('$') || stream.startsWith(PAYLOAD_PREFIX);

/**
 * The filter that the server applies to stream names: a regular expression that .NET and JavaScript read alike. Prefixes would not do,
 * because a stream may be named like its category, without an id.
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

/** Whether an event passes the filter. The server's own events, whose types start with `$`, never do. */
export const isWanted = ({ type, stream }: WireEvent, categories: Categories | undefined): boolean =>
  !type.startsWith('$') && !isReserved(stream) && passes(categories, stream);
