import { isIP } from 'node:net';
import { isURL } from 'class-validator';

type Given = Readonly<Record<string, string | undefined>>;
/** Says what is wrong with a variable. */
type Refuse = (variable: string, must: string) => void;

/** A setting of the program, and the variables of the environment that it comes from. */
type Setting<T> = Readonly<{ variables: readonly string[]; read: (given: Given, refuse: Refuse) => T }>;
type Settings = Readonly<Record<string, Setting<unknown>>>;
export type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never };

/** Reads the text of a variable, or says what it must be. */
type Parse<T> = (text: string, refuse: (must: string) => void) => T;

/** `fallback`: value of an unset variable. */
export function variable<T>(name: string, parse: Parse<T>): Setting<T | undefined>;
export function variable<T>(name: string, parse: Parse<T>, fallback: NoInfer<T>): Setting<T>;
export function variable<T>(name: string, parse: Parse<T>, fallback?: T): Setting<T | undefined> {
  return {
    variables: [name],
    read: (given, refuse) => {
      const value = given[name];
      return value === undefined ? fallback : parse(value, (must) => refuse(name, must));
    },
  };
}

/** A variable that must be set where others are. @param must what it says if it is not */
export const neededWith = <T>(others: readonly string[], name: string, parse: Parse<T>, must: string): Setting<T | undefined> => ({
  variables: [name],
  read: (given, refuse) => {
    if (given[name] === undefined && others.some((other) => given[other] !== undefined)) refuse(name, must);
    return variable(name, parse).read(given, refuse);
  },
});

export const readAll = <S extends Settings>(settings: S, given: Given, refuse: Refuse): ValuesOf<S> =>
  Object.fromEntries(Object.entries(settings).map(([name, { read }]) => [name, read(given, refuse)])) as ValuesOf<S>;

export const variablesOf = (settings: Settings): readonly string[] => Object.values(settings).flatMap(({ variables }) => variables);

/** One setting of several variables. */
export const combined = <S extends Settings, T>(parts: S, combine: (values: ValuesOf<S>) => T): Setting<T> => ({
  variables: variablesOf(parts),
  read: (given, refuse) => combine(readAll(parts, given, refuse)),
});

export const text: Parse<string> = (given) => given;

/** A text of this form. */
export const matching =
  (form: RegExp, must: string): Parse<string> =>
  (given, refuse) => {
    if (!form.test(given)) refuse(must);
    return given;
  };

export const isUrl = (value: string): boolean => isURL(value, { require_tld: false, require_protocol: true, protocols: ['http', 'https'] });

/** An http or https URL of this form. */
export const url =
  (must: string, form = /^/): Parse<string> =>
  (given, refuse) => {
    if (!isUrl(given) || !form.test(given)) refuse(must);
    return given;
  };

/** 32 bytes in base64. */
export const key: Parse<string> = matching(/^[A-Za-z\d+/]{43}=$/, 'must be 32 bytes in base64');

/** A check of an element, and what the elements must be. */
type Check = readonly [passes: (element: string) => boolean, must: string];

/** Texts separated by commas, each of which passes the checks. */
export const list =
  (...checks: readonly Check[]): Parse<readonly string[]> =>
  (given, refuse) => {
    const elements = given.split(',').map((one) => one.trim());
    for (const [passes, must] of checks) if (!elements.every(passes)) refuse(must);
    return elements;
  };

/** An integer within bounds, inclusive. @param must for anything but an integer */
export const integer =
  (must: string, min: number, max = Number.MAX_SAFE_INTEGER): Parse<number> =>
  (given, refuse) => {
    const value = /^-?\d+$/.test(given) ? Number(given) : Number.NaN;
    if (Number.isNaN(value)) refuse(must);
    else if (value > max) refuse(`must not be greater than ${max}`);
    else if (value < min) refuse(`must not be less than ${min}`);
    return value;
  };

/** One of two or more words. */
export const oneOf =
  <const T extends string>(words: readonly T[], must = `must be ${words.join(' or ')}`): Parse<T> =>
  (given, refuse) => {
    if (!words.some((word) => word === given)) refuse(must);
    return given as T;
  };

export const flag: Parse<boolean> = (given, refuse) => oneOf(['true', 'false'])(given, refuse) === 'true';

export const onOrOff: Parse<boolean> = (given, refuse) => oneOf(['on', 'off'])(given, refuse) === 'on';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of a duration such as `7d`. */
export const secondsOf = (span: string): number => Number(span.slice(0, -1)) * (UNITS[span.slice(-1)] ?? 1);

/** Seconds of a duration of this form. */
export const duration =
  (form: RegExp, must: string): Parse<number> =>
  (given, refuse) =>
    secondsOf(matching(form, must)(given, refuse));

/** An origin as browsers send it: scheme, host and optional port. */
export const isOrigin = (value: string): boolean => /^https?:\/\/[\w.:[\]-]+$/i.test(value) && URL.canParse(value);

/** An IP address, or a range: an address with a prefix length. */
export const isAddressRange = (value: string): boolean => {
  const [, address = '', prefix = '1'] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128);
};
