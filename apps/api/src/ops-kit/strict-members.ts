import { ApiProperty } from '@nestjs/swagger';
import { isTextUpTo } from '#domain/operations/given-texts.js';
import { isDay } from '#domain/shared/time.js';

/*
 * Members of the query parameters and bodies of `/ops` and `/audit` (operations contract 0), for the classes that `StrictQuery` and `StrictBody`
 * read. Each one checks a member and documents it. A member is mandatory, unless it is `optional`.
 */

/** A member whose values are of the type `T`. */
type Member<T> = Readonly<{
  value?: T;
  /** Problem of a value; `undefined` if there is none. An absent member has the value `undefined`. */
  flaw: (value: unknown) => string | undefined;
  /** For OpenAPI. */
  documented: object;
  isOptional?: boolean;
  /** Set if it may be repeated in a query. */
  isRepeatable?: true;
  /** Reads it from a query. Default: the text itself. A text that cannot be read is returned unchanged, and has a flaw. */
  parse?: (text: string) => unknown;
  /** Class of the objects in a list. */
  each?: new () => object;
  /** Value of an absent query parameter. Default: `undefined`. */
  usual?: T;
}>;
type OptionalMember<T> = Member<T> & Readonly<{ isOptional: true }>;

type Table = Readonly<Record<string, Member<unknown>>>;
type ValueOf<M> = M extends Member<infer T> ? T : never;
type Values<M extends Table> = {
  readonly [Name in keyof M as M[Name] extends OptionalMember<unknown> ? never : Name]: ValueOf<M[Name]>;
} & {
  readonly [Name in keyof M as M[Name] extends OptionalMember<unknown> ? Name : never]?: ValueOf<M[Name]>;
};

/** The members of a class; none if it declares none. */
export const membersIn = (type: new () => object): Table => ('members' in type ? (type.members as Table) : {});

/** The class to extend for a query or a body with these members, and those of another class. */
export const membersOf = <M extends Table, B extends object = object>(members: M, base?: new () => B): (new () => Values<M> & B) => {
  class Declared extends (base ?? Object) {
    static readonly members = { ...(base && membersIn(base)), ...members };
  }
  for (const [name, { documented, isOptional }] of Object.entries<Member<unknown>>(members)) {
    ApiProperty(documented)(Declared.prototype, name);
    if (isOptional) ApiProperty({ required: false })(Declared.prototype, name);
  }
  return Declared as unknown as new () => Values<M> & B;
};

/** `must`: requirement of the value, as text after the word "must". */
const checked = <T>(passes: (value: unknown) => boolean, must: string, documented: object): Member<T> => ({
  flaw: (value) => (passes(value) ? undefined : value === undefined ? 'is missing' : `must ${must}`),
  documented,
});

type MemberNotes = Readonly<{ description?: string; example?: unknown }>;

/** `null` is not a value of an optional member. */
export const optional = <T>(member: Member<T>): OptionalMember<T> => ({
  ...member,
  isOptional: true,
  flaw: (value) => (value === undefined ? undefined : member.flaw(value)),
});

/** A text of 1 to `max` characters, without lone surrogates. */
export const text = (max: number, notes: MemberNotes = {}): Member<string> =>
  checked((value) => typeof value === 'string' && isTextUpTo(value, max), `be a text of 1 to ${max} characters`, {
    type: 'string',
    minLength: 1,
    maxLength: max,
    ...notes,
  });

/** An integer: a number in a body, decimal digits in a query. */
export const whole = (min: number, max: number, notes: MemberNotes = {}): Member<number> => ({
  ...checked(
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max,
    `be an integer from ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max, ...notes },
  ),
  parse: (text) => (/^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : text),
});

/** Maximum number of elements of a page: 1 to `most`, `usual` if the query does not have it. @param of start of the description */
export const pageSize = (most: number, usual = most, of = ''): Member<number> => ({
  ...optional(whole(1, most, { description: `${of}default: ${usual}` })),
  usual,
});

/** `true` or `false`. */
export const flag = (notes: MemberNotes = {}): Member<boolean> => ({
  ...checked((value) => typeof value === 'boolean', 'be true or false', { type: 'boolean', ...notes }),
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : text),
});

/** One of some texts. */
export const oneOf = <const T extends string>(values: readonly T[], notes: MemberNotes = {}): Member<T> =>
  checked((value) => values.some((one) => one === value), `be one of ${values.join(', ')}`, {
    type: 'string',
    enum: [...values],
    ...notes,
  });

/** A text of this form. @param must requirement as text after the word "must" */
export const match = (form: RegExp, must: string, notes: MemberNotes = {}): Member<string> =>
  checked((value) => typeof value === 'string' && form.test(value), must, {
    type: 'string',
    pattern: form.source,
    ...notes,
  });

/** A query parameter that may be repeated: a list of at most `most` texts of 1 to `maxLength` characters each. */
export const repeatable = (most: number, maxLength: number, notes: MemberNotes = {}): Member<readonly string[]> => ({
  isRepeatable: true,
  ...checked(
    (value) => Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && isTextUpTo(one, maxLength)),
    `be given ${most} times at most, with texts of 1 to ${maxLength} characters`,
    { type: 'string', isArray: true, ...notes },
  ),
});

/** A list of at most `most` objects in a body; `type`: the class with the members of each. */
export const listOf = <T extends object>(type: new () => T, most: number, notes: MemberNotes = {}): Member<readonly T[]> => ({
  flaw: (value) => {
    if (!Array.isArray(value) || value.some(Array.isArray)) return NO_LIST;
    return value.length > most ? `must have ${most} elements at most` : undefined;
  },
  documented: { type, isArray: true, maxItems: most, ...notes },
  each: type,
});

export const NO_LIST = 'must be a list of objects';

/** Greatest position of any log. */
const LAST_POSITION = 2n ** 63n - 1n;

/** Returns whether a text is a log position: a decimal number without leading zeros. */
const isPosition = (text: unknown): text is string =>
  typeof text === 'string' && /^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= LAST_POSITION;

/** A log position (operations contract 0), a decimal text; read it with `BigInt`. */
export const position = (notes: MemberNotes = {}): Member<string> =>
  checked(isPosition, 'be a log position: a decimal number as text', {
    type: 'string',
    pattern: '^(0|[1-9]\\d{0,18})$',
    example: '81234',
    ...notes,
  });

/** A place in a list of events: a position, followed by a point and the index if several events share it. */
export const place = (notes: MemberNotes = {}): Member<string> =>
  checked(
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
  checked(isInstant, 'be an instant such as 2026-03-01T12:00:00Z', {
    type: 'string',
    format: 'date-time',
    example: '2026-03-01T12:00:00Z',
    ...notes,
  });

/** A day, `YYYY-MM-DD`. */
export const day = (notes: MemberNotes = {}): Member<string> =>
  checked((value) => typeof value === 'string' && isDay(value), 'be a day such as 2026-03-01', {
    type: 'string',
    format: 'date',
    ...notes,
  });
