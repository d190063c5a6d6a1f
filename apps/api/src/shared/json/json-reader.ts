import type { TimeSlice } from '#infra/scheduling/time-slice.js';
import { ByteSource, type JsonSource, TextSource } from './json-source.js';

/** The text is not JSON, or a value has another type than the member it stands for. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

const KINDS = new Map<number, JsonKind>([
  [0x7b, 'object'],
  [0x5b, 'array'],
  [0x22, 'string'],
  [0x74, 'boolean'],
  [0x66, 'boolean'],
  [0x6e, 'null'],
]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const TRUE = 0x74;
const CLOSING = { '}': 0x7d, ']': 0x5d } as const;

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const opens = (code: number): boolean => code === 0x7b || code === 0x5b;
const closes = (code: number): boolean => code === 0x7d || code === 0x5d;

/** So many tokens are passed over between two looks at the clock. */
const TOKENS_AT_ONCE = 1_000;

/**
 * Walks JSON in document order, which `JSON.parse` hides: the spelling of numbers, and the order of equal or similar keys.
 * The text must be valid JSON (it is checked before), so the walk itself checks no syntax. Linear in the length of the text.
 */
export class JsonReader {
  private at = 0;

  private constructor(private readonly source: JsonSource) {}

  /** @throws MalformedJson */
  static over(text: string): JsonReader {
    try {
      JSON.parse(text);
    } catch (cause) {
      throw new MalformedJson('not JSON', { cause });
    }
    return new JsonReader(new TextSource(text));
  }

  /** Over JSON whose syntax has been checked: a text, or the bytes of one that would take long to decode at once. */
  static overChecked(json: string | Buffer): JsonReader {
    return new JsonReader(typeof json === 'string' ? new TextSource(json) : new ByteSource(json));
  }

  /** What the next value is. */
  kind(): JsonKind {
    this.skipSpace();
    return KINDS.get(this.source.at(this.at)) ?? 'number';
  }

  /** A string value; lone surrogates become U+FFFD, as they cannot be stored as UTF-8. */
  string(): string {
    const raw = this.rawString();
    // Text decoded from UTF-8 has no lone surrogates of its own: only escapes can make them.
    return raw.includes('\\') ? (JSON.parse(raw) as string).toWellFormed() : raw.slice(1, -1);
  }

  /** A number as it is spelled. */
  number(): string {
    const start = this.at;
    this.at = this.endOfScalar();
    return this.source.slice(start, this.at);
  }

  boolean(): boolean {
    const value = this.source.at(this.at) === TRUE;
    this.at += value ? 4 : 5;
    return value;
  }

  null(): void {
    this.at += 4;
  }

  /** Calls `member` with each key, positioned at its value, which it must consume. */
  object(member: (key: string) => void): void {
    this.open();
    while (!this.closes('}')) member(this.key());
  }

  /** Calls `element` positioned at each element, which it must consume. */
  array(element: () => void): void {
    this.open();
    while (!this.closes(']')) element();
  }

  /** Passes over the bracket that opens an object or array. For walks that go on with {@link closes} and {@link key}. */
  open(): void {
    this.at++;
  }

  /** A key of an object; stands at its value then. */
  key(): string {
    const key = this.string();
    this.skipSpace();
    this.at++; // the colon
    this.skipSpace();
    return key;
  }

  /** Whether the object or array ends. Stands before an element or on the closing bracket; passes over the comma and the bracket. */
  closes(bracket: '}' | ']'): boolean {
    this.skipSpace();
    if (this.source.at(this.at) === COMMA) this.at++;
    this.skipSpace();
    if (this.source.at(this.at) !== CLOSING[bracket]) return false;
    this.at++;
    return true;
  }

  /** Passes over the next value, however deep it is. */
  skip(): void {
    let depth = 0;
    do depth += this.skipToken();
    while (depth > 0);
  }

  /** The same in slices. */
  async skipInSlices(slice: TimeSlice): Promise<void> {
    let depth = 0;
    let tokens = 0;
    do {
      depth += this.skipToken();
      if (++tokens % TOKENS_AT_ONCE === 0 && slice.isOver) await slice.next();
    } while (depth > 0);
  }

  /** Passes over the next token; by how much that changes the depth. */
  private skipToken(): -1 | 0 | 1 {
    this.skipSpace();
    const code = this.source.at(this.at);
    if (code === QUOTE) this.at = this.endOfString();
    else if (opens(code) || closes(code) || code === COMMA || code === COLON) this.at++;
    else this.at = this.endOfScalar();
    if (opens(code)) return 1;
    return closes(code) ? -1 : 0;
  }

  private endOfScalar(): number {
    let end = this.at;
    for (;;) {
      const code = this.source.at(end);
      if (code === 0 || code === COMMA || closes(code) || isBlank(code)) return end;
      end++;
    }
  }

  private rawString(): string {
    const start = this.at;
    this.at = this.endOfString();
    return this.source.slice(start, this.at);
  }

  /** The place after the string that starts here. */
  private endOfString(): number {
    let end = this.source.quote(this.at + 1);
    while (this.isEscaped(end)) end = this.source.quote(end + 1);
    return end + 1;
  }

  /** Whether an odd number of backslashes stands before the place. */
  private isEscaped(place: number): boolean {
    let first = place;
    while (this.source.at(first - 1) === BACKSLASH) first--;
    return (place - first) % 2 === 1;
  }

  private skipSpace(): void {
    while (isBlank(this.source.at(this.at))) this.at++;
  }
}
