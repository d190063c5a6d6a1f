import { jsonText } from '../shared/layout.js';
import type { DocumentCodec } from '../shared/projection.js';

/**
 * JSON text as clients of the status service know it: one space per level, `<`, `>` and `&` escaped (status contract 1.8).
 * `depth` is how many levels deep the value stands in the body: its lines after the first are indented for that place.
 */
export const wireText = (value: unknown, depth = 0): string => {
  const text = jsonText(value, 1);
  return depth === 0 ? text : text.replaceAll('\n', `\n${' '.repeat(depth)}`);
};

/** How deep a record stands in the `data` array of an envelope. */
export const RECORD_DEPTH = 2;

/** A record's own text member at its place in a record text, to search for without parsing. */
export const memberLine = (member: string, value: string): string => `\n   ${wireText(member)}: ${wireText(value)}`;

/** What stands between two values of an array at a depth. */
export const separatorAt = (depth: number): string => `,\n${' '.repeat(depth)}`;

/** For documents that hold several items of an array at a depth: their texts, separated as there. Not for an empty list. */
export const itemsCodec = (depth: number): DocumentCodec => ({
  encode: (items) => (items as readonly unknown[]).map((item) => wireText(item, depth)).join(separatorAt(depth)),
  decode: (text) => JSON.parse(`[${text}]`),
});

/** `YYYY-MM-DD HH:MM:SS`, UTC, of an instant (status contract 1.9). */
export const wireTime = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;
