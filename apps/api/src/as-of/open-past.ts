import type { LogTimeline } from '#domain/operations/moments.js';
import { historyPath } from '#infra/history/history-follower.js';
import { RecordedHistory } from '#infra/history/recorded-history.js';
import type { SealedDocuments } from '#infra/read-store/sealed/sealed-documents.js';
import type { Projection } from '#projections/shared/projection.js';
import type { PastSources } from './time-of-call.js';

/** What reads as of the past are made of: the history that this node records, or another process beside it. */
export const openPast = (
  dataDirectory: string,
  parts: Readonly<{ projections: readonly Projection[]; sealing: SealedDocuments; timeline: LogTimeline }>,
): PastSources => {
  const { projections, sealing, timeline } = parts;
  return { timeline, history: new RecordedHistory({ path: historyPath(dataDirectory), projections, sealed: sealing }) };
};
