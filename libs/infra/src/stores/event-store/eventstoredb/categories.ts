import type { CategoryFilter } from '#domain/shared/event-store.js';
import { type Categories, passes } from '#infra/stores/event-store/category-filter.js';
import type { ForeignEvents } from './messages/foreign-events.js';
import { PAYLOAD_PREFIX, type WireEvent } from './messages/records.js';

/** Returns whether callers may not use the stream: it has no name, belongs to the server, or holds a payload. */
export const isReserved = (stream: string): boolean => stream === '' || stream.startsWith('$') || stream.startsWith(PAYLOAD_PREFIX);

/**
 * Filter that the server applies to stream names: a regular expression with the same meaning in .NET and JavaScript. Prefixes are not
 * enough, because a stream may be named like its category, without an id.
 */
export const serverFilter = (categories: CategoryFilter | undefined): string => {
  if (!categories) return `^(?!\\$|${PAYLOAD_PREFIX})`;
  return categories.length === 0 ? '^(?!)' : `^(?:${namesOf(categories).join('|')})`;
};

/** Filter for the metadata streams of these categories and of payloads. */
export const metadataFilter = (categories: readonly string[]): string => `^\\$\\$(?:${[PAYLOAD_PREFIX, ...namesOf(categories)].join('|')})`;

const namesOf = (categories: readonly string[]): readonly string[] =>
  categories.map((category) => (category.endsWith('.*') ? literally(category.slice(0, -1)) : `${literally(category)}(?:-|$)`));

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');

/** Type of events without content that replace expired ones. */
export const FILLING_TYPE = '$logbook-expired';

/**
 * Returns whether an event passes the filter. Events of other programs never pass, nor do the server's own, whose types start with `$`. The
 * exception is a link in one of our streams, which only another program can have written.
 */
export const isWanted = (wire: WireEvent, categories: Categories | undefined, foreign: ForeignEvents): boolean => {
  const { type, stream } = wire;
  if (isReserved(stream) || !passes(categories, stream)) return false;
  if (type.startsWith('$') && !(type === LINK_TYPE && foreign.isOwn(stream))) return false;
  return !foreign.has(wire);
};

const LINK_TYPE = '$>';
