import type { DocumentPlace, MigrationReport } from '#operator/migrate/report.js';

/** Days and times by the name of their member: the text in a document, and what Logbook shows. */
export type ChangedTimes = Readonly<Record<string, Readonly<{ text: string; shown: string }>>>;

/** Characters of a time that are repeated in a report. */
const LONGEST = 40;

/**
 * Says of a document that Logbook shows a day or time of it in another form, or another one where it has none or an unreadable one.
 */
export const sayChangedTimes = (report: MigrationReport, place: DocumentPlace, times: ChangedTimes): void => {
  const changes = Object.entries(times).flatMap(([name, { text, shown }]) =>
    text === shown ? [] : [`${name} is shown as ${shown}${text === '' ? '' : `, not ${text.slice(0, LONGEST)}`}`],
  );
  if (changes.length > 0) report.changed(place, changes.join('; '));
};
