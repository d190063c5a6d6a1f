export { RECORD_DEPTH } from '#domain/status/limits.js';

import { jsonText } from '#projections/shared/layout.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

/**
 * JSON text in the format of the status service: one space per level, with `<`, `>` and `&` escaped (status contract 1.8). `depth`: depth of the
 * value in the body; lines after the first are indented accordingly.
 */
export const wireText = (value: unknown, depth = 0): string => {
  if (depth === 0) return jsonText(value, 1);
  // Nested in as many arrays, because that is cheaper than indenting the text afterwards line by line.
  let nested = value;
  for (let level = 0; level < depth; level++) nested = [nested];
  const text = jsonText(nested, 1);
  // Each level adds a bracket, a line break and its indentation before the value, and the same after it with one space less.
  const indentation = (depth * (depth + 1)) / 2;
  return text.slice(2 * depth + indentation, text.length - depth - indentation);
};

/** Text of an object's member, starting with a line break. `text`: already laid out for its depth. `depth`: that of the object. */
export const memberText = (name: string, text: string, depth: number): string => `\n${' '.repeat(depth + 1)}${wireText(name)}: ${text}`;

/** Text of an object whose members are already JSON text, laid out for their depth. `depth`: that of the object, as in {@link wireText}. */
export const objectText = (members: Readonly<Record<string, string>>, depth = 0): string => {
  const lines = Object.entries(members).map(([name, text]) => memberText(name, text, depth));
  return `{${lines.join(',')}\n${' '.repeat(depth)}}`;
};

/** For documents that are stored in the format of answers, at a depth. */
export const wireCodec = (depth: number): DocumentCodec => ({
  encode: (document) => wireText(document, depth),
  decode: (text) => JSON.parse(text),
});

/** The separator of two values of an array at a depth. */
export const separatorAt = (depth: number): string => `,\n${' '.repeat(depth)}`;

/** For documents that contain several items of an array at a depth, with the separators of answers. Not for an empty list. */
export const itemsCodec = (depth: number): DocumentCodec => ({
  encode: (items) => (items as readonly unknown[]).map((item) => wireText(item, depth)).join(separatorAt(depth)),
  decode: (text) => JSON.parse(`[${text}]`),
});

/** Splits a text of {@link itemsCodec} into its items. Lines within an item have more indentation than the separator. */
export const splitItems = (list: Buffer, depth: number): readonly Buffer[] => {
  const separator = Buffer.from(`${separatorAt(depth)}{`);
  const items: Buffer[] = [];
  let start = 0;
  for (let at = list.indexOf(separator); at >= 0; at = list.indexOf(separator, start)) {
    items.push(list.subarray(start, at));
    start = at + separator.length - 1;
  }
  return [...items, list.subarray(start)];
};

/** Converts an instant to `YYYY-MM-DD HH:MM:SS`, UTC (status contract 1.9). */
export const wireTime = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;
