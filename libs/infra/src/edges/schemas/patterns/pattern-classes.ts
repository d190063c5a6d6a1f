/** Returns whether a code point belongs to a class. */
export type CharacterTest = (code: number) => boolean;

export const range =
  (low: number, high: number): CharacterTest =>
  (code) =>
    code >= low && code <= high;

export const not =
  (test: CharacterTest): CharacterTest =>
  (code) =>
    !test(code);

const withTable = (test: CharacterTest): CharacterTest => {
  const known = Array.from({ length: 128 }, (_, code) => test(code));
  return (code) => known[code] ?? test(code);
};

/** The union of classes, with a table for ASCII. */
export const anyOf = (tests: readonly CharacterTest[]): CharacterTest => {
  const distinct = [...new Set(tests)];
  return withTable((code) => distinct.some((one) => one(code)));
};

/** The ASCII characters that a regular expression matches. */
const ascii = (expression: RegExp): CharacterTest => {
  const members = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)));
  return (code) => members[code] ?? false;
};

const digit = ascii(/\d/);
const space = ascii(/[\t\n\f\r ]/);
/** Tests for a character of `\w`. */
export const word = ascii(/\w/);

const PERL = new Map<string, CharacterTest>([
  ['d', digit],
  ['D', not(digit)],
  ['s', space],
  ['S', not(space)],
  ['w', word],
  ['W', not(word)],
]);

const POSIX = new Map<string, CharacterTest>([
  ['alnum', ascii(/[0-9A-Za-z]/)],
  ['alpha', ascii(/[A-Za-z]/)],
  ['ascii', range(0, 127)],
  ['blank', ascii(/[\t ]/)],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the class of control characters
  ['cntrl', ascii(/[\u0000-\u001f\u007f]/)],
  ['digit', digit],
  ['graph', range(0x21, 0x7e)],
  ['lower', ascii(/[a-z]/)],
  ['print', range(0x20, 0x7e)],
  ['punct', ascii(/[!-/:-@[-`{-~]/)],
  ['space', ascii(/\s/)],
  ['upper', ascii(/[A-Z]/)],
  ['word', word],
  ['xdigit', ascii(/[0-9A-Fa-f]/)],
]);

/** The class of `\d`, `\D`, `\s`, `\S`, `\w` and `\W`, by its letter. */
export const perlClass = (letter: string): CharacterTest | undefined => PERL.get(letter);

/** The class of `[:alpha:]` and similar names. */
export const posixClass = (name: string): CharacterTest | undefined => POSIX.get(name);

/** Classes by the names in use, some 500 at most: to compile one takes far longer than to test a character. */
const UNICODE = new Map<string, CharacterTest>([['Any', () => true]]);

/** The class of a general category or script of Unicode, by its name. */
export const unicodeClass = (name: string): CharacterTest | undefined => {
  const known = UNICODE.get(name) ?? compiledClass(name);
  if (known) UNICODE.set(name, known);
  return known;
};

const compiledClass = (name: string): CharacterTest | undefined => {
  for (const property of [`General_Category=${name}`, `Script=${name}`]) {
    try {
      const expression = new RegExp(`^\\p{${property}}$`, 'u');
      return withTable((code) => expression.test(String.fromCodePoint(code)));
    } catch {
      // not a category: perhaps a script
    }
  }
  return undefined;
};

const codeOf = (text: string, otherwise: number): number => {
  const code = text.codePointAt(0) ?? otherwise;
  return String.fromCodePoint(code) === text ? code : otherwise; // `ß` becomes two letters
};

/** A class that also contains the other case of its characters. */
export const foldCase =
  (test: CharacterTest): CharacterTest =>
  (code) => {
    if (test(code)) return true;
    const character = String.fromCodePoint(code);
    return test(codeOf(character.toLowerCase(), code)) || test(codeOf(character.toUpperCase(), code));
  };
