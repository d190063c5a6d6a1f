import { type JsonReader, MalformedJson } from '#api/shared/json/json-reader.js';
import { bounded, type Shape as Described } from '#domain/shared/shape.js';
import type { Pace, Steps } from '#domain/shared/time-slice.js';

/**
 * The shape of a request body, read as in the original services (status contract 1.7). Unknown members are ignored, keys match in any
 * letter case, and the last of equal keys wins. `null` is the same as absent. Absent members get the zero value of their type. A value of
 * another type makes the whole body malformed.
 */
export type Shape<T> = Readonly<{
  zero(): T;
  read(reader: JsonReader): T;
  /**
   * Reads from the result of `JSON.parse`, which is faster and may become a part of the result. Adds up the values in it. Omitted if the
   * parsed value is not sufficient. @throws NEEDS_TEXT the parsed value does not determine the text, or is of another type
   */
  take?(parsed: unknown, taken: ValueCount): T;
  /** Reads a value that may be long in steps. If omitted, the value is read at once. */
  readInSteps?(reader: JsonReader, pace: Pace): Steps<T>;
  /** Its description in OpenAPI. */
  schema: Described;
  /**
   * Presence of a member with this shape in OpenAPI: required; or not mentioned, because it is ignored and accepted only for clients that
   * send back an answer. Default: optional. It does not affect reading.
   */
  presence?: 'due' | 'unsaid';
}>;
/** Number of values taken so far. If a key occurs twice, the text has more values. */
export type ValueCount = { values: number };
export type Infer<S> = S extends Shape<infer T> ? T : never;

export const mismatch = (reader: JsonReader, wanted: string): never => {
  throw new MalformedJson(`found ${reader.kind()} where ${wanted} is due`);
};

/** Thrown by {@link Shape.take}: the text has to be read. One shared object, because it is not an error. */
export const NEEDS_TEXT = new Error('the parsed value does not tell');
export const untold = (): never => {
  throw NEEDS_TEXT;
};

const SCHEMAS = { string: 'text', number: 'number', integer: 'integer', boolean: 'flag' } as const;

const scalar = <T>(
  kind: 'string' | 'number' | 'boolean',
  type: keyof typeof SCHEMAS,
  zero: T,
  read: (reader: JsonReader) => T,
  take?: (parsed: unknown) => T,
): Shape<T> => ({
  zero: () => zero,
  read: (reader) => (reader.kind() === kind ? read(reader) : mismatch(reader, type)),
  ...(take && { take }),
  schema: SCHEMAS[type],
});

export const text = scalar(
  'string',
  'string',
  '',
  (reader) => reader.string(),
  (parsed) => (typeof parsed === 'string' ? parsed.toWellFormed() : untold()),
);

/** A text with at most this number of UTF-16 units. A longer one makes the body malformed. */
export const textUpTo = (maxLength: number): Shape<string> => ({
  ...scalar(
    'string',
    'string',
    '',
    (reader) => {
      const value = reader.string();
      return value.length <= maxLength ? value : mismatch(reader, 'a shorter text');
    },
    (parsed) => (typeof parsed === 'string' && parsed.length <= maxLength ? parsed.toWellFormed() : untold()),
  ),
  schema: bounded('text', { maxLength }),
});

export const flag = scalar(
  'boolean',
  'boolean',
  false,
  (reader) => reader.boolean(),
  (parsed) => (typeof parsed === 'boolean' ? parsed : untold()),
);

/** A 64-bit float. */
export const number = scalar(
  'number',
  'number',
  0,
  (reader) => {
    const value = Number(reader.number());
    return Number.isFinite(value) ? value : mismatch(reader, 'a number in range');
  },
  (parsed) => (typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : untold()),
);

/** A safe integer, written without fraction and exponent: `5.0` and `5e0` are not integers. */
export const integer = scalar('number', 'integer', 0, (reader) => {
  const spelled = reader.number();
  const value = Number(spelled);
  return /^-?\d+$/.test(spelled) && Number.isSafeInteger(value) ? value : mismatch(reader, 'an integer');
});

/** A 64-bit integer as decimal digits, because a number may not hold it. */
export const integer64 = scalar('number', 'integer', '0', (reader) => {
  const spelled = reader.number();
  const value = /^-?\d{1,19}$/.test(spelled) ? BigInt(spelled) : undefined;
  return value !== undefined && BigInt.asIntN(64, value) === value ? `${value}` : mismatch(reader, 'a 64-bit integer');
});
