import { type JsonReader, MalformedJson } from '#api/shared/json/json-reader.js';
import type { Shape } from './body-shape.js';

/** Nesting depth. The size of indented text grows with its square. */
const DEEPEST = 1_000;

/** Joins texts. `join` would copy each text once more for each level around it. */
const commaList = (texts: Iterable<string>): string => {
  let list = '';
  for (const text of texts) list = list === '' ? text : `${list},${text}`;
  return list;
};

/** Reads a value as compact JSON text. Keys keep their first position; the last of equal keys wins. */
const compact = (reader: JsonReader, depth: number): string => {
  if (depth > DEEPEST) throw new MalformedJson(`more than ${DEEPEST} levels`);
  switch (reader.kind()) {
    case 'object': {
      const members = new Map<string, string>();
      reader.object((key) => members.set(key, compact(reader, depth + 1)));
      return `{${commaList(Array.from(members, ([key, text]) => `${JSON.stringify(key)}:${text}`))}}`;
    }
    case 'array': {
      const elements: string[] = [];
      reader.array(() => elements.push(compact(reader, depth + 1)));
      return `[${commaList(elements)}]`;
    }
    case 'string':
      return JSON.stringify(reader.string());
    case 'number':
      return reader.number();
    case 'boolean':
      return String(reader.boolean());
    case 'null':
      reader.null();
      return 'null';
  }
};

/**
 * An object of any content, as compact JSON text. This keeps the order of its keys and the spelling of its numbers, which a JavaScript object would
 * lose. Absent: `{}`. Malformed if it is not an object, or has more than 1,000 levels.
 */
export const freeObject: Shape<string> = {
  zero: () => '{}',
  read: (reader) => {
    if (reader.kind() !== 'object') throw new MalformedJson(`found ${reader.kind()} where an object is due`);
    return compact(reader, 1);
  },
  schema: {},
};
