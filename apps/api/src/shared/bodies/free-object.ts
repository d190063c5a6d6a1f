import { MalformedJson } from '#api/shared/json/json-reader.js';
import { type JsonTree, jsonTree } from '#api/shared/json/json-tree.js';
import { NumberText } from '#domain/shared/text/number-text.js';
import { atOnce } from '#domain/shared/time-slice.js';
import { mismatch, type Shape } from './scalar-shapes.js';

/** Maximum nesting depth. The size of indented text grows with its square. */
const DEEPEST = 1_000;

/** Joins texts. `join` would copy each text again for each level around it. */
const commaList = (texts: Iterable<string>): string => {
  let list = '';
  for (const text of texts) list = list === '' ? text : `${list},${text}`;
  return list;
};

const isList = (tree: JsonTree): tree is readonly JsonTree[] => Array.isArray(tree);

/** Compact JSON text of a value. */
const compact = (tree: JsonTree, depth: number): string => {
  if (depth > DEEPEST) throw new MalformedJson(`more than ${DEEPEST} levels`);
  if (tree instanceof NumberText) return tree.text;
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree);
  if (isList(tree)) return `[${commaList(tree.map((element) => compact(element, depth + 1)))}]`;
  return `{${commaList(Array.from(tree, ([key, value]) => `${JSON.stringify(key)}:${compact(value, depth + 1)}`))}}`;
};

/**
 * An object with any content, as compact JSON text. This keeps the order of its keys and the spelling of its numbers, which a JavaScript
 * object would lose. Absent: `{}`. Malformed if it is not an object, or has more than 1,000 levels.
 */
export const freeObject: Shape<string> = {
  zero: () => '{}',
  read: (reader) => {
    if (reader.kind() !== 'object') return mismatch(reader, 'an object');
    const tree = atOnce((pace) => jsonTree(reader, pace));
    return compact(tree, 1);
  },
  schema: {},
};
