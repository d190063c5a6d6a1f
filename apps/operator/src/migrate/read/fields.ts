import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';

/** Members of a document, as parsed by the reader. */
export type Fields = Readonly<Record<string, unknown>>;

/** A member has the wrong form; `message` names it and its required form, without its value. */
export class WrongField extends Error {
  override readonly name = 'WrongField';
}

const wrong = (name: string, what: string): WrongField => new WrongField(`${name} must be ${what}`);

/** The text of an `_id`; for an ObjectId its 24 hex characters. `undefined` for anything that is not an id. */
export const idText = (id: unknown): string | undefined => {
  if (id instanceof ObjectId) return id.toHexString();
  if (typeof id === 'string' && id !== '') return id;
  return typeof id === 'number' ? String(id) : undefined;
};

/** Creation time in an ObjectId: `YYYY-MM-DDTHH:MM:SS.000Z`; `undefined` for other ids. */
export const idTime = (id: unknown): string | undefined => {
  if (id instanceof ObjectId) return id.getTimestamp().toISOString();
  return typeof id === 'string' && /^[0-9a-f]{24}$/i.test(id) ? ObjectId.createFromHexString(id).getTimestamp().toISOString() : undefined;
};

/** Returns whether the member is present and not `null`. */
export const has = (fields: Fields, name: string): boolean => fields[name] !== undefined && fields[name] !== null;

/** A text; `''` for a missing or `null` one. @throws WrongField */
export const textIn = (fields: Fields, name: string): string => {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw wrong(name, 'a text');
  return value;
};

/** Texts by the names of their members, in this order. @throws WrongField */
export const allTextsIn = <Name extends string>(fields: Fields, ...names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, textIn(fields, name)])) as Record<Name, string>;

/** A text; `null` for a missing or `null` one. @throws WrongField */
export const textOrNull = (fields: Fields, name: string): string | null => (has(fields, name) ? textIn(fields, name) : null);

/** A text with at least one character. @throws WrongField */
export const nameIn = (fields: Fields, name: string): string => {
  const text = textIn(fields, name);
  if (text === '') throw wrong(name, 'a text that is not empty');
  return text;
};

/** @throws WrongField. A missing or `null` one is `fallback` */
export const flagIn = (fields: Fields, name: string, fallback = false): boolean => {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'boolean') throw wrong(name, 'true or false');
  return value;
};

/** Converts any numeric form of BSON to a JavaScript number. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Long || value instanceof Decimal128) return Number(value.toString());
  return value instanceof Double || value instanceof Int32 ? value.valueOf() : undefined;
};

/** A finite number of any numeric type; a missing or `null` one is `fallback`. @throws WrongField */
export const numberIn = (fields: Fields, name: string, fallback?: number): number => {
  const value = has(fields, name) ? numberOf(fields[name]) : fallback;
  if (value === undefined || !Number.isFinite(value)) throw wrong(name, 'a number');
  return value;
};

/** An integer that JavaScript represents exactly; integral values of other types are accepted. @throws WrongField */
export const integerIn = (fields: Fields, name: string, fallback?: number): number => {
  const value = numberIn(fields, name, fallback);
  if (!Number.isSafeInteger(value)) throw wrong(name, 'a whole number');
  return value;
};

/** A number as decimal text, including all digits of a Decimal128. @throws WrongField */
export const decimalIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (!(value instanceof Decimal128)) return String(numberIn(fields, name));
  const text = value.toString();
  if (!/^[+-]?\d/.test(text)) throw wrong(name, 'a number');
  return text;
};

/** A number that the original stores as `float32` widened to a double: the shortest decimal with the same `float32`. @throws WrongField */
export const floatIn = (fields: Fields, name: string, fallback?: number): number => {
  const wide = numberIn(fields, name, fallback);
  const narrow = Math.fround(wide);
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(wide.toPrecision(digits));
    if (Math.fround(short) === narrow) return short;
  }
  return wide;
};

/** A date `YYYY-MM-DDTHH:MM:SS.sssZ`; `undefined` for a missing or `null` one. @throws WrongField also outside the years 0001 to 9999 */
export const dateIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw wrong(name, 'a date');
  const text = value.toISOString();
  if (!/^\d{4}-/.test(text)) throw wrong(name, 'a date of the years 0001 to 9999');
  return text;
};

/** A list; `[]` for a missing or `null` one. @throws WrongField */
const listIn = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields[name] ?? [];
  if (!Array.isArray(value)) throw wrong(name, 'a list');
  return value;
};

/** @throws WrongField */
export const textsIn = (fields: Fields, name: string): readonly string[] => {
  const list = listIn(fields, name);
  if (!list.every((item) => typeof item === 'string')) throw wrong(name, 'a list of texts');
  return list as readonly string[];
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** @throws WrongField */
export const fieldsListIn = (fields: Fields, name: string): readonly Fields[] => {
  const list = listIn(fields, name);
  if (!list.every(isFields)) throw wrong(name, 'a list of documents');
  return list as readonly Fields[];
};

/** An embedded document; `undefined` for a missing or `null` one. @throws WrongField */
export const fieldsIn = (fields: Fields, name: string): Fields | undefined => {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (!isFields(value)) throw wrong(name, 'a document');
  return value;
};

/** Like `fieldsIn`, but empty for a missing or `null` one. @throws WrongField */
export const partIn = (fields: Fields, name: string): Fields => fieldsIn(fields, name) ?? {};

/** Returns `undefined` if `read` throws: the code that takes the document reports the error. */
export const quietly = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
