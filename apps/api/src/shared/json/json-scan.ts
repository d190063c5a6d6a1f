/** Limits of one JSON text. */
export type JsonLimits = Readonly<{
  /** JSON values of any kind, without keys. */
  values: number;
  /** Nesting depth of objects and arrays. */
  levels: number;
  /** Bytes of one string, key, number or run of blanks. */
  text: number;
}>;

/** The limit that a body exceeds. */
export type ExceededLimit = 'bytes' | 'values' | 'levels' | 'text';

// Between tokens: the expected next token. A first element or key may be missing, because the array or object may be empty.
const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_KEY = 2;
const KEY = 3;
const COLON = 4;
const COMMA = 5;
/** After the value: only blanks may follow. */
const ENDED = 6;
/** Not JSON; the rest does not matter. */
const BROKEN = 7;
// Inside of tokens.
const STRING = 8;
const ESCAPE = 9;
const HEX = 10;
const WORD = 11;
// Numbers, by the last part read; from NUMBER_ZERO on the number may end.
const NUMBER_MINUS = 12;
const NUMBER_POINT = 13;
const NUMBER_E = 14;
const NUMBER_E_SIGN = 15;
const NUMBER_ZERO = 16;
const NUMBER_WHOLE = 17;
const NUMBER_FRACTION = 18;
const NUMBER_EXPONENT = 19;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const ZERO = 0x30;
const ARRAY = 0x5b;
const OBJECT = 0x7b;
/** Distance between an opening and its closing bracket in ASCII. */
const TO_CLOSING = 2;

const isBlank = (byte: number): boolean => byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39;
const isSign = (byte: number): boolean => byte === 0x2b || byte === 0x2d;
const isE = (byte: number): boolean => byte === 0x65 || byte === 0x45;

/** By byte: 1 if it needs no interpretation in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : 1));
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS = new Set(Buffer.from('0123456789abcdefABCDEF'));
/** Bytes that may follow a word directly. */
const DELIMITERS = new Set(Buffer.from('{}[]",:'));
const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));

const numberAfterDigit = (state: number, byte: number): number | undefined => {
  if (state === NUMBER_MINUS) return byte === ZERO ? NUMBER_ZERO : NUMBER_WHOLE;
  if (state === NUMBER_POINT) return NUMBER_FRACTION;
  if (state === NUMBER_E || state === NUMBER_E_SIGN) return NUMBER_EXPONENT;
  return state === NUMBER_ZERO ? undefined : state;
};

/** The state of a number after one more byte; `undefined` if the number ends before it. */
const numberAfter = (state: number, byte: number): number | undefined => {
  if (isDigit(byte)) return numberAfterDigit(state, byte);
  if (byte === 0x2e && (state === NUMBER_ZERO || state === NUMBER_WHOLE)) return NUMBER_POINT;
  if (isE(byte) && state >= NUMBER_ZERO && state !== NUMBER_EXPONENT) return NUMBER_E;
  return isSign(byte) && state === NUMBER_E ? NUMBER_E_SIGN : undefined;
};

/**
 * Checks JSON on arrival: the syntax like `JSON.parse`, and the limits. Chunks may end anywhere, even inside a character or an escape.
 * Linear in the bytes; memory grows only with the levels. The scan ends at the first syntax error, because no reader accepts the body then.
 */
export class JsonScan {
  private state = VALUE;
  /** Stack of open brackets. */
  private open: Uint8Array = new Uint8Array(64);
  private depth = 0;
  private stringIsKey = false;
  /** Bytes of the current string, number or run of blanks. */
  private textLength = 0;
  private hexDigits = 0;
  private word: Buffer | undefined;
  private wordLength = 0;
  /** Bytes of earlier chunks. */
  private before = 0;
  /** Number of values so far, of any kind, without keys. */
  values = 0;
  /** The limit that the body exceeds, as soon as it does. */
  excess: ExceededLimit | undefined;
  private endOfFirst: number | undefined;
  private firstIsWord = false;

  /** `lines`: each line is one JSON value (NDJSON); a syntax error ends only the scan of its line. Default `false`. */
  constructor(
    private readonly limits: JsonLimits,
    private readonly lines = false,
  ) {}

  /** Scans the next bytes. */
  add(chunk: Uint8Array): void {
    if (this.lines) this.addLines(chunk);
    else this.scan(chunk, 0, chunk.length);
    this.before += chunk.length;
  }

  /** Called after the last byte. `isJson`: true for exactly one value. `firstEnd`: position after the first value, if there is one. */
  end(): Readonly<{ isJson: boolean; firstEnd: number | undefined }> {
    if (this.depth === 0 && this.state >= NUMBER_ZERO) this.completed(this.before);
    return { isJson: this.state === ENDED, firstEnd: this.endOfFirst };
  }

  private addLines(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length && !this.excess; ) {
      const newline = chunk.indexOf(NEWLINE, start);
      this.scan(chunk, start, newline < 0 ? chunk.length : newline);
      if (newline < 0) return;
      this.state = VALUE;
      this.depth = 0;
      start = newline + 1;
    }
  }

  private scan(chunk: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end && this.state !== BROKEN && !this.excess) {
      if (this.state === STRING) at = this.string(chunk, at, end);
      else if (this.state < STRING) {
        const byte = chunk[at] as number;
        if (isBlank(byte)) this.lengthen(1);
        else this.between(byte, this.before + at);
        at++;
      } else if (this.state >= NUMBER_MINUS) at = this.number(chunk, at, end);
      else {
        this.within(chunk[at] as number, this.before + at);
        at++;
      }
    }
  }

  /** Between tokens: the first byte of one. */
  private between(byte: number, place: number): void {
    this.textLength = 0;
    switch (this.state) {
      case COMMA:
        this.afterElement(byte, place);
        break;
      case VALUE:
        this.value(byte);
        break;
      case COLON:
        this.state = byte === 0x3a ? VALUE : BROKEN;
        break;
      case ENDED:
        this.behindFirst(byte, place);
        break;
      case FIRST_ELEMENT:
        if (byte === ARRAY + TO_CLOSING) this.close(byte, place);
        else this.value(byte);
        break;
      default:
        this.key(byte, place);
    }
  }

  /** After an element or member. */
  private afterElement(byte: number, place: number): void {
    if (byte === 0x2c) this.state = this.innermost() === OBJECT ? KEY : VALUE;
    else this.close(byte, place);
  }

  /** A key, or the end of an object that has none. */
  private key(byte: number, place: number): void {
    if (byte === QUOTE) this.enterString(true);
    else if (this.state === FIRST_KEY) this.close(byte, place);
    else this.state = BROKEN;
  }

  /** After the first value: another value, or a letter that makes it an unknown word. */
  private behindFirst(byte: number, place: number): void {
    if (place === this.endOfFirst && this.firstIsWord && !DELIMITERS.has(byte)) this.endOfFirst = undefined;
    this.state = BROKEN;
  }

  private value(byte: number): void {
    if (++this.values > this.limits.values) this.excess = 'values';
    if (byte === QUOTE) this.enterString(false);
    else if (byte === OBJECT || byte === ARRAY) this.enter(byte);
    else if (isDigit(byte) || byte === 0x2d) this.enterNumber(byte);
    else {
      this.word = WORDS.get(byte);
      this.wordLength = 1;
      this.state = this.word ? WORD : BROKEN;
    }
  }

  private enterString(isKey: boolean): void {
    this.stringIsKey = isKey;
    this.state = STRING;
  }

  private enterNumber(byte: number): void {
    this.textLength = 1;
    this.state = numberAfter(NUMBER_MINUS, byte) ?? NUMBER_MINUS;
  }

  private enter(bracket: number): void {
    if (this.depth === this.limits.levels) this.excess = 'levels';
    if (this.depth === this.open.length) this.open = Buffer.concat([this.open], this.depth * 2);
    this.open[this.depth++] = bracket;
    this.state = bracket === OBJECT ? FIRST_KEY : FIRST_ELEMENT;
  }

  private innermost(): number {
    return this.open[this.depth - 1] ?? 0;
  }

  private close(byte: number, place: number): void {
    if (byte !== this.innermost() + TO_CLOSING) {
      this.state = BROKEN;
      return;
    }
    this.depth--;
    this.completed(place + 1);
  }

  /** A value is complete; `end` is the position after it. */
  private completed(end: number): void {
    this.textLength = 0;
    this.state = this.depth === 0 ? ENDED : COMMA;
    if (this.depth === 0) this.endOfFirst ??= end;
  }

  /** Counts bytes of the current string, number or run of blanks. */
  private lengthen(bytes: number): void {
    this.textLength += bytes;
    if (this.textLength > this.limits.text) this.excess = 'text';
  }

  /** Inside a string, up to its end or to an escape. Bytes beyond ASCII are not checked, because decoding accepts all of them. */
  private string(chunk: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && PLAIN[chunk[at] as number] === 1) at++;
    this.lengthen(at - start);
    if (at === end) return at;
    const byte = chunk[at] as number;
    if (byte === BACKSLASH) {
      this.lengthen(1);
      this.state = ESCAPE;
    } else if (byte !== QUOTE) this.state = BROKEN;
    else if (this.stringIsKey) {
      this.textLength = 0;
      this.state = COLON;
    } else this.completed(this.before + at + 1);
    return at + 1;
  }

  /** Inside an escape or a word. */
  private within(byte: number, place: number): void {
    if (this.state === WORD) {
      if (byte !== this.word?.[this.wordLength++]) this.state = BROKEN;
      else if (this.wordLength === this.word.length) {
        this.firstIsWord ||= this.endOfFirst === undefined && this.depth === 0;
        this.completed(place + 1);
      }
      return;
    }
    this.lengthen(1);
    if (this.state === ESCAPE) {
      this.hexDigits = 0;
      if (byte === 0x75) this.state = HEX;
      else this.state = ESCAPED.has(byte) ? STRING : BROKEN;
    } else if (!HEX_DIGITS.has(byte)) this.state = BROKEN;
    else if (++this.hexDigits === 4) this.state = STRING;
  }

  /** Inside a number, up to the byte after it. */
  private number(chunk: Uint8Array, start: number, end: number): number {
    let at = start;
    for (let next = numberAfter(this.state, chunk[at] as number); next !== undefined; at++) {
      this.state = next;
      next = at + 1 < end ? numberAfter(next, chunk[at + 1] as number) : undefined;
    }
    this.lengthen(at - start);
    if (at === end) return at;
    if (this.state >= NUMBER_ZERO) this.completed(this.before + at);
    else this.state = BROKEN;
    return at;
  }
}
