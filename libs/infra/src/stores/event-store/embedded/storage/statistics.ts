import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CategoryCounts, Databases } from './databases.js';

/** Statistics for operators. Deleted events are subtracted; streams never are. */
export type EmbeddedLogStats = Readonly<{
  /** Size of the data file. It never shrinks: freed space is reused. */
  fileBytes: number;
  categories: readonly (CategoryCounts & Readonly<{ category: string }>)[];
}>;

export const collectStats = (db: Databases, path: string): EmbeddedLogStats => ({
  fileBytes: statSync(join(path, 'data.mdb')).size,
  categories: [...db.counted.getRange()].map(({ key, value }) => ({ category: key, ...value })),
});
