import { isPlainText } from '#domain/shared/text/plain-text.js';
import { depthAfter, tokensOf } from './json-scanner.js';

type JsonSize = Readonly<{
  /** Values at any depth, the outermost included; keys do not count. */
  values: number;
  /** Nesting depth of objects and arrays; 0 for a single text or number. */
  levels: number;
  /** Compact text in UTF-8. */
  bytes: number;
  /**
   * UTF-8 text with one space per level and a line for each member and element; `<`, `>`, `&` and Unicode's own line ends are escaped. A line has as many
   * bytes of indentation as its level, so this grows with values times levels.
   */
  laidOut: number;
}>;

/** Upper limits; an absent size is not limited. */
export type JsonBounds = Readonly<Partial<JsonSize>>;

const BOUNDS = ['levels', 'values', 'bytes', 'laidOut'] as const;
const { POSITIVE_INFINITY: ANY } = Number;
const UNBOUNDED: Required<JsonBounds> = { levels: ANY, values: ANY, bytes: ANY, laidOut: ANY };

/** The exceeded limit; `undefined` if none is exceeded. */
export const exceededBound = (size: JsonSize, bounds: JsonBounds): keyof JsonSize | undefined =>
  BOUNDS.find((bound) => size[bound] > (bounds[bound] ?? ANY));

/** Number of levels that are walked by recursion. */
const RECURSED = 100;

/** Sums of a walk. `depth`: depth of the outermost value in its document. */
class Tally implements JsonSize {
  values = 0;
  levels = 0;
  bytes = 0;
  /** Bytes that the layout adds to the compact text. */
  private layout = 0;
  /** Objects and arrays too deep for the current recursion, with their levels. */
  private readonly deeper: [value: object, level: number][] = [];
  /** Level at which recursion stops. */
  private below = RECURSED;

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

  /** Adds a value with all its content, up to the first exceeded limit. */
  whole(value: unknown): void {
    this.value(value, 0);
    for (let next = this.deeper.pop(); next && !this.full; next = this.deeper.pop()) {
      const [entered, level] = next;
      this.below = level + RECURSED;
      this.entries(entered, level);
    }
  }

  /** Adds line ends and the indentation of a level. */
  line(level: number, lines = 1): void {
    this.layout += lines * (this.depth + level + 1);
  }

  /** Adds a colon, followed by a space in the layout. */
  colon(): void {
    this.bytes += 1;
    this.layout += 1;
  }

  plain(length: number): void {
    this.bytes += length;
  }

  /** Adds a text given as JSON. */
  quoted(json: string): void {
    this.bytes += Buffer.byteLength(json);
    for (let at = 0; at < json.length; at++) this.layout += markupGrowth(json.charCodeAt(at));
  }

  private text(text: string): void {
    if (isPlainText(text)) this.bytes += text.length + 2;
    else this.quoted(JSON.stringify(text));
  }

  private value(value: unknown, level: number): void {
    this.values += 1;
    if (typeof value === 'string') this.text(value);
    else if (typeof value !== 'object' || value === null) this.bytes += scalarLength(value);
    else if (level === this.below) this.deeper.push([value, level]);
    else this.entries(value, level);
  }

  private entries(value: object, level: number): void {
    this.levels = Math.max(this.levels, level + 1);
    const entries = Array.isArray(value) ? this.items(value, level + 1) : this.members(value, level + 1);
    this.bytes += Math.max(entries + 1, 2);
    if (entries === 0) return;
    this.line(level + 1, entries);
    this.line(level); // of the closing bracket
  }

  private items(items: readonly unknown[], level: number): number {
    for (let at = 0; at < items.length && !this.full; at++) this.value(items[at], level);
    return items.length;
  }

  /** @returns number of members with a value */
  private members(object: object, level: number): number {
    let members = 0;
    for (const key in object) {
      const member: unknown = object[key as keyof typeof object];
      if (member === undefined) continue;
      if (this.full) break;
      members += 1;
      this.text(key);
      this.colon();
      this.value(member, level);
    }
    return members;
  }
}

/** Extra bytes of characters that the layout escapes: six bytes instead of one or three. */
const markupGrowth = (code: number): number => {
  if (code === 0x3c || code === 0x3e || code === 0x26) return 5;
  return code === 0x2028 || code === 0x2029 ? 3 : 0;
};

/**
 * Size of plain JSON data at `depth` levels in a document. It equals the size of the JSON texts, which are not created, at any nesting depth. The walk
 * ends at the first exceeded limit; the result is then the size so far.
 */
export const jsonSize = (value: unknown, depth = 0, bounds: JsonBounds = {}): JsonSize => {
  const tally = new Tally(depth, { ...UNBOUNDED, ...bounds });
  tally.whole(value);
  return tally.size;
};

const scalarLength = (value: unknown): number => {
  if (typeof value === 'boolean') return value ? 4 : 5;
  return typeof value === 'number' && Number.isFinite(value) ? String(value).length : 4; // all else is `null`
};

const [COMMA, QUOTE] = [0x2c, 0x22];

/** Size of compact JSON text, in which numbers and escapes count as spelled. */
export const jsonTextSize = (json: string, depth = 0, bounds: JsonBounds = {}): JsonSize => {
  const tally = new Tally(depth, { ...UNBOUNDED, ...bounds });
  for (const { text, level, breaks, isKey } of tokensOf(json)) {
    if (tally.full) break;
    const code = text.charCodeAt(0);
    const change = depthAfter(code);
    if (change > 0) tally.levels = Math.max(tally.levels, level + 1);
    if (breaks) tally.line(level);
    if (isKey) tally.colon();
    else if (change >= 0 && code !== COMMA) tally.values += 1;
    if (code === QUOTE) tally.quoted(text);
    else tally.plain(text.length);
  }
  return tally.size;
};
