import { anyOf, type CharacterTest, foldCase, not, perlClass, posixClass, range, unicodeClass } from './pattern-classes.js';

/** Syntax tree of a pattern. */
export type PatternNode =
  | Readonly<{ kind: 'empty' }>
  /** `cost`: number of steps of the test for a non-ASCII character. */
  | Readonly<{ kind: 'one'; test: CharacterTest; cost: number }>
  | Readonly<{ kind: 'place'; place: Assertion }>
  | Readonly<{ kind: 'sequence' | 'choice'; parts: readonly PatternNode[] }>
  /** `most` = Infinity: unlimited. */
  | Readonly<{ kind: 'repeat'; part: PatternNode; least: number; most: number }>;

/** Places between characters. */
export type Assertion = 'start' | 'end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';

/** The text is not a pattern, or cannot be matched in linear time. */
export class PatternInvalid extends Error {
  override readonly name = 'PatternInvalid';
}

type Flags = Readonly<{ i: boolean; m: boolean; s: boolean }>;

const MOST_REPEATS = 1_000;
/** Maximum number of characters, ranges and classes between brackets: each may be tested for every non-ASCII character. */
const MOST_ALTERNATIVES = 256;
const DEEPEST = 250;
/** Steps for a look-up in Unicode's tables. */
const LOOKED_UP = 16;
const SINGLE_ESCAPES: Readonly<Record<string, string>> = { a: '\u0007', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const PLACES: Readonly<Record<string, Assertion>> = { A: 'start', z: 'end', b: 'word-edge', B: 'no-word-edge' };
const REPEATS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

/**
 * Parses the syntax of RE2, as the original does: Perl's syntax without look-around and back references. Case is folded for single characters.
 * @throws PatternInvalid
 */
export const parsePattern = (source: string): PatternNode => new PatternParser([...source]).whole();

const anything: CharacterTest = () => true;

class PatternParser {
  private at = 0;
  private flags: Flags = { i: false, m: false, s: false };
  /** Literal characters; equal ones share a test. */
  private readonly literals = new Map<string, PatternNode>();

  constructor(private readonly source: readonly string[]) {}

  whole(): PatternNode {
    const node = this.choice(0);
    if (this.at < this.source.length) this.fail('unexpected )');
    return node;
  }

  private choice(depth: number): PatternNode {
    if (depth > DEEPEST) this.fail('expression nests too deeply');
    const parts = [this.sequence(depth)];
    while (this.takes('|')) parts.push(this.sequence(depth));
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts };
  }

  private sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    while (this.at < this.source.length && this.peek() !== '|' && this.peek() !== ')') {
      if (this.takes('\\Q')) this.quotedText(parts);
      else parts.push(this.repeated(this.single(depth)));
    }
    return { kind: 'sequence', parts };
  }

  /** `\Q…\E`: literal characters; a repetition after it applies to the last one. */
  private quotedText(parts: PatternNode[]): void {
    while (this.at < this.source.length && !this.takes('\\E')) parts.push(this.literal(this.take()));
    const last = parts.pop();
    if (last) parts.push(this.repeated(last));
  }

  private single(depth: number): PatternNode {
    const character = this.take();
    switch (character) {
      case '(':
        return this.group(depth);
      case '[':
        return this.bracket();
      case '.':
        return { kind: 'one', test: this.flags.s ? anything : (code) => code !== 10, cost: 1 };
      case '^':
        return { kind: 'place', place: this.flags.m ? 'line-start' : 'start' };
      case '$':
        return { kind: 'place', place: this.flags.m ? 'line-end' : 'end' };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        return this.fail(`missing argument to repetition operator: ${character}`);
      default:
        return this.literal(character);
    }
  }

  private repeated(single: PatternNode): PatternNode {
    const bounds = this.bounds();
    if (!bounds) return single;
    this.takes('?'); // non-greedy: irrelevant for whether there is a match
    const [least, most] = bounds;
    if (this.bounds()) this.fail('invalid nested repetition operator');
    return { kind: 'repeat', part: single, least, most };
  }

  private bounds(): readonly [number, number] | undefined {
    const sign = REPEATS[this.peek()];
    if (sign) {
      this.at++;
      return sign;
    }
    if (this.peek() !== '{') return undefined;
    const found = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.source.slice(this.at, this.at + 32).join(''));
    if (!found) return undefined; // a literal brace
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    if (least > MOST_REPEATS || least > most || (most > MOST_REPEATS && most !== Number.POSITIVE_INFINITY)) {
      this.fail(`invalid repeat count: ${found[0]}`);
    }
    this.at += found[0].length;
    return [least, most];
  }

  private group(depth: number): PatternNode {
    const outer = this.flags;
    if (this.takes('?')) {
      const named = /^P?<(\w+)>/.exec(this.source.slice(this.at, this.at + 256).join(''));
      if (named) this.at += named[0].length;
      else if (!this.flagGroup()) return { kind: 'empty' };
    }
    const node = this.choice(depth + 1);
    if (!this.takes(')')) this.fail('missing closing )');
    this.flags = outer;
    return node;
  }

  /** `(?i-s:` opens a group: `true`. `(?i-s)` sets flags up to the end of the enclosing group: `false`. */
  private flagGroup(): boolean {
    const found = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.source.slice(this.at, this.at + 32).join(''));
    if (!found) return this.fail('invalid or unsupported Perl syntax');
    const [text, on = '', off = '', end] = found;
    this.at += text.length;
    const flag = (name: keyof Flags): boolean => !off.includes(name) && (on.includes(name) || this.flags[name]);
    this.flags = { i: flag('i'), m: flag('m'), s: flag('s') };
    return end === ':';
  }

  private escape(): PatternNode {
    const place = PLACES[this.peek()];
    if (place) {
      this.at++;
      return { kind: 'place', place };
    }
    if (this.takes('C')) return { kind: 'one', test: anything, cost: 1 };
    const named = this.escapedClass();
    return named ? { kind: 'one', test: named, cost: LOOKED_UP } : this.literalCode(this.escapedCode());
  }

  /** `\d`, `\pL`, `\p{Greek}`, after the backslash. */
  private escapedClass(): CharacterTest | undefined {
    const name = this.peek();
    const perl = perlClass(name);
    if (perl) {
      this.at++;
      return perl;
    }
    if (name !== 'p' && name !== 'P') return undefined;
    const braced = /^[pP]\{(\^?)(\w+)\}/.exec(this.source.slice(this.at, this.at + 64).join(''));
    const negated = (name === 'P') !== (braced?.[1] === '^');
    const unicode = unicodeClass(braced?.[2] ?? this.source[this.at + 1] ?? '');
    if (!unicode) return this.fail('invalid character class range');
    this.at += braced?.[0].length ?? 2;
    return negated ? not(unicode) : unicode;
  }

  private escapedCode(): number {
    const rest = this.source.slice(this.at, this.at + 12).join('');
    const numeric = /^x(?:([\da-fA-F]{2})|\{([\da-fA-F]{1,6})\})|^(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
    if (numeric) {
      this.at += numeric[0].length;
      const hex = numeric[1] ?? numeric[2];
      const code = hex === undefined ? Number.parseInt(numeric[3] ?? '', 8) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? code : this.fail('invalid escape sequence');
    }
    const character = this.take();
    const single = SINGLE_ESCAPES[character] ?? (/^[!-/:-@[-`{-~]$/.test(character) ? character : undefined);
    return single?.codePointAt(0) ?? this.fail(`invalid escape sequence: \\${character}`);
  }

  private bracket(): PatternNode {
    const negated = this.takes('^');
    const tests: CharacterTest[] = [];
    for (let first = true; first || !this.takes(']'); first = false) {
      if (this.at >= this.source.length) this.fail('missing closing ]');
      if (tests.length === MOST_ALTERNATIVES) this.fail('expression too large');
      tests.push(this.bracketItem());
    }
    return { kind: 'one', test: negated ? not(anyOf(tests)) : anyOf(tests), cost: tests.length * LOOKED_UP };
  }

  private bracketItem(): CharacterTest {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.source.slice(this.at, this.at + 16).join(''));
    if (posix) {
      const named = posixClass(posix[2] ?? '');
      if (!named) return this.fail(`invalid character class range: ${posix[0]}`);
      this.at += posix[0].length;
      return this.folded(posix[1] ? not(named) : named);
    }
    const low = this.bracketEnd();
    if (typeof low !== 'number') return low;
    const next = this.source[this.at + 1];
    if (this.peek() !== '-' || next === undefined || next === ']') return this.folded(range(low, low));
    this.at++;
    const high = this.bracketEnd();
    if (typeof high !== 'number' || high < low) return this.fail('invalid character class range');
    return this.folded(range(low, high));
  }

  /** A character, or a class such as `\d`. */
  private bracketEnd(): number | CharacterTest {
    if (!this.takes('\\')) return this.take().codePointAt(0) ?? 0;
    return this.escapedClass() ?? this.escapedCode();
  }

  private folded(test: CharacterTest): CharacterTest {
    return this.flags.i ? foldCase(test) : test;
  }

  private literal(character: string): PatternNode {
    return this.literalCode(character.codePointAt(0) ?? 0);
  }

  private literalCode(code: number): PatternNode {
    const key = `${code}${this.flags.i ? 'i' : ''}`;
    const literal = this.literals.get(key) ?? {
      kind: 'one',
      test: this.folded(range(code, code)),
      cost: this.flags.i ? LOOKED_UP : 1,
    };
    this.literals.set(key, literal);
    return literal;
  }

  private peek(): string {
    return this.source[this.at] ?? '';
  }

  private take(): string {
    return this.source[this.at++] ?? this.fail('trailing backslash at end of expression');
  }

  /** Skips a text if it comes next. */
  private takes(text: string): boolean {
    if ([...text].some((character, index) => this.source[this.at + index] !== character)) return false;
    this.at += text.length;
    return true;
  }

  private fail(reason: string): never {
    throw new PatternInvalid(`error parsing regexp: ${reason}`);
  }
}
