import type { DocumentPlace, MigrationReport } from '../report.js';

/** Corrects documents counted as taken over: they are already present, as parts of one list. */
export const allPresent = (report: MigrationReport, collection: string, documents: number): void => {
  const counts = report.of(collection);
  counts.taken -= documents;
  counts.present += documents;
};

/** Corrects documents counted as taken over: they are refused together, represented by the first. */
export const allRefused = (
  report: MigrationReport,
  place: DocumentPlace,
  { documents, reason }: Readonly<{ documents: number; reason: string }>,
): void => {
  const counts = report.of(place.collection);
  counts.taken -= documents;
  report.refused(place, reason, { documents });
};
