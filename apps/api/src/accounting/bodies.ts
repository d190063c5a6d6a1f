import type { FastifyRequest } from 'fastify';
import { due, named, type ReceivedBody, readBody, readLargeBody, type Shape, struct } from '#api/shared/bodies/body-shape.js';
import { mismatch, untold } from '#api/shared/bodies/scalar-shapes.js';
import { receivedBodyOf } from '#api/shared/http/request-context.js';
import { type Shape as Described, doc } from '#domain/shared/shape.js';
import * as errors from './errors.js';

/**
 * Bodies of the accounting service (accounting contract 2.2). Member names must match exactly, unknown members are ignored, and the last of
 * equal keys wins. Scalars are coerced to the declared type; a value that cannot be coerced makes the whole body malformed. Absent members
 * and `null` are both `null`.
 */

/** A text. Numbers and booleans are converted to their text. */
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

/** Digits with an optional fraction and exponent; less strict than JSON numbers. */
const DECIMAL = /^([+-]?)0*(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Limits digits and exponent to a realistic size. */
const MOST_CHARACTERS = 400;
const WIDEST_EXPONENT = 400;
const tooLarge = (): never => {
  throw errors.numberTooLarge(`${MOST_CHARACTERS} characters, and an exponent of ${WIDEST_EXPONENT}`);
};

/** A number in JSON spelling, or else as sent; `undefined` if the text is not a number. @throws AccountingError 400 if it is too large */
const spelledNumber = (given: string): string | undefined => {
  if (given.length > MOST_CHARACTERS) return /^[\d.eE+-]+$/.test(given) ? tooLarge() : undefined;
  const [, sign, whole, fraction, exponent] = DECIMAL.exec(given) ?? [];
  if (sign === undefined || !/\d/.test(given) || /^[+-]?\.?[eE]/.test(given)) return undefined;
  if (Math.abs(Number(exponent ?? 0)) > WIDEST_EXPONENT) tooLarge();
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent}` : ''}`;
};

/** A decimal number as text, exactly as sent: a number, or a string with one. An empty string is `null`. */
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

/** A required text that must not be empty; {@link required} checks that. */
export const filled = (description: string): Shape<string | null> => due(text, doc('text', description, { minLength: 1 }));

/** Required texts, which may be empty according to OpenAPI; described by name. */
export const dueTexts = <Name extends string>(descriptions: Readonly<Record<Name, Described>>) =>
  Object.fromEntries(Object.entries<Described>(descriptions).map(([name, description]) => [name, due(text, description)])) as Readonly<
    Record<Name, Shape<string | null>>
  >;

/** For an id that becomes a segment of entitlements and paths. */
export const WITHOUT_DOTS = { pattern: '^[^.]+$' };

/** Body of a creation. @param name of its schema */
export const recordOf = <M extends Members>(name: string, shapes: M) => named(name, members(shapes));

/** Body of an update: all members are optional. @param name of its schema */
export const changesOf = <M extends Members>(name: string, shapes: M) =>
  named(name, struct(shapes, { keys: 'exact', onNull: 'reset', due: 'none' }), 'Empty texts and members that are left out change nothing');

/** Returns whether the body is missing, blank or `null`. */
const isNothing = (body: ReceivedBody | undefined): boolean => {
  if (!body || body.values === 0) return true;
  const { bytes, isJson, firstEnd = 0, values } = body;
  return isJson && values === 1 && bytes.toString('latin1', firstEnd - 4, firstEnd) === 'null';
};

/**
 * Parses the body of a request; `undefined` if there is none, which {@link present} refuses after the permission check.
 * @throws MalformedJson (answered 400), before any permission is checked
 */
export const bodyFrom = <T>(request: FastifyRequest, shape: Shape<T>): T | undefined => {
  const body = receivedBodyOf(request);
  return isNothing(body) ? undefined : readBody(shape, body);
};

/** The same for a body that may be large. @throws as `bodyFrom` */
export const largeBodyFrom = async <T>(request: FastifyRequest, shape: Shape<T>): Promise<T | undefined> => {
  const body = receivedBodyOf(request);
  return isNothing(body) ? undefined : readLargeBody(shape, body);
};

/** @throws AccountingError 400 if there is no body */
export const present = <T>(body: T | undefined): T => {
  if (body === undefined) throw errors.emptyBody();
  return body;
};

/** A required member or query parameter. @throws AccountingError 400, with the field's name, if it is absent or empty */
export const required = (value: string | null | undefined, field: string): string => {
  if (!value) throw errors.missing(field);
  return value;
};

/** A member of an update: `null` and an empty text leave the value unchanged. */
export const changed = <B>(value: string | null, before: B): string | B => (value === null || value === '' ? before : value);
