import { DomainError } from '#domain/shared/decider.js';

/** A token of a filter expression. `at`: position of its first character, counted from 1. `value` of a `text`: without quotes and escapes. */
export type Token = Readonly<{ kind: 'word' | 'text' | 'sign' | 'end'; value: string; at: number }>;

/** Error of an invalid expression. `at`: position of the character, counted from 1. */
export const wrongAt = (at: number, problem: string): DomainError => new DomainError('FILTER_INVALID', { at, problem });

/** A word may contain hyphens, but must not start with one, because that is a negation. */
const WORD = /[A-Za-z0-9_][A-Za-z0-9_-]*/y;
const SIGN = /!=|[().,:=-]/y;
const BLANKS = /[ \t\r\n]*/y;
const PLAIN = /[^"\\]+/y;
/** Escapes by code (octal, hexadecimal, Unicode) and by letter. */
const ESCAPE = /\\(?:([0-3][0-7]{2})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([abfnrtv\\"'?`]))/y;

const LETTERS: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Reads an expression of a few hundred characters. */
class Reader {
  private index = 0;

  constructor(private readonly expression: string) {}

  /** @throws DomainError `FILTER_INVALID` */
  next(): Token {
    this.take(BLANKS);
    const { at } = this;
    if (this.index >= this.expression.length) return { kind: 'end', value: 'the end', at };
    const word = this.take(WORD);
    if (word) return { kind: 'word', value: word[0], at };
    if (this.expression[this.index] === '"') return { kind: 'text', value: this.text(), at };
    const sign = this.take(SIGN);
    if (sign) return { kind: 'sign', value: sign[0], at };
    throw wrongAt(at, 'unexpected character; values, and keys that are not words, must be quoted');
  }

  private get at(): number {
    return [...this.expression.slice(0, this.index)].length + 1;
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.index;
    const found = pattern.exec(this.expression);
    if (found) this.index += found[0].length;
    return found;
  }

  private text(): string {
    const { at } = this;
    this.index += 1;
    let value = '';
    while (this.expression[this.index] !== '"') {
      if (this.index >= this.expression.length) throw wrongAt(at, 'this text is not terminated');
      value += this.take(PLAIN)?.[0] ?? this.escaped();
    }
    this.index += 1;
    return value;
  }

  private escaped(): string {
    const { at } = this;
    const found = this.take(ESCAPE);
    if (!found) throw wrongAt(at, 'unknown escape');
    const [, octal, hex, unicode, long, letter] = found;
    if (letter !== undefined) return LETTERS[letter] ?? letter;
    const code = octal === undefined ? Number.parseInt(hex ?? unicode ?? long ?? '', 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff) throw wrongAt(at, 'this escape is not a valid character');
    return String.fromCodePoint(code);
  }
}

/** Tokens of an expression. The last one is of kind `end`. @throws DomainError `FILTER_INVALID` (details `at`, `problem`) */
export const tokensOf = (expression: string): readonly Token[] => {
  const reader = new Reader(expression);
  const tokens: Token[] = [];
  do tokens.push(reader.next());
  while (tokens.at(-1)?.kind !== 'end');
  return tokens;
};
