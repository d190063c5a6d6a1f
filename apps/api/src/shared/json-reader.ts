/** The text is not JSON, or a value has another type than the member it stands for. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

const KINDS: Readonly<Record<string, JsonKind>> = { '{': 'object', '[': 'array', '"': 'string', t: 'boolean', f: 'boolean', n: 'null' };
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Walks JSON in document order, which `JSON.parse` hides: the spelling of numbers, and the order of equal or similar keys.
 * The text must be valid JSON (it is parsed once before), so the walk itself checks no syntax. Linear in the length of the text.
 */
export class JsonReader {
  private at = 0;

  private constructor(private readonly text: string) {}

  /** @throws MalformedJson */
  static over(text: string): JsonReader {
    try {
      JSON.parse(text);
    } catch (cause) {
      throw new MalformedJson('not JSON', { cause });
    }
    return new JsonReader(text);
  }

  /** What the next value is. */
  kind(): JsonKind {
    this.skipSpace();
    return KINDS[this.text.charAt(this.at)] ?? 'number';
  }

  /** A string value; lone surrogates become U+FFFD, as they cannot be stored as UTF-8. */
  string(): string {
    const raw = this.rawString();
    // Text decoded from UTF-8 has no lone surrogates of its own: only escapes can make them.
    return raw.includes('\\') ? (JSON.parse(raw) as string).toWellFormed() : raw.slice(1, -1);
  }

  /** A number as it is spelled. */
  number(): string {
    NUMBER.lastIndex = this.at;
    const spelled = NUMBER.exec(this.text)?.[0] ?? '';
    this.at += spelled.length;
    return spelled;
  }

  boolean(): boolean {
    const value = this.text.charAt(this.at) === 't';
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

  /** Passes over the bracket that opens an object or array. For walks without recursion, which go on with {@link closes} and {@link key}. */
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
    if (this.text.charAt(this.at) === ',') this.at++;
    this.skipSpace();
    if (this.text.charAt(this.at) !== bracket) return false;
    this.at++;
    return true;
  }

  /** Passes over the next value, however deep it is, and returns its text. */
  skip(): string {
    this.skipSpace();
    const start = this.at;
    let depth = 0;
    do {
      const character = this.text.charAt(this.at);
      if (character === '"') this.rawString();
      else {
        if (character === '{' || character === '[') depth++;
        else if (character === '}' || character === ']') depth--;
        this.at = depth > 0 || character === '}' || character === ']' ? this.at + 1 : this.endOfScalar();
      }
    } while (depth > 0);
    return this.text.slice(start, this.at);
  }

  private endOfScalar(): number {
    let end = this.at;
    while (end < this.text.length && !',]} \t\r\n'.includes(this.text.charAt(end))) end++;
    return end;
  }

  private rawString(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    this.at = end + 1;
    return this.text.slice(start, this.at);
  }

  /** Whether an odd number of backslashes stands before the place. */
  private isEscaped(place: number): boolean {
    let first = place;
    while (this.text.charAt(first - 1) === '\\') first--;
    return (place - first) % 2 === 1;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.at++;
    }
  }
}
