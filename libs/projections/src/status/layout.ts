const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * JSON text as clients of the status service know it: one space per level, `<`, `>` and `&` escaped (status contract 1.8).
 * `depth` is how many levels deep the value stands in the body: its lines after the first are indented for that place.
 */
export const wireText = (value: unknown, depth = 0): string => {
  const text = JSON.stringify(value, null, 1).replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);
  return depth === 0 ? text : text.replaceAll('\n', `\n${' '.repeat(depth)}`);
};

/** How deep a record stands in the `data` array of an envelope. */
export const RECORD_DEPTH = 2;

/** A record's own text member at its place in a record text, to search for without parsing. */
export const memberLine = (member: string, value: string): string => `\n   ${wireText(member)}: ${wireText(value)}`;
