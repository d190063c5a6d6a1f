import type { DocumentPlace, MigrationReport } from '../report.js';
import type { StatusMigration } from './row.js';

/** Corrects documents counted as taken over: they are already present, as parts of one list. */
export const allPresent = (report: MigrationReport, collection: string, documents: number): void => {
  const counts = report.of(collection);
  counts.taken -= documents;
  counts.present += documents;
};

/** Corrects documents counted as taken over: they are refused together, represented by the first. `list`: see {@link Findings.refusedLists}. */
export const allRefused = (
  { report, found }: StatusMigration,
  place: DocumentPlace,
  { list, documents, reason }: Readonly<{ list: string; documents: number; reason: string }>,
): void => {
  found.refusedLists.add(list);
  const counts = report.of(place.collection);
  counts.taken -= documents;
  report.refused(place, reason, { documents });
};
