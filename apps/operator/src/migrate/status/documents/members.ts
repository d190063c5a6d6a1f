import { inKeyOrder } from '#domain/shared/text/text-order.js';
import { type Day, isDay, zuluSecond } from '#domain/shared/time.js';
import { DocumentRefused } from '#operator/migrate/migration.js';
import { type Fields, fieldsIn, has, idTime, integerIn, nameIn, partIn, textIn, WrongField } from '#operator/migrate/read/fields.js';
import { wireTime } from '#projections/status/layout.js';
import type { ChangedTimes } from './changed-times.js';

/** Form of ids, which are parts of keys and stream names. */
const ID = /^[\w.-]{1,64}$/;

/** The id of a resource, which is kept. @throws Refused, WrongField */
export const idIn = (fields: Fields, name = 'id'): string => {
  const id = nameIn(fields, name);
  if (!ID.test(id)) throw new DocumentRefused(`${name} must be 1 to 64 letters, digits, dots, dashes or underscores`);
  return id;
};

/** The day in `date_integer`, whatever `date` says; `undefined` if the document has none. @throws WrongField */
export const dayIn = (fields: Fields): Day | undefined => {
  if (!has(fields, 'date_integer')) return undefined;
  const digits = String(integerIn(fields, 'date_integer')).padStart(8, '0');
  const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
  if (!isDay(day)) throw new WrongField('date_integer must be a day, yyyymmdd');
  return day;
};

/** Like `dayIn`, for a document that must have one. @throws WrongField */
export const dayOfList = (fields: Fields): Day => {
  const day = dayIn(fields);
  if (day === undefined) throw new WrongField('date_integer must be a day, yyyymmdd');
  return day;
};

const INSTANT = /^(\d{4})-(\d{1,2})-(\d{1,2})[T ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?Z?$/;

/**
 * An instant `YYYY-MM-DD HH:MM:SS` or `YYYY-MM-DDTHH:MM:SSZ` in the form of events, even without leading zeros; `undefined` for any other
 * text. The original's local time counts as UTC.
 */
export const instantIn = (text: string): string | undefined => {
  const [year, ...others] = (INSTANT.exec(text) ?? []).slice(1);
  const [month, day, hour, minute, second] = others.map((part) => part.padStart(2, '0'));
  const found = zuluSecond(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return found?.replace('Z', '.000Z');
};

/** Times in the `info` of a document, with those shown by Logbook. @throws WrongField */
export const timesOfInfo = (fields: Fields, shown: Readonly<{ created: string; updated: string }>): ChangedTimes => {
  const info = partIn(fields, 'info');
  return Object.fromEntries(
    Object.entries(shown).map(([name, time]) => [`info.${name}`, { text: textIn(info, name), shown: wireTime(time) }]),
  );
};

const NEVER = '1970-01-01T00:00:00.000Z';

/** Creation time of a document: that of its `_id`, or the beginning of 1970 if it has none. */
export const madeAt = (fields: Fields): string => idTime(fields._id) ?? NEVER;

/** A map of texts in the order of its keys; `null` for a missing one. Keys are never paths. @throws WrongField */
export const textMapIn = (fields: Fields, name: string): Readonly<Record<string, string>> | null => {
  const map = fieldsIn(fields, name);
  return map ? inKeyOrder(Object.fromEntries(Object.keys(map).map((key) => [key, textIn(map, key)]))) : null;
};

/** Texts, without empty ones. @throws WrongField */
export const filledIn = <Name extends string>(fields: Fields, ...names: readonly Name[]): Partial<Record<Name, string>> =>
  Object.fromEntries(names.flatMap((name) => (textIn(fields, name) === '' ? [] : [[name, textIn(fields, name)]]))) as Partial<
    Record<Name, string>
  >;
