export { RECORD_DEPTH } from '#domain/status/limits.js';

import { jsonText } from '#projections/shared/layout.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

/**
 * JSON text as clients of the status service know it: one space per level, `<`, `>` and `&` escaped (status contract 1.8).
 * `depth`: how many levels deep the value stands in the body; its lines after the first are indented for that place.
 */
export const wireText = (value: unknown, depth = 0): string => {
  if (depth === 0) return jsonText(value, 1);
  // Written inside of as many arrays: cheaper than to indent afterwards, which makes one string of many.
  let nested = value;
  for (let level = 0; level < depth; level++) nested = [nested];
  const text = jsonText(nested, 1);
  // Each level puts a bracket, a line end and its indentation before the value, and the same after it, with one space less.
  const indentation = (depth * (depth + 1)) / 2;
  return text.slice(2 * depth + indentation, text.length - depth - indentation);
};

/** A member of an object, at its place: a line that begins with its line end. `text` is laid out for its place; `depth` of the object. */
export const memberText = (name: string, text: string, depth: number): string => `\n${' '.repeat(depth + 1)}${wireText(name)}: ${text}`;

/** An object of which each member is JSON text already, laid out for its place; `depth` of the object as in {@link wireText}. */
export const objectText = (members: Readonly<Record<string, string>>, depth = 0): string => {
  const lines = Object.entries(members).map(([name, text]) => memberText(name, text, depth));
  return `{${lines.join(',')}\n${' '.repeat(depth)}}`;
};

/** For documents that stand in an answer as they are stored, at a depth. */
export const wireCodec = (depth: number): DocumentCodec => ({
  encode: (document) => wireText(document, depth),
  decode: (text) => JSON.parse(text),
});

/** For documents that are the very text of an answer. */
export const textCodec: DocumentCodec = { encode: String, decode: (text) => text };

/** The separator of two values of an array at a depth. */
export const separatorAt = (depth: number): string => `,\n${' '.repeat(depth)}`;

/** For documents that hold several items of an array at a depth: their texts with the separators of there. Not for an empty list. */
export const itemsCodec = (depth: number): DocumentCodec => ({
  encode: (items) => (items as readonly unknown[]).map((item) => wireText(item, depth)).join(separatorAt(depth)),
  decode: (text) => JSON.parse(`[${text}]`),
});

/** `YYYY-MM-DD HH:MM:SS`, UTC, of an instant (status contract 1.9). */
export const wireTime = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;
