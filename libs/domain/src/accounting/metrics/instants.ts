import { type Day, dayBefore, dayOf, isDay } from '#domain/shared/time.js';

/** A UTC instant `YYYY-MM-DDTHH:MM:SS.sssZ`. Instants in this form compare as text. */
export type Instant = string;

const MIDNIGHT = 'T00:00:00.000Z';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d|23:59:60|24:00:00(?!\\.0*[1-9])';
const OFFSET = '(?:0\\d|1[0-7]):[0-5]\\d(?::[0-5]\\d)?|18:00(?::00)?';
const TIMESTAMP = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})T(${CLOCK})(?:\\.(\\d{0,9}))?(?:Z|([+-])(${OFFSET}))$`, 'i');

export const midnight = (day: string): Instant => `${day}${MIDNIGHT}`;
export const isMidnight = (instant: Instant): boolean => instant.endsWith(MIDNIGHT);

/**
 * Parses a timestamp as `Instant.parse` of Java does: with `Z` or an offset; `24:00:00` is the next midnight, the leap second `23:59:60` the
 * second before it. Digits finer than a millisecond are dropped. `undefined` for any other text, and outside the years 0000 to 9999.
 */
export const parsedInstant = (text: string): Instant | undefined => {
  const [, day = '', clock = '', fraction = '', sign = '+', offset = '00:00'] = TIMESTAMP.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const local = Date.parse(`${day}T${clock.replace(':60', ':59')}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  const instant = new Date(local - Number(`${sign}${Date.parse(`1970-01-01T${offset}Z`)}`)).toISOString();
  return /^\d/.test(instant) ? instant : undefined;
};

/** A timestamp of ISO 8601 with all parts that it may omit: the seconds, and the minutes of the offset or the colon before them. */
const withAllParts = (text: string): string =>
  text.replace(/^(.{16})(?=[Z+-])/i, '$1:00').replace(/([+-]\d{2})(\d{2})?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);

/** Parses a timestamp of ISO 8601, or a day, which stands for its first moment. */
export const anyInstant = (text: string): Instant | undefined =>
  parsedInstant(withAllParts(text)) ?? (isDay(text) ? midnight(text) : undefined);

/** The day of the last moment before an instant. Midnight belongs to the previous day. */
export const lastDayBefore = (instant: Instant): Day => {
  const day = dayOf(instant);
  return isMidnight(instant) ? dayBefore(day) : day;
};

/** An instant in wire format: without its fraction if that is zero. */
export const wireInstant = (instant: Instant): string => instant.replace('.000Z', 'Z');
