import type { CategoryFilter } from '#domain/shared/event-store.js';
import { type Categories, passes } from '#infra/stores/event-store/category-filter.js';
import type { ForeignEvents } from './messages/foreign-events.js';
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
  return categories.length === 0 ? '^(?!)' : `^(?:${namesOf(categories).join('|')})`;
};

/** The same for the streams of the metadata of streams of these categories, and of those of payloads. */
export const metadataFilter = (categories: readonly string[]): string => `^\\$\\$(?:${[PAYLOAD_PREFIX, ...namesOf(categories)].join('|')})`;

const namesOf = (categories: readonly string[]): readonly string[] =>
  categories.map((category) => (category.endsWith('.*') ? literally(category.slice(0, -1)) : `${literally(category)}(?:-|$)`));

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');

/** Type of events without content, in place of those that have expired. */
export const FILLING_TYPE = '$logbook-expired';

/**
 * Whether an event passes the filter. Those of other programs never do, nor do the server's own, whose types start with `$`: links in our own streams
 * excepted, which only another program can have put there.
 */
export const isWanted = (wire: WireEvent, categories: Categories | undefined, foreign: ForeignEvents): boolean => {
  const { type, stream } = wire;
  if (isReserved(stream) || !passes(categories, stream)) return false;
  if (type.startsWith('$') && !(type === LINK_TYPE && foreign.isOwn(stream))) return false;
  return !foreign.has(wire);
};

const LINK_TYPE = '$>';
