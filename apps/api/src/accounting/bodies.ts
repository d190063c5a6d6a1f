import type { FastifyRequest } from 'fastify';
import { due, named, readBody, readLargeBody, type Shape, struct } from '#api/shared/bodies/body-shape.js';
import { mismatch, untold } from '#api/shared/bodies/scalar-shapes.js';
import { bodyOf, receivedBodyOf } from '#api/shared/http/request-context.js';
import { type Shape as Described, doc } from '#api/shared/openapi/shape.js';
import * as errors from './errors.js';

/**
 * Bodies as clients of the accounting service send them (accounting contract 2.2): members are named exactly, unknown ones are ignored, the
 * last of equal keys wins; scalars are coerced to the type that is due, and whatever cannot be makes the whole body malformed. Absent and
 * `null` are the same: `null`.
 */

/** A text; numbers and booleans become the text that spells them. */
export const text: Shape<string | null> = {
  zero: () => null,
  read: (reader) => {
    switch (reader.kind()) {
      case 'string':
        return reader.string();
      case 'number':
        return reader.number();
      case 'boolean':
        return `${reader.boolean()}`;
      default:
        return mismatch(reader, 'a string');
    }
  },
  take: (parsed) => {
    if (typeof parsed === 'string') return parsed.toWellFormed();
    return typeof parsed === 'boolean' ? `${parsed}` : untold();
  },
  schema: 'text',
};

/** Digits with an optional fraction and exponent, more freely than JSON spells numbers. */
const DECIMAL = /^([+-]?)0*(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
/** Neither more digits nor a wider exponent than anybody counts with. */
const MOST_DIGITS = 400;
const WIDEST_EXPONENT = 400;

/** The number in the spelling of JSON, otherwise as it was sent; `undefined` if the text is no number. */
const spelledNumber = (given: string): string | undefined => {
  if (given.length > MOST_DIGITS) return undefined;
  const [, sign, whole, fraction, exponent] = DECIMAL.exec(given) ?? [];
  if (sign === undefined || !/\d/.test(given) || /^[+-]?\.?[eE]/.test(given)) return undefined;
  if (Math.abs(Number(exponent ?? 0)) > WIDEST_EXPONENT) return undefined;
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent}` : ''}`;
};

/** A decimal number as text, exactly as it was sent: a number, or a string that spells one. An empty string is `null`. */
export const decimal: Shape<string | null> = {
  zero: () => null,
  read: (reader) => {
    const kind = reader.kind();
    if (kind !== 'number' && kind !== 'string') return mismatch(reader, 'a number');
    const given = kind === 'number' ? reader.number() : reader.string().trim();
    if (given === '') return null;
    return spelledNumber(given) ?? mismatch(reader, 'a number');
  },
  schema: 'number',
};

type Members = Readonly<Record<string, Shape<unknown>>>;

/** An object with these members; the result has all of them. */
export const members = <M extends Members>(shapes: M) => struct(shapes, { keys: 'exact', onNull: 'reset' });

/** A text that must be there and not be empty, which {@link required} checks. */
export const filled = (description: string): Shape<string | null> => due(text, doc('text', description, { minLength: 1 }));

/** Texts that must be there, and may be empty as far as OpenAPI says; described by name. */
export const dueTexts = <Name extends string>(descriptions: Readonly<Record<Name, Described>>) =>
  Object.fromEntries(Object.entries<Described>(descriptions).map(([name, description]) => [name, due(text, description)])) as Readonly<
    Record<Name, Shape<string | null>>
  >;

/** Of an id that becomes a segment of entitlements and paths. */
export const WITHOUT_DOTS = { pattern: '^[^.]+$' };

/** A record to be created. @param name of its schema */
export const recordOf = <M extends Members>(name: string, shapes: M) => named(name, members(shapes));

/** Changes of a record: none of its members must be there. @param name of its schema */
export const changesOf = <M extends Members>(name: string, shapes: M) =>
  named(name, struct(shapes, { keys: 'exact', onNull: 'reset', due: 'none' }), 'Empty texts and members that are left out change nothing');

/** No body, blanks, or `null`. */
const isNothing = (body: Buffer | undefined): boolean =>
  body === undefined || (body.length <= 64 && /^\s*(?:null\s*)?$/.test(body.toString('latin1')));

/**
 * The body of a request; `undefined` if there is none, which {@link present} refuses once the caller's permission is known.
 * @throws MalformedJson (answered 400), before any permission is looked at
 */
export const bodyFrom = <T>(request: FastifyRequest, shape: Shape<T>): T | undefined =>
  isNothing(bodyOf(request)) ? undefined : readBody(shape, receivedBodyOf(request));

/** The same of a body that may be large. @throws as `bodyFrom` */
export const largeBodyFrom = async <T>(request: FastifyRequest, shape: Shape<T>): Promise<T | undefined> =>
  isNothing(bodyOf(request)) ? undefined : readLargeBody(shape, receivedBodyOf(request));

/** @throws AccountingError 400 if there is no body */
export const present = <T>(body: T | undefined): T => {
  if (body === undefined) throw errors.emptyBody();
  return body;
};

/** A member or query parameter that must be there. @throws AccountingError 400, naming the field, when it is absent or empty */
export const required = (value: string | null | undefined, field: string): string => {
  if (!value) throw errors.missing(field);
  return value;
};

/** A member of an update: `null` and an empty text leave the value as it was. */
export const changed = <B>(value: string | null, before: B): string | B => (value === null || value === '' ? before : value);
