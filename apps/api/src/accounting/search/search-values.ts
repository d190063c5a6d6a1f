import { byBytes } from '#api/shared/answers/text-order.js';
import type { JsonTree } from '#api/shared/json/json-tree.js';
import { type Instant, parsedInstant } from '#domain/accounting/metrics/instants.js';
import { compareNumbers, type ExactNumber, exactNumber, LargeDecimal } from '#domain/shared/json/exact-number.js';
import { NumberText } from '#domain/shared/text/number-text.js';

/** An instant, which equals no text. */
export class SearchInstant {
  constructor(readonly at: Instant) {}
}

/** An id in a form that equals no value of a search. */
export const OPAQUE = Symbol('opaque');

/** The value of a field of a record; `null` if it has none. */
export type Scalar = null | string | ExactNumber | SearchInstant | typeof OPAQUE;

/** The value of a query, to which records are compared. */
type SearchValue = null | boolean | string | ExactNumber | SearchInstant;

const WHOLE_SECOND = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

const textOrMoment = (text: string): string | SearchInstant => {
  const instant = WHOLE_SECOND.test(text) ? parsedInstant(text) : undefined;
  return instant === undefined ? text : new SearchInstant(instant);
};

/** Converts a scalar of a search (accounting contract 5.2); `undefined` for objects and arrays. */
export const wantedOf = (value: JsonTree): SearchValue | undefined => {
  if (typeof value === 'string') return textOrMoment(value);
  if (value instanceof NumberText) return exactNumber(value.text);
  return value === null || typeof value === 'boolean' ? value : undefined;
};

const isNumber = (value: unknown): value is ExactNumber => typeof value === 'number' || value instanceof LargeDecimal;

/** Negative, zero or positive if `stored` is less than, equal to or greater than `wanted`; `undefined` if their types differ. */
const compare = (stored: Scalar, wanted: SearchValue): number | undefined => {
  if (typeof stored === 'string' && typeof wanted === 'string') return byBytes(stored, wanted);
  if (isNumber(stored) && isNumber(wanted)) return compareNumbers(stored, wanted);
  if (stored instanceof SearchInstant && wanted instanceof SearchInstant) return byBytes(stored.at, wanted.at);
  return stored === null && wanted === null ? 0 : undefined;
};

/** The upper case of a character, unless that has more letters. */
const upperCase = (character: string): string => {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : character;
};

/** Equal for texts that differ only in letter case. Upper case first, which merges all forms of a letter. `ß` does not become `ss`. */
const folded = (text: string): string => {
  const upper = text.toUpperCase();
  return (upper.length === text.length ? upper : Array.from(text, upperCase).join('')).toLowerCase();
};

/** The value of a record's field for many queries: its text is folded only once. */
export class FieldValue {
  private common: string | undefined;

  constructor(readonly stored: Scalar) {}

  /** The text folded for comparison in any letter case. */
  get folded(): string {
    this.common ??= folded(String(this.stored));
    return this.common;
  }
}

const isEqual = (wanted: SearchValue): Test => {
  if (typeof wanted !== 'string') return ({ stored }) => compare(stored, wanted) === 0;
  const common = folded(wanted);
  return (value) => typeof value.stored === 'string' && (value.stored === wanted || value.folded === common);
};

/** No value is less or greater than `null`, or than a value of another type. */
const inOrder =
  (holds: (difference: number) => boolean) =>
  (wanted: SearchValue): Test =>
  ({ stored }) => {
    const difference = wanted === null ? undefined : compare(stored, wanted);
    return difference !== undefined && holds(difference);
  };

/** Returns whether the value of a record passes a query. */
export type Test = (value: FieldValue) => boolean;

/** The operands by name. Only `eq` ignores letter case; values of different types are not equal. */
export const operands: ReadonlyMap<string, (wanted: SearchValue) => Test> = new Map([
  ['eq', isEqual],
  [
    'neq',
    (wanted: SearchValue): Test =>
      ({ stored }) =>
        compare(stored, wanted) !== 0,
  ],
  ['lt', inOrder((difference) => difference < 0)],
  ['lte', inOrder((difference) => difference <= 0)],
  ['gt', inOrder((difference) => difference > 0)],
  ['gte', inOrder((difference) => difference >= 0)],
]);
