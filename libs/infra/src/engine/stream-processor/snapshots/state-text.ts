import { shortSlice } from '#infra/engine/stream-processor/short-slice.js';

// The text of a state is a list of lines, each JSON, so that it is written and read in slices however large the state is. A line
// `["m","names"]` begins a map that is a member of the state, `["s","names"]` a set; their entries follow, one per line: `["e",key,value]`
// or `["i",item]`. Any other member is `["v",name,value]`; a state that is no object is `["v",null,value]`. Inside values, `a`, `m` and `s`
// begin lists, maps and sets.
type Line =
  | readonly ['m' | 's', string]
  | readonly ['e', unknown, unknown]
  | readonly ['i', unknown]
  | readonly ['v', string | null, unknown];

/** Entries between two checks of the clock. */
const ENTRIES = 32;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** @throws TypeError the value is neither plain data nor a map or set of it */
const encoded = (value: unknown): unknown => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (Array.isArray(value)) return encodedList('a', value);
  if (value instanceof Map) return encodedMap(value);
  if (value instanceof Set) return encodedList('s', value);
  if (!isPlain(value)) throw new TypeError(`a state that is kept holds ${String(value)}`);
  return encodedObject(value);
};

const encodedList = (kind: 'a' | 's', items: Iterable<unknown>): unknown => {
  const list: unknown[] = [kind];
  for (const item of items) list.push(encoded(item));
  return list;
};

const encodedMap = (map: ReadonlyMap<unknown, unknown>): unknown => {
  const list: unknown[] = ['m'];
  for (const [key, item] of map) list.push(encoded(key), encoded(item));
  return list;
};

const encodedObject = (object: Readonly<Record<string, unknown>>): unknown => {
  const members: [string, unknown][] = [];
  for (const name of Object.keys(object)) if (object[name] !== undefined) members.push([name, encoded(object[name])]);
  return Object.fromEntries(members);
};

const decoded = (value: unknown): unknown => {
  if (Array.isArray(value)) return decodedList(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, decoded(item)]));
};

const decodedList = ([kind, ...items]: readonly unknown[]): unknown => {
  const found = items.map(decoded);
  if (kind === 'a') return found;
  if (kind === 's') return new Set(found);
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < found.length; index += 2) map.set(found[index], found[index + 1]);
  return map;
};

/** The lines of a state, each made on demand: the state must not change in between. @throws TypeError a value that cannot be stored */
export function* linesOf(state: unknown): Generator<string> {
  const line = (...parts: Line): string => JSON.stringify(parts);
  if (!isPlain(state)) {
    yield line('v', null, encoded(state));
    return;
  }
  for (const [name, value] of Object.entries(state)) {
    if (value instanceof Map) {
      yield line('m', name);
      for (const [key, item] of value) yield line('e', encoded(key), encoded(item));
    } else if (value instanceof Set) {
      yield line('s', name);
      for (const item of value) yield line('i', encoded(item));
    } else if (value !== undefined) yield line('v', name, encoded(value));
  }
}

/** The text of a state that does not change meanwhile, made in slices. @throws TypeError a value that cannot be stored */
export const textOf = async (state: unknown): Promise<string> => {
  const slice = shortSlice();
  const lines: string[] = [];
  for (const line of linesOf(state)) {
    lines.push(line);
    if (lines.length % ENTRIES === 0 && slice.isOver) await slice.next();
  }
  return lines.join('\n');
};

/** Copy of the state that was passed to {@link linesOf}. @throws SyntaxError, TypeError the text is not a state */
export const stateOf = async (text: string): Promise<unknown> => {
  const slice = shortSlice();
  const reader = new LineReader();
  let read = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    reader.take(JSON.parse(text.slice(start, end)) as Line);
    start = end + 1;
    read += 1;
    if (read % ENTRIES === 0 && slice.isOver) await slice.next();
  }
  return reader.state;
};

class LineReader {
  private readonly members = new Map<string, unknown>();
  /** The member whose entries are being read. */
  private open: unknown;
  private whole: unknown;

  get state(): unknown {
    return this.whole === undefined ? Object.fromEntries(this.members) : this.whole;
  }

  take(line: Line): void {
    const { open } = this;
    if (line[0] === 'e' && open instanceof Map) open.set(decoded(line[1]), decoded(line[2]));
    else if (line[0] === 'i' && open instanceof Set) open.add(decoded(line[1]));
    else if (line[0] === 'm') this.begin(line[1], new Map());
    else if (line[0] === 's') this.begin(line[1], new Set());
    else if (line[0] !== 'v') throw new TypeError('a line of a state is out of place');
    else if (line[1] === null) this.whole = decoded(line[2]);
    else this.begin(line[1], decoded(line[2]));
  }

  private begin(name: string, value: unknown): void {
    this.members.set(name, value);
    this.open = value;
  }
}
