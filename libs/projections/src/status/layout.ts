import type { DocumentCodec } from '../shared/projection.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** The characters of JSON text that could be markup, escaped. */
export const escapeMarkup = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);

/**
 * JSON text as clients of the status service know it: one space per level, `<`, `>` and `&` escaped (status contract 1.8).
 * `depth` is how many levels deep the value stands in the body: its lines after the first are indented for that place.
 */
export const wireText = (value: unknown, depth = 0): string => {
  const text = escapeMarkup(JSON.stringify(value, null, 1));
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
