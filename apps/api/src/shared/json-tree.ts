import type { JsonReader } from './json-reader.js';

/** A number as it is spelled. */
export class Spelled {
  constructor(readonly text: string) {}
}

/** JSON of any shape. Of equal keys the last wins, and none is special. */
export type JsonTree = null | boolean | string | Spelled | readonly JsonTree[] | ReadonlyMap<string, JsonTree>;

/** An object or array that is being read. `next` reads up to its next element and tells what to do with that. */
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
      return new Spelled(reader.number());
    case 'boolean':
      return reader.boolean();
    default:
      reader.null();
      return null;
  }
};

/** The next value, however deep it is: without recursion. `taken` is called for each value in it, and may throw. */
export const jsonTree = (reader: JsonReader, taken: () => void): JsonTree => {
  const opened: Open[] = [];
  let root: JsonTree = null;
  let keep = (value: JsonTree): void => {
    root = value;
  };
  do {
    taken();
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
    if (innermost) keep = innermost.next();
  } while (opened.length > 0);
  return root;
};
