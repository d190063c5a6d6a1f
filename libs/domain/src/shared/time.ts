/** A calendar day in UTC, `YYYY-MM-DD`. Days compare as text. */
export type Day = string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the text is a day that exists: 4-2-2 digits and a real calendar date (`2020-02-30` is not). */
export const isDay = (text: string): text is Day => {
  if (!DAY.test(text)) return false;
  const instant = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
};

/** The UTC day of an instant `YYYY-MM-DDTHH:MM:SS…Z`. */
export const dayOf = (instant: string): Day => instant.slice(0, 10);
