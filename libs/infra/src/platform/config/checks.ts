import { isIP } from 'node:net';
import 'reflect-metadata';
import { Transform } from 'class-transformer';
import { IsBase64, IsBoolean, IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';

/** Applies decorators of a variable, first to last: the first check that fails is the one that is reported. */
const all =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, name) => {
    for (const decorate of decorators) decorate(target, name);
  };

const toInteger = Transform(({ value }) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value));
const toFlag = Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));

/**
 * An integer within bounds, inclusive.
 * @param message for anything but an integer; for other numbers also with `always`
 */
export const Integer = (message: string, min: number, max = Number.MAX_SAFE_INTEGER, always = false) =>
  all(IsInt({ message }), Max(max, always ? { message } : {}), Min(min, always ? { message } : {}), toInteger);

/** `true` or `false`. */
export const Flag = () => all(IsBoolean({ message: 'must be true or false' }), toFlag);

/** A text that may be left out. */
export const OptionalText = () => all(IsString(), IsOptional());

/** An http or https URL that may be left out. */
export const OptionalUrl = (message: string) =>
  all(IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }, { message }), IsOptional());

/** 32 bytes in base64, which may be left out. */
export const OptionalKey = () => {
  const message = 'must be 32 bytes in base64';
  return all(Matches(/^.{44}$/, { message }), IsBase64({}, { message }), IsOptional());
};

/** One of two or more words. */
export const OneOf = (words: readonly string[], message = `must be ${words.join(' or ')}`) => IsIn(words, { message });

export const List = () => Transform(({ value }) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value));

/** Checks every element of a list. */
export const EveryItem = (passes: (value: string) => boolean, message: string) =>
  ValidateBy({ name: message, validator: { validate: (value) => passes(String(value)) } }, { each: true, message });

/** An origin as browsers send it: scheme, host and optional port. */
export const isOrigin = (value: string): boolean => /^https?:\/\/[\w.:[\]-]+$/i.test(value) && URL.canParse(value);

/** An IP address, or a range: an address with a prefix length. */
export const isAddressRange = (value: string): boolean => {
  const [, address = '', prefix = '1'] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128);
};

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of a duration such as `7d`. */
export const secondsOf = (span: string): number => Number(span.slice(0, -1)) * (UNITS[span.slice(-1)] ?? 1);
