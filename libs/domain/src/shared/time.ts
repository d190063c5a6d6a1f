/** A calendar day in UTC, `YYYY-MM-DD`. Days compare as text. */
export type Day = string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Lengths of the months of a common year. */
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Whether the text is an existing calendar date in the form 4-2-2 digits: `2020-02-30` is not. */
export const isDay = (text: string): text is Day => {
  if (!DAY.test(text)) return false;
  // Computed arithmetically: parsing and formatting a `Date` takes eight times as long, and every dated read does this.
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const length = month === 2 && isLeap(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
  return day >= 1 && day <= length;
};

/** The UTC day of an instant `YYYY-MM-DDTHH:MM:SS…Z`. */
export const dayOf = (instant: string): Day => instant.slice(0, 10);

/** UTC day of milliseconds since 1970-01-01 UTC. */
export const dayAt = (milliseconds: number): Day => dayOf(new Date(milliseconds).toISOString());

const DAY_MS = 86_400_000;

export const dayBefore = (day: Day): Day => dayAt(Date.parse(day) - DAY_MS);

export const dayAfter = (day: Day): Day => dayAt(Date.parse(day) + DAY_MS);

/** Seconds since 00:00:00 of the UTC day of an instant `YYYY-MM-DDTHH:MM:SS…Z`. */
export const secondOfDay = (instant: string): number =>
  Number(instant.slice(11, 13)) * 3_600 + Number(instant.slice(14, 16)) * 60 + Number(instant.slice(17, 19));

const ZULU = /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:[.,]\d+)?Z$/;

/**
 * Parses a text of the form `YYYY-MM-DDTHH:MM:SSZ`; a fraction of a second is allowed and dropped. `undefined` if the text has another form or names
 * no existing instant. Instants of this form compare as text.
 */
export const zuluSecond = (text: string): string | undefined => {
  const [, day, time] = ZULU.exec(text) ?? [];
  return day !== undefined && isDay(day) ? `${day}T${time}Z` : undefined;
};
