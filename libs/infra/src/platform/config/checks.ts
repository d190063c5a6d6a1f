import { isIP } from 'node:net';
import 'reflect-metadata';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** Converts the text of an integer; leaves anything else for `IsInt` to refuse, which stands before it: of several checks the lowest is the first. */
export const Integer = () => Transform(({ value }) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value));

export const Flag = () => Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));

export const List = () => Transform(({ value }) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value));

/** Checks every element of a list. */
export const Each = (passes: (value: string) => boolean, message: string) =>
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
