import { exactNumber } from '#domain/shared/json/exact-number.js';
import { NumberText } from '#domain/shared/text/number-text.js';
import { JsonScanner } from './json-scanner.js';
import { TextSource } from './json-source.js';
import { setMember } from './set-member.js';

/** JSON in which a number that JavaScript numbers might not hold is its text. */
export type ExactJson = null | boolean | number | string | NumberText | readonly ExactJson[] | { readonly [member: string]: ExactJson };

/** JSON of this type with texts of its numbers, as {@link exactText} writes them. */
export type Exact<T> = T extends number ? NumberText : T extends object ? { [K in keyof T]: Exact<T[K]> } : T;

/** Finds every number of more than 15 digits or with an exponent, and some texts. */
const LONG_NUMBER = /[[:,\s]-?(?:[\d.]{16,}|[\d.]+[eE])/;

const [QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];

const scalar = (token: string): ExactJson => {
  if (!/^[-\d]/.test(token)) return JSON.parse(token);
  return typeof exactNumber(token) === 'number' ? Number(token) : new NumberText(token);
};

const read = (scanner: JsonScanner): ExactJson => {
  const code = scanner.peek();
  if (code === OPEN_BRACKET) {
    const items: ExactJson[] = [];
    for (scanner.skipToken(); !scanner.takes(CLOSE_BRACKET); scanner.takes(COMMA)) items.push(read(scanner));
    return items;
  }
  if (code !== OPEN_BRACE) return scalar(scanner.token());
  const members: Record<string, ExactJson> = {};
  for (scanner.skipToken(); !scanner.takes(CLOSE_BRACE); scanner.takes(COMMA)) {
    const name: string = scanner.peek() === QUOTE ? JSON.parse(scanner.token()) : '';
    scanner.takes(COLON);
    setMember(members, name, read(scanner));
  }
  return members;
};

/** Like `JSON.parse`, without loss of digits. For valid JSON of limited depth. @throws SyntaxError */
export const exactJson = (text: string): ExactJson => {
  const parsed: ExactJson = JSON.parse(text);
  return LONG_NUMBER.test(text) ? read(new JsonScanner(new TextSource(text))) : parsed;
};

type MembersOf = (value: object) => readonly (readonly [name: string, value: unknown])[];

/**
 * Like `JSON.stringify`, with `step` spaces per level, 0 = compact, for plain values and those of {@link exactJson}. For limited depth.
 * @param membersOf members of an object in the order of the text. Default: its own order
 */
export const exactText = (value: unknown, step = 0, membersOf: MembersOf = Object.entries, level = 0): string => {
  if (value instanceof NumberText) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inside = (one: unknown): string => exactText(one, step, membersOf, level + 1);
  const colon = step > 0 ? ': ' : ':';
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map(inside)]
    : ['{', '}', membersOf(value).flatMap(([name, one]) => (one === undefined ? [] : JSON.stringify(name) + colon + inside(one)))];
  if (parts.length === 0) return open + close;
  const line = (depth: number): string => (step > 0 ? `\n${' '.repeat(step * depth)}` : '');
  return open + line(level + 1) + parts.join(`,${line(level + 1)}`) + line(level) + close;
};
