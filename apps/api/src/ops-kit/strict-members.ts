import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import { isDay } from '#domain/shared/time.js';

/*
 * Members of the query parameters and bodies of `/ops` and `/audit` (operations contract 0), for the classes that `StrictQuery` and `StrictBody`
 * read. Each one checks a member and documents it. A member is mandatory, unless it is `optional`.
 */

/** Decorates a member whose values are of the type `T`. */
type Member<T> = PropertyDecorator & Readonly<{ value?: T }>;
type OptionalMember<T> = Member<T> & Readonly<{ isOptional: true }>;

type Table = Readonly<Record<string, Member<unknown>>>;
type ValueOf<M> = M extends Member<infer T> ? T : never;
type Values<M extends Table> = {
  readonly [Name in keyof M as M[Name] extends OptionalMember<unknown> ? never : Name]: ValueOf<M[Name]>;
} & {
  readonly [Name in keyof M as M[Name] extends OptionalMember<unknown> ? Name : never]?: ValueOf<M[Name]>;
};

/** The class to extend for a query or a body with these members, and those of another class. */
export const membersOf = <M extends Table, B extends object = object>(members: M, base?: new () => B): (new () => Values<M> & B) => {
  class Declared extends (base ?? Object) {}
  for (const [name, decorate] of Object.entries(members)) decorate(Declared.prototype, name);
  return Declared as new () => Values<M> & B;
};

/** Parses a member from the text of a query parameter. A text that cannot be parsed is returned unchanged, and the check refuses it. */
type Parse = (text: string) => unknown;

const PARSE = Symbol('how a member is read from a query');
const REPEATABLE = Symbol('whether a query parameter may be repeated');

/** Parser of a member in a query: the text itself, unless its decorator sets another one. */
export const parserOf = (target: object, member: string): Parse => Reflect.getMetadata(PARSE, target, member) ?? ((text: string) => text);

export const isRepeatable = (target: object, member: string): boolean => Reflect.getMetadata(REPEATABLE, target, member) === true;

const parsedBy = (parse: Parse): PropertyDecorator => Reflect.metadata(PARSE, parse) as PropertyDecorator;

/** `must`: requirement of the value, as text after the word "must". */
const checked = <T>(name: string, passes: (value: unknown) => boolean, must: string, documented: object): Member<T> =>
  applyDecorators(
    ValidateBy({
      name,
      validator: {
        validate: passes,
        defaultMessage: ({ value }: ValidationArguments = {} as ValidationArguments) =>
          value === undefined ? 'is missing' : `must ${must}`,
      },
    }),
    ApiProperty(documented as ApiPropertyOptions),
  );

type MemberNotes = Readonly<{ description?: string; example?: unknown }>;

/** `null` is not a value of an optional member. */
export const optional = <T>(member: Member<T>): OptionalMember<T> =>
  applyDecorators(
    member,
    ValidateIf((_object, value) => value !== undefined),
    ApiProperty({ required: false }),
  ) as OptionalMember<T>;

/** A text of 1 to `max` characters. Lone surrogates are refused, because they cannot be stored as UTF-8. */
export const text = (max: number, notes: MemberNotes = {}): Member<string> =>
  checked(
    'isText',
    (value) => typeof value === 'string' && value.isWellFormed() && hasLength(value, max),
    `be a text of 1 to ${max} characters`,
    { type: 'string', minLength: 1, maxLength: max, ...notes },
  );

const hasLength = (text: string, max: number): boolean => text !== '' && text.length <= 2 * max && [...text].length <= max;

/** An integer: a number in a body, decimal digits in a query. */
export const whole = (min: number, max: number, notes: MemberNotes = {}): Member<number> =>
  applyDecorators(
    checked(
      'isWhole',
      (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max,
      `be an integer from ${min} to ${max}`,
      { type: 'integer', minimum: min, maximum: max, ...notes },
    ),
    parsedBy((text) => (/^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : text)),
  );

/** `true` or `false`. */
export const flag = (notes: MemberNotes = {}): Member<boolean> =>
  applyDecorators(
    checked('isFlag', (value) => typeof value === 'boolean', 'be true or false', { type: 'boolean', ...notes }),
    parsedBy((text) => (text === 'true' ? true : text === 'false' ? false : text)),
  );

/** One of some texts. */
export const oneOf = <const T extends string>(values: readonly T[], notes: MemberNotes = {}): Member<T> =>
  checked('isOneOf', (value) => values.some((one) => one === value), `be one of ${values.join(', ')}`, {
    type: 'string',
    enum: [...values],
    ...notes,
  });

/** A text of this form. @param must requirement as text after the word "must" */
export const match = (form: RegExp, must: string, notes: MemberNotes = {}): Member<string> =>
  checked('isMatch', (value) => typeof value === 'string' && form.test(value), must, {
    type: 'string',
    pattern: form.source,
    ...notes,
  });

/** A query parameter that may be repeated: a list of at most `most` texts of 1 to `maxLength` characters each. */
export const repeatable = (most: number, maxLength: number, notes: MemberNotes = {}): Member<readonly string[]> =>
  applyDecorators(
    Reflect.metadata(REPEATABLE, true) as PropertyDecorator,
    checked(
      'isRepeatable',
      (value) =>
        Array.isArray(value) &&
        value.length <= most &&
        value.every((one) => typeof one === 'string' && one.isWellFormed() && hasLength(one, maxLength)),
      `be given ${most} times at most, with texts of 1 to ${maxLength} characters`,
      { type: 'string', isArray: true, ...notes },
    ),
  );

/** `ValidateNested` takes the elements of a list in a list for those of the outer one. */
const isFlatList = (value: unknown): boolean => Array.isArray(value) && !value.some(Array.isArray);

/** A list of at most `most` objects in a body; `type`: the class with the members of each. */
export const listOf = <T extends object>(type: new () => T, most: number, notes: MemberNotes = {}): Member<readonly T[]> =>
  applyDecorators(
    Type(() => type),
    ValidateBy({ name: 'isListOf', validator: { validate: isFlatList, defaultMessage: () => 'must be a list of objects' } }),
    ArrayMaxSize(most, { message: `must have ${most} elements at most` }),
    ValidateNested({ each: true, message: 'must be a list of objects' }),
    ApiProperty({ type, isArray: true, maxItems: most, ...notes } as ApiPropertyOptions),
  );

/** Greatest position of any log. */
const LAST_POSITION = 2n ** 63n - 1n;

/** Returns whether a text is a log position: a decimal number without leading zeros. */
const isPosition = (text: unknown): text is string =>
  typeof text === 'string' && /^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= LAST_POSITION;

/** A log position (operations contract 0), a decimal text; read it with `BigInt`. */
export const position = (notes: MemberNotes = {}): Member<string> =>
  checked('isPosition', isPosition, 'be a log position: a decimal number as text', {
    type: 'string',
    pattern: '^(0|[1-9]\\d{0,18})$',
    example: '81234',
    ...notes,
  });

/** A place in a list of events: a position, followed by a point and the index if several events share it. */
export const place = (notes: MemberNotes = {}): Member<string> =>
  checked(
    'isPlace',
    (text) => typeof text === 'string' && isPosition(text.replace(/\.\d{1,15}$/, '')),
    'be a log position: a decimal number as text',
    { type: 'string', pattern: '^(0|[1-9]\\d{0,18})(\\.\\d{1,15})?$', example: '81234', ...notes },
  );

const INSTANT = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

/** Returns whether a text is an existing instant, `YYYY-MM-DDTHH:MM:SS[.fff…]Z`. */
export const isInstant = (text: unknown): text is string => {
  if (typeof text !== 'string') return false;
  const [, day] = INSTANT.exec(text) ?? [];
  return day !== undefined && isDay(day);
};

/** Milliseconds since 1970-01-01 UTC of a text that {@link isInstant}; with a fraction if the text has one, for exact comparisons. */
export const millisecondsOf = (instant: string): number => {
  const [whole = '', fraction = ''] = instant.slice(0, -1).split('.');
  return Date.parse(`${whole}Z`) + Number(`0.${fraction || '0'}`) * 1_000;
};

/** An instant, `YYYY-MM-DDTHH:MM:SS[.fff…]Z`; read it with {@link millisecondsOf}. */
export const instant = (notes: MemberNotes = {}): Member<string> =>
  checked('isInstant', isInstant, 'be an instant such as 2026-03-01T12:00:00Z', {
    type: 'string',
    format: 'date-time',
    example: '2026-03-01T12:00:00Z',
    ...notes,
  });

/** A day, `YYYY-MM-DD`. */
export const day = (notes: MemberNotes = {}): Member<string> =>
  checked('isDay', (value) => typeof value === 'string' && isDay(value), 'be a day such as 2026-03-01', {
    type: 'string',
    format: 'date',
    ...notes,
  });
