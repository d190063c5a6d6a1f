import type { DocumentPlace, MigrationReport } from '../report.js';

/** Documents that were counted as taken turn out to be there already, as parts of one list. */
export const allPresent = (report: MigrationReport, collection: string, documents: number): void => {
  const counts = report.of(collection);
  counts.taken -= documents;
  counts.present += documents;
};

/** Documents that were counted as taken turn out to be refused together; the first of them stands for all. */
export const allRefused = (
  report: MigrationReport,
  place: DocumentPlace,
  { documents, reason }: Readonly<{ documents: number; reason: string }>,
): void => {
  const counts = report.of(place.collection);
  counts.taken -= documents;
  report.refused(place, reason, { documents });
};
