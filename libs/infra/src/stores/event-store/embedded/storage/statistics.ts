import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type CategoryCounts, type Databases, logHead } from './databases.js';

/** Statistics for operators. Deleted events are subtracted; streams never are. */
export type EmbeddedLogStats = Readonly<{
  /** Position of the newest event. */
  head: bigint;
  events: number;
  streams: number;
  /** Bytes of the JSON text of the events' data. */
  bytes: number;
  /** Size of the data file. It never shrinks: freed space is reused. */
  fileBytes: number;
  /** False once the disk has failed: only a new process can append again. */
  acceptsAppends: boolean;
  categories: readonly (CategoryCounts & Readonly<{ category: string }>)[];
}>;

export const collectStats = (db: Databases, path: string, acceptsAppends: boolean): EmbeddedLogStats => {
  const categories = [...db.counted.getRange()].map(({ key, value }) => ({ category: key, ...value }));
  const sum = (of: (counts: CategoryCounts) => number): number => categories.reduce((total, counts) => total + of(counts), 0);
  return {
    head: BigInt(logHead(db).position),
    events: sum((counts) => counts.events),
    streams: sum((counts) => counts.streams),
    bytes: sum((counts) => counts.bytes),
    fileBytes: statSync(join(path, 'data.mdb')).size,
    acceptsAppends,
    categories,
  };
};
