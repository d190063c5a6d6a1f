import type { ExportedFile } from '../read/exported-files.js';
import { type Fields, quietly } from '../read/fields.js';
import type { StatusMigration } from './row.js';

/**
 * Of documents that share a key, the one with the greatest `_id`; the others are older versions. Reads the whole file.
 * @param keyOf may throw: such a document is not compared with others
 */
export const newestDocuments = async (
  migration: StatusMigration,
  file: ExportedFile | undefined,
  keyOf: (fields: Fields) => string,
): Promise<ReadonlyMap<string, string>> => {
  const newest = new Map<string, string>();
  if (!file) return newest;
  for await (const { fields, origin } of migration.read(file, `looking through ${file.collection}`)) {
    const key = quietly(() => keyOf(fields));
    if (key === undefined) continue;
    const known = newest.get(key);
    if (known === undefined || known < origin.id) newest.set(key, origin.id);
  }
  return newest;
};
