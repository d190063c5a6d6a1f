import type { Position, Revision } from '#domain/shared/events.js';
import type { SnapshotPlace } from './snapshots/snapshot-documents.js';

/** Head of a stream as reported by a refused append; `null` if the store did not report one. */
export type ObservedHead = Revision | 'no-stream' | null;

/** The last known event of a stream. `id`: `null` if the event was never read. */
export type LastEvent = Readonly<{ revision: Revision | null; position: Position; id: string | null }>;

export const NO_EVENT: LastEvent = { revision: null, position: 0n, id: null };

/** Place of data stored up to the event; `undefined` if its id is not known, so that nothing would prove from which log they come. */
export const snapshotPlaceOf = ({ revision, position, id }: LastEvent): SnapshotPlace | undefined =>
  revision === null || id === null ? undefined : { revision, position, id };
