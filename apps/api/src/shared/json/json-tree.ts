import { NumberText } from '#domain/shared/number-text.js';
import type { Pace, Steps } from '#domain/shared/time-slice.js';
import type { JsonReader } from './json-reader.js';

/** JSON of any shape. The last of equal keys wins, and no key is special. */
export type JsonTree = null | boolean | string | NumberText | readonly JsonTree[] | ReadonlyMap<string, JsonTree>;

/** An object or array that is being read. `next` reads up to its next element and returns how to add that. */
type Open = Readonly<{ closing: '}' | ']'; value: JsonTree; next(): (element: JsonTree) => void }>;

const openObject = (reader: JsonReader): Open => {
  const value = new Map<string, JsonTree>();
  const next = () => {
    const key = reader.key();
    return (element: JsonTree) => void value.set(key, element);
  };
  return { closing: '}', value, next };
};

const openArray = (): Open => {
  const value: JsonTree[] = [];
  const append = (element: JsonTree) => void value.push(element);
  return { closing: ']', value, next: () => append };
};

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

/** Values that are read between two looks at the clock. */
const VALUES_AT_ONCE = 100;

/** Reads a value of any depth without recursion, in steps. */
export function* jsonTree(reader: JsonReader, pace: Pace): Steps<JsonTree> {
  const opened: Open[] = [];
  let root: JsonTree = null;
  let keep = (value: JsonTree): void => {
    root = value;
  };
  for (let values = 1; ; values++) {
    const kind = reader.kind();
    if (kind === 'object' || kind === 'array') {
      const container = kind === 'object' ? openObject(reader) : openArray();
      keep(container.value);
      opened.push(container);
      reader.open();
    } else keep(scalar(reader));
    let innermost = opened.at(-1);
    while (innermost && reader.closes(innermost.closing)) {
      opened.pop();
      innermost = opened.at(-1);
    }
    if (!innermost) return root;
    keep = innermost.next();
    if (values % VALUES_AT_ONCE === 0 && pace.isOver) yield;
  }
}
