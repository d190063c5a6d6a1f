import { type ExactNumber, exactNumber } from '#domain/shared/json/exact-number.js';

/** JSON with exact numbers, and with maps as objects, so that no key has a special meaning. */
export type JsonValue = null | boolean | ExactNumber | string | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

/** The text is not JSON. The message is that of the original's parser (messaging contract 5.3). */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** Maximum nesting depth of objects and arrays. */
const DEEPEST = 1_000;
/** Maximum number of values of any kind: each takes memory, even a short one. */
const MOST_VALUES = 1_000_000;

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  "'": "\\'",
  '\\': '\\\\',
};

/** The first UTF-8 byte of a character, in quotes. */
const quoted = (character: string): string => {
  const byte = Buffer.from(character, 'utf8')[0] ?? 0;
  const shown = String.fromCharCode(byte);
  const isPlain = (byte >= 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  const hex = byte.toString(16);
  return `'${ESCAPES[shown] ?? (isPlain ? shown : byte < 0x80 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`)}'`;
};

const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/** Parses one value, with the original's error texts. Linear in the length of the text. */
class JsonParser {
  private at = 0;
  private values = 0;

  constructor(private readonly text: string) {}

  /** Parses a text that consists of one value. */
  only(): JsonValue {
    this.skipSpace();
    if (this.at === this.text.length) throw new JsonSyntaxError('EOF');
    const value = this.value(1);
    this.skipSpace();
    if (this.at < this.text.length) this.fail('after top-level value');
    return value;
  }

  private value(depth: number): JsonValue {
    if (depth > DEEPEST) throw new JsonSyntaxError('exceeded max depth');
    if (++this.values > MOST_VALUES) throw new JsonSyntaxError('exceeded max number of values');
    const character = this.text.charAt(this.at);
    switch (character) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
      case 't':
        return this.literal('true', true);
      case 'f':
        return this.literal('false', false);
      case 'n':
        return this.literal('null', null);
      default:
        return character === '-' || isDigit(character) ? this.number() : this.fail('looking for beginning of value');
    }
  }

  private object(depth: number): ReadonlyMap<string, JsonValue> {
    const members = new Map<string, JsonValue>();
    for (let more = !this.opens('}'); more; more = this.continues('}', 'after object key:value pair')) {
      if (this.text.charAt(this.at) !== '"') this.fail('looking for beginning of object key string');
      const key = this.string();
      this.skipSpace();
      if (this.text.charAt(this.at) !== ':') this.fail('after object key');
      this.at++;
      this.skipSpace();
      members.set(key, this.value(depth + 1));
    }
    return members;
  }

  private array(depth: number): readonly JsonValue[] {
    const elements: JsonValue[] = [];
    for (let more = !this.opens(']'); more; more = this.continues(']', 'after array element')) elements.push(this.value(depth + 1));
    return elements;
  }

  /** Skips the opening bracket, and the closing one if it follows at once. */
  private opens(closing: string): boolean {
    this.at++;
    this.skipSpace();
    if (this.text.charAt(this.at) !== closing) return false;
    this.at++;
    return true;
  }

  /** Skips the comma before the next element, or the closing bracket. */
  private continues(closing: string, place: string): boolean {
    this.skipSpace();
    const character = this.text.charAt(this.at);
    if (character !== ',' && character !== closing) this.fail(place);
    this.at++;
    if (character === closing) return false;
    this.skipSpace();
    return true;
  }

  private literal<T>(word: string, value: T): T {
    for (let index = 0; index < word.length; index++, this.at++) {
      const expected = word.charAt(index);
      if (this.text.charAt(this.at) !== expected) this.fail(`in literal ${word} (expecting '${expected}')`);
    }
    return value;
  }

  private number(): ExactNumber {
    const start = this.at;
    if (this.text.charAt(this.at) === '-') this.at++;
    if (this.text.charAt(this.at) === '0') this.at++;
    else this.digits('in numeric literal');
    if (this.text.charAt(this.at) === '.') {
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.text.charAt(this.at))) {
      this.at++;
      if (/[+-]/.test(this.text.charAt(this.at))) this.at++;
      this.digits('in exponent of numeric literal');
    }
    return exactNumber(this.text.slice(start, this.at));
  }

  /** Skips at least one digit. */
  private digits(place: string): void {
    if (!isDigit(this.text.charAt(this.at))) this.fail(place);
    while (isDigit(this.text.charAt(this.at))) this.at++;
  }

  private string(): string {
    const start = this.at + 1;
    const quote = this.text.indexOf('"', start);
    const plain = this.text.slice(start, quote < 0 ? this.text.length : quote);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON forbids in strings
    if (quote >= 0 && !/[\\\u0000-\u001f]/.test(plain)) {
      this.at = quote + 1;
      return plain;
    }
    this.at = start;
    while (this.text.charAt(this.at) !== '"') {
      if (this.text.charAt(this.at) === '\\') this.escape();
      else if (this.text.charAt(this.at) < ' ') this.fail('in string literal');
      else this.at++;
    }
    this.at++;
    return (JSON.parse(this.text.slice(start - 1, this.at)) as string).toWellFormed();
  }

  private escape(): void {
    this.at++;
    const code = this.text.charAt(this.at);
    if (!'"\\/bfnrtu'.includes(code) || code === '') this.fail('in string escape code');
    this.at++;
    if (code !== 'u') return;
    for (const end = this.at + 4; this.at < end; this.at++) {
      if (!/[\da-fA-F]/.test(this.text.charAt(this.at))) this.fail('in \\u hexadecimal character escape');
    }
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++;
  }

  private fail(place: string): never {
    if (this.at >= this.text.length) throw new JsonSyntaxError('unexpected EOF');
    const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    throw new JsonSyntaxError(`invalid character ${quoted(character)} ${place}`);
  }
}

/** Parses a text that consists of one value. @throws JsonSyntaxError */
export const parseJson = (text: string): JsonValue => new JsonParser(text).only();
