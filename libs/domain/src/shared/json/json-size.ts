import { isPlainText } from '#domain/shared/plain-text.js';
import { JsonScanner } from './json-scanner.js';
import { TextSource } from './json-source.js';

/** Size of a JSON value. */
export type JsonSize = Readonly<{
  /** Values at any depth, the outermost included; keys do not count. */
  values: number;
  /** Nesting depth of objects and arrays; 0 for a single text or number. */
  levels: number;
  /** Compact text in UTF-8. */
  bytes: number;
  /**
   * Text in UTF-8 with one space per level and a line for each member and element; `<`, `>`, `&` and Unicode's own line ends are escaped. A
   * line costs as many bytes as it stands deep, so this grows with values times levels.
   */
  laidOut: number;
}>;

/** Upper limits; a size that is left out is not limited. */
export type JsonBounds = Readonly<Partial<JsonSize>>;

const COLON = 0x3a;
const BOUNDS = ['levels', 'values', 'bytes', 'laidOut'] as const;
const { POSITIVE_INFINITY: ANY } = Number;
const UNBOUNDED: Required<JsonBounds> = { levels: ANY, values: ANY, bytes: ANY, laidOut: ANY };

/** The limit that a size exceeds; `undefined` if it exceeds none. */
export const exceededBound = (size: JsonSize, bounds: JsonBounds): keyof JsonSize | undefined =>
  BOUNDS.find((bound) => size[bound] > (bounds[bound] ?? ANY));

/** Sums that grow while a value is walked. `depth`: depth of the outermost value in its document. */
class Tally implements JsonSize {
  values = 0;
  levels = 0;
  bytes = 0;
  /** What the layout adds to the compact text. */
  private layout = 0;

  constructor(
    private readonly depth: number,
    private readonly bounds: Required<JsonBounds>,
  ) {}

  get laidOut(): number {
    return this.bytes + this.layout;
  }

  get full(): boolean {
    const { bounds } = this;
    return this.laidOut > bounds.laidOut || this.values > bounds.values || this.bytes > bounds.bytes || this.levels > bounds.levels;
  }

  get size(): JsonSize {
    const { values, levels, bytes, laidOut } = this;
    return { values, levels, bytes, laidOut };
  }

  /** Adds the punctuation of an object or array at a level (0: the outermost value). */
  container(level: number, entries: number): void {
    this.levels = Math.max(this.levels, level + 1);
    this.bytes += Math.max(entries + 1, 2);
    const indent = this.depth + level;
    // A line end and the indentation for each entry and the closing bracket.
    if (entries > 0) this.layout += entries * (indent + 2) + indent + 1;
  }

  key(key: string): void {
    this.text(key);
    this.colon();
  }

  /** Between a key and its value; laid out with a space behind it. */
  colon(): void {
    this.bytes += 1;
    this.layout += 1;
  }

  plain(length: number): void {
    this.bytes += length;
  }

  /** A text with its quotation marks. */
  text(text: string): void {
    this.bytes += text.length + 2;
    if (isPlainText(text)) return;
    for (let at = 0; at < text.length; at++) at += this.unit(text, at);
  }

  /** Adds what a character needs beyond one byte for each of its units. @returns how many units it has beyond one */
  private unit(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === 0x3c || code === 0x3e || code === 0x26) this.layout += 5;
    else if (code === 0x2028 || code === 0x2029) {
      this.bytes += 2;
      this.layout += 3;
    } else if (code < 0x80) this.plain(escapeLength(code) - 1);
    else if (code < 0x800) this.plain(1);
    else if (code < 0xd800 || code > 0xdfff) this.plain(2);
    else if (isPair(text, at)) {
      this.plain(2);
      return 1;
    } else this.plain(5); // a lone surrogate is escaped
    return 0;
  }
}

const isPair = (text: string, at: number): boolean => {
  const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  return high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
};

/** Bytes of an ASCII character in JSON text: `\n` and its like have two, other control characters six. */
const escapeLength = (code: number): number => {
  if (code >= 0x20) return code === 0x22 || code === 0x5c ? 2 : 1;
  return code === 8 || code === 9 || code === 10 || code === 12 || code === 13 ? 2 : 6;
};

/**
 * Size of plain JSON data at `depth` levels in a document: exactly the size of its texts, without creating them and without recursion. The walk
 * ends at the first limit that is exceeded; the result is then the size up to there.
 */
export const jsonSize = (value: unknown, depth = 0, bounds: JsonBounds = {}): JsonSize => {
  const tally = new Tally(depth, { ...UNBOUNDED, ...bounds });
  const walk = new Walk(tally);
  walk.count(value, 0);
  while (!tally.full && walk.next());
  return tally.size;
};

/** The objects and arrays of a value that are still to be walked. */
class Walk {
  private readonly open: object[] = [];
  private readonly levels: number[] = [];

  constructor(private readonly tally: Tally) {}

  /** Counts a value at a level. If it is an object or array, its entries follow later. */
  count(value: unknown, level: number): void {
    const { tally } = this;
    tally.values += 1;
    if (typeof value === 'string') tally.text(value);
    else if (typeof value === 'object' && value !== null) {
      this.open.push(value);
      this.levels.push(level);
    } else tally.plain(scalarLength(value));
  }

  /** Counts the entries of one object or array; `false`: there is none left. */
  next(): boolean {
    const next = this.open.pop();
    const level = this.levels.pop() ?? 0;
    if (next === undefined) return false;
    if (Array.isArray(next)) {
      this.tally.container(level, next.length);
      for (const item of next) {
        if (this.tally.full) break;
        this.count(item, level + 1);
      }
    } else this.tally.container(level, this.members(next, level + 1));
    return true;
  }

  /** Counts the keys and members of an object. @returns how many there are */
  private members(object: object, level: number): number {
    let members = 0;
    for (const key of Object.keys(object)) {
      const member: unknown = object[key as keyof typeof object];
      if (member === undefined) continue;
      members += 1;
      this.tally.key(key);
      this.count(member, level);
    }
    return members;
  }
}

const scalarLength = (value: unknown): number => {
  if (typeof value === 'boolean') return value ? 4 : 5;
  return typeof value === 'number' && Number.isFinite(value) ? String(value).length : 4; // all else is `null`
};

/** The same of compact JSON text, in which numbers and escapes count as they are spelled. */
export const jsonTextSize = (json: string, depth = 0, bounds: JsonBounds = {}): JsonSize => {
  const tally = new Tally(depth, { ...UNBOUNDED, ...bounds });
  const scanner = new JsonScanner(new TextSource(json));
  const commas: number[] = [];
  for (let opened = false; scanner.position < json.length && !tally.full; ) {
    const token = scanner.token();
    if (OPENING.has(token)) {
      tally.values += 1;
      commas.push(0);
      tally.levels = Math.max(tally.levels, commas.length);
    } else if (CLOSING.has(token)) tally.container(commas.length - 1, closedEntries(commas, opened));
    else if (token === ',') commas.push((commas.pop() ?? 0) + 1);
    else countScalar(token, scanner, tally);
    opened = OPENING.has(token);
  }
  return tally.size;
};

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/** Entries of the object or array that ends. */
const closedEntries = (commas: number[], isEmpty: boolean): number => {
  const separators = commas.pop() ?? 0;
  return isEmpty ? 0 : separators + 1;
};

/** Counts a key with the colon after it, or a value that is no object or array. */
const countScalar = (token: string, scanner: JsonScanner, tally: Tally): void => {
  // Escapes are spelled already, so a backslash is a byte like any other.
  if (token.startsWith('"')) tally.text(token.slice(1, -1).replace(/["\\]/g, '.'));
  else tally.plain(token.length);
  if (scanner.takes(COLON)) tally.colon();
  else tally.values += 1;
};
