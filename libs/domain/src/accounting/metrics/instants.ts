import { type Day, dayBefore, dayOf, isDay } from '#domain/shared/time.js';

/** A UTC instant `YYYY-MM-DDTHH:MM:SS.sssZ`. Instants in this form compare as text. */
export type Instant = string;

const MIDNIGHT = 'T00:00:00.000Z';
const CLOCK = '((?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d)(?:\\.(\\d{1,9}))?';
const ZULU = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})T${CLOCK}Z$`, 'i');
const WITH_OFFSET = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})T${CLOCK}([+-])(\\d{2}):?([0-5]\\d)$`, 'i');

const instantFrom = (day: string | undefined, time: string | undefined, fraction = ''): Instant | undefined =>
  day !== undefined && time !== undefined && isDay(day) ? `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z` : undefined;

export const midnight = (day: string): Instant => `${day}${MIDNIGHT}`;

/** Parses a timestamp with `Z`. Digits finer than a millisecond are dropped. `undefined` for any other text. */
export const zuluInstant = (text: string): Instant | undefined => {
  const [, day, time, fraction] = ZULU.exec(text) ?? [];
  return instantFrom(day, time, fraction);
};

/** Parses a timestamp with `Z` or an offset, or a day, which stands for its first moment. */
export const anyInstant = (text: string): Instant | undefined => {
  if (isDay(text)) return midnight(text);
  const [, day, time, fraction, sign, hours, minutes] = WITH_OFFSET.exec(text) ?? [];
  const local = instantFrom(day, time, fraction);
  if (local === undefined || Number(hours) > 18) return zuluInstant(text);
  return shift(local, (sign === '-' ? 60_000 : -60_000) * (Number(hours) * 60 + Number(minutes)));
};

/** `undefined` outside the years 0000 to 9999. */
const shift = (instant: Instant, milliseconds: number): Instant | undefined => {
  const shifted = new Date(Date.parse(instant) + milliseconds).toISOString();
  return /^\d/.test(shifted) ? shifted : undefined;
};

/** The day of the last moment before an instant. Midnight belongs to the previous day. */
export const lastDayBefore = (instant: Instant): Day => {
  const day = dayOf(instant);
  return instant.endsWith(MIDNIGHT) ? dayBefore(day) : day;
};

/** An instant in wire format: without its fraction if that is zero. */
export const wireInstant = (instant: Instant): string => instant.replace('.000Z', 'Z');
