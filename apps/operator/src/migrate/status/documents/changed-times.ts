import type { DocumentPlace, MigrationReport } from '#operator/migrate/report.js';

/** Days and times by member name: the text in a document, and the text shown by Logbook. */
export type ChangedTimes = Readonly<Record<string, Readonly<{ text: string; shown: string }>>>;

/** Maximum characters of a time in a report. */
const LONGEST = 40;

/** Reports that Logbook shows a day or time of a document in another form, or a substitute if it is missing or unreadable. */
export const sayChangedTimes = (report: MigrationReport, place: DocumentPlace, times: ChangedTimes): void => {
  const changes = Object.entries(times).flatMap(([name, { text, shown }]) =>
    text === shown ? [] : [`${name} is shown as ${shown}${text === '' ? '' : `, not ${text.slice(0, LONGEST)}`}`],
  );
  if (changes.length > 0) report.changed(place, changes.join('; '));
};
