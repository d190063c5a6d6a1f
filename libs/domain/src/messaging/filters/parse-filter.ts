import type { Filter } from './filter.js';
import { type Token, tokensOf, wrongAt } from './tokens.js';

/** Limits of filters (docs/limits.md). */
export const FILTER_LIMITS = { filterCharacters: { value: 256, unit: 'characters' } } as const;

const JOINTS: Readonly<Record<string, 'all' | 'any'>> = { AND: 'all', OR: 'any' };

/** Names an unexpected token in an error text. */
const shown = ({ kind, value }: Token): string => (kind === 'text' ? 'a text' : kind === 'end' ? value : `\`${value}\``);

/** Recursive-descent parser. The nesting depth is limited by the length of the expression. */
class Parser {
  private index = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Filter {
    const filter = this.joined();
    if (this.token.kind !== 'end') throw this.unexpected('`AND`, `OR` or the end');
    return filter;
  }

  private get token(): Token {
    return this.tokens[this.index] as Token;
  }

  private is(value: string): boolean {
    const { token } = this;
    return token.kind !== 'text' && token.kind !== 'end' && token.value === value;
  }

  private takes(value: string): boolean {
    const is = this.is(value);
    if (is) this.index += 1;
    return is;
  }

  private expect(value: string): void {
    if (!this.takes(value)) throw this.unexpected(`\`${value}\``);
  }

  private unexpected(wanted: string) {
    return wrongAt(this.token.at, `${wanted} is expected, not ${shown(this.token)}`);
  }

  /** Terms joined by `AND`, or by `OR`. */
  private joined(): Filter {
    const first = this.term();
    const kind = this.joint();
    if (kind === undefined) return first;
    const of = [first];
    for (let next = this.joint(); next !== undefined; next = this.joint()) {
      if (next !== kind) throw wrongAt(this.token.at, '`AND` and `OR` cannot be mixed without parentheses');
      this.index += 1;
      of.push(this.term());
    }
    return { kind, of };
  }

  private joint(): 'all' | 'any' | undefined {
    const { kind, value } = this.token;
    return kind === 'word' && Object.hasOwn(JOINTS, value) ? JOINTS[value] : undefined;
  }

  private term(): Filter {
    if (this.takes('NOT') || this.takes('-')) return { kind: 'not', of: this.term() };
    if (this.takes('(')) {
      const filter = this.joined();
      this.expect(')');
      return filter;
    }
    if (this.takes('hasPrefix')) return this.prefix();
    if (this.takes('attributes')) return this.comparison();
    throw this.unexpected('`attributes`, `hasPrefix`, `NOT` or `(`');
  }

  private prefix(): Filter {
    this.expect('(');
    this.expect('attributes');
    this.expect('.');
    const key = this.key();
    this.expect(',');
    const value = this.text();
    this.expect(')');
    return { kind: 'prefix', key, value };
  }

  private comparison(): Filter {
    if (this.takes(':')) return { kind: 'has', key: this.key() };
    if (!this.takes('.')) throw this.unexpected('`:` or `.`');
    const key = this.key();
    const isNegated = this.takes('!=');
    if (!isNegated && !this.takes('=')) throw this.unexpected('`=` or `!=`');
    const equals = { kind: 'equals', key, value: this.text() } as const;
    return isNegated ? { kind: 'not', of: equals } : equals;
  }

  private key(): string {
    const { kind, value } = this.token;
    if (kind !== 'word' && kind !== 'text') throw this.unexpected('a key');
    this.index += 1;
    return value;
  }

  private text(): string {
    const { kind, value } = this.token;
    if (kind !== 'text') throw this.unexpected('a text in double quotes');
    this.index += 1;
    return value;
  }
}

/**
 * Parses a filter expression in the attribute language of Pub/Sub (messaging contract 7.3).
 * @throws DomainError `FILTER_INVALID` (details `at`: position of the error, counted from 1; `problem`: text)
 */
export const parseFilter = (expression: string): Filter => {
  const { value: most } = FILTER_LIMITS.filterCharacters;
  // A character has at most two UTF-16 code units.
  if ([...expression.slice(0, 2 * most + 2)].length > most) throw wrongAt(most + 1, `a filter has at most ${most} characters`);
  return new Parser(tokensOf(expression)).whole();
};
