import { type JsonSource, TextSource } from './json-source.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const opens = (code: number): boolean => code === 0x7b || code === 0x5b;
const closes = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Whether an odd number of backslashes precedes the position. */
const isEscaped = (source: JsonSource, position: number): boolean => {
  let first = position;
  while (source.at(first - 1) === BACKSLASH) first--;
  return (position - first) % 2 === 1;
};

/** Position after the string that starts at `start`; the end of the source if the string is not terminated. */
const endOfString = (source: JsonSource, start: number): number => {
  let end = source.quote(start + 1);
  while (end >= 0 && isEscaped(source, end)) end = source.quote(end + 1);
  return end < 0 ? source.length : end + 1;
};

/**
 * Walks valid JSON token by token; the only tokenizer of the project. It checks no syntax: on invalid JSON the walk ends, but the tokens are
 * meaningless. Linear in the length of the source.
 */
export class JsonScanner {
  constructor(
    protected readonly source: JsonSource,
    protected at = 0,
  ) {}

  get position(): number {
    return this.at;
  }

  /** Skips blanks. Returns the first character of the next token; 0 at the end. */
  peek(): number {
    for (;;) {
      const code = this.source.at(this.at);
      if (!isBlank(code)) return code;
      this.at++;
    }
  }

  /** Skips blanks, and the given character if it is next. Returns whether it was. */
  takes(code: number): boolean {
    if (this.peek() !== code) return false;
    this.at++;
    return true;
  }

  /** Skips the next token. Returns its first character; 0 at the end. */
  skipToken(): number {
    const code = this.peek();
    if (code === QUOTE) this.at = endOfString(this.source, this.at);
    else if (opens(code) || closes(code) || code === COMMA || code === COLON) this.at++;
    else this.at = this.endOfScalar();
    return code;
  }

  /** Skips the next value, however deep it is. */
  skipValue(): void {
    let depth = 0;
    do depth += depthAfter(this.skipToken());
    while (depth > 0 && this.at < this.source.length);
  }

  /** Skips the next token and returns its text. */
  token(): string {
    this.peek();
    const start = this.at;
    this.skipToken();
    return this.source.slice(start, this.at);
  }

  private endOfScalar(): number {
    let end = this.at;
    for (;;) {
      const code = this.source.at(end);
      if (end >= this.source.length || code === COMMA || code === COLON || closes(code) || isBlank(code)) return end;
      end++;
    }
  }
}

/** Change in depth by the token that starts with a character. */
export const depthAfter = (code: number): -1 | 0 | 1 => {
  if (opens(code)) return 1;
  return closes(code) ? -1 : 0;
};

/**
 * A token of JSON text, commas and brackets included. `level`: indentation level of its line in laid out text; `breaks`: whether it starts this line;
 * `isKey`: whether a colon follows. Colons are not tokens.
 */
type JsonToken = Readonly<{ text: string; level: number; breaks: boolean; isKey: boolean }>;

export function* tokensOf(json: string): Generator<JsonToken> {
  const scanner = new JsonScanner(new TextSource(json));
  let level = 0;
  let before = 0;
  while (scanner.position < json.length) {
    const text = scanner.token();
    const code = text.charCodeAt(0);
    if (closes(code)) level--;
    yield { text, level, breaks: closes(code) ? !opens(before) : opens(before) || before === COMMA, isKey: scanner.takes(COLON) };
    if (opens(code)) level++;
    before = code;
  }
}
