import { depthAfter, JsonScanner } from '#domain/shared/json/json-scanner.js';
import { type JsonSource, TextSource } from '#domain/shared/json/json-source.js';
import type { Pace, Steps } from '#domain/shared/time-slice.js';

const QUOTE = 0x22;

/** Reads long bodies from their bytes: decoding all of them at once would delay all other requests. */
class ByteSource implements JsonSource {
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length;
  }

  at(position: number): number {
    return this.bytes[position] ?? 0;
  }

  quote(from: number): number {
    return this.bytes.indexOf(QUOTE, from);
  }

  slice(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }
}

/** The text is not JSON, or a value has another type than its member. */
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

const COMMA = 0x2c;
const TRUE = 0x74;
const CLOSING = { '}': 0x7d, ']': 0x5d } as const;

/** Tokens skipped between two checks of the time. */
const TOKENS_AT_ONCE = 1_000;

/**
 * Reads JSON in document order. This preserves information that `JSON.parse` loses: the spelling of numbers, and the order of equal or
 * similar keys. The syntax has been checked before.
 */
export class JsonReader extends JsonScanner {
  /** From a text, or from the bytes of one that would take long to decode at once. */
  constructor(json: string | Buffer) {
    super(typeof json === 'string' ? new TextSource(json) : new ByteSource(json));
  }

  /** Kind of the next value. */
  kind(): JsonKind {
    return KINDS.get(this.peek()) ?? 'number';
  }

  /** Reads a string. Lone surrogates become U+FFFD, because they cannot be stored as UTF-8. */
  string(): string {
    this.peek();
    const start = this.at + 1;
    this.skipToken();
    const raw = this.source.slice(start, this.at - 1);
    // Decoded UTF-8 contains no lone surrogates; only escapes can produce them.
    return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string).toWellFormed() : raw;
  }

  /** Reads a number; returns its text. */
  number(): string {
    return this.token();
  }

  boolean(): boolean {
    const value = this.source.at(this.at) === TRUE;
    this.at += value ? 4 : 5;
    return value;
  }

  null(): void {
    this.at += 4;
  }

  /** Skips the opening bracket of an object or array. For loops with {@link closes} and {@link key}. */
  open(): void {
    this.at++;
  }

  /** Reads a key of an object, and the colon after it. */
  key(): string {
    const key = this.string();
    this.skipToken(); // the colon
    this.peek();
    return key;
  }

  /** Returns whether the object or array ends here. Skips the closing bracket, or the comma before the next element. */
  closes(bracket: '}' | ']'): boolean {
    this.takes(COMMA);
    return this.takes(CLOSING[bracket]);
  }

  /** Skips the next value in steps. */
  *skipInSteps(pace: Pace): Steps<void> {
    let depth = 0;
    let tokens = 0;
    do {
      depth += depthAfter(this.skipToken());
      if (++tokens % TOKENS_AT_ONCE === 0 && pace.isOver) yield;
    } while (depth > 0);
  }
}
