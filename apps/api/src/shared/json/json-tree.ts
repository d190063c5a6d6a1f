import { NumberText } from '#domain/shared/text/number-text.js';
import type { Pace, Steps } from '#domain/shared/time-slice.js';
import type { JsonKind, JsonReader } from './json-reader.js';

/** JSON of any shape. The last of equal keys wins, and no key is special. */
export type JsonTree = null | boolean | string | NumberText | readonly JsonTree[] | ReadonlyMap<string, JsonTree>;

type Container = JsonTree[] | Map<string, JsonTree>;

const scalar = (reader: JsonReader): JsonTree => {
  switch (reader.kind()) {
    case 'string':
      return reader.string();
    case 'number':
      return new NumberText(reader.number());
    case 'boolean':
      return reader.boolean();
    default:
      reader.null();
      return null;
  }
};

const containerOf = (kind: JsonKind): Container | undefined => {
  if (kind === 'object') return new Map();
  return kind === 'array' ? [] : undefined;
};

/** Values read between two checks of the time. */
const VALUES_AT_ONCE = 100;

/** Reads a value of any depth without recursion, in steps. */
export function* jsonTree(reader: JsonReader, pace: Pace): Steps<JsonTree> {
  const root: JsonTree[] = [];
  const around: Container[] = [];
  let innermost: Container = root;
  let key = '';
  for (let values = 1; ; values++) {
    const container = containerOf(reader.kind());
    const value = container ?? scalar(reader);
    if (innermost instanceof Map) innermost.set(key, value);
    else innermost.push(value);
    if (container) {
      around.push(innermost);
      innermost = container;
      reader.open();
    }
    while (around.length > 0 && reader.closes(innermost instanceof Map ? '}' : ']')) innermost = around.pop() as Container;
    if (around.length === 0) return root[0] as JsonTree;
    if (innermost instanceof Map) key = reader.key();
    if (values % VALUES_AT_ONCE === 0 && pace.isOver) yield;
  }
}
