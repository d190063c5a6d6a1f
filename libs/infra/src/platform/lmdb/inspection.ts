import { existsSync, statSync } from 'node:fs';
import { Damage, DataFile, type Meta } from './data-file.js';
import { type RecordVisitor, walkPages } from './page-walk.js';

/** Checks all records of an environment in one pass; `finish` is called after the last one. Both throw Damage. */
export interface Inspector {
  visit: RecordVisitor;
  finish(): void;
}

/** `absent`: missing or empty, which LMDB would take for a new database. `what` is a clause after the file's name. */
export type Inspection = Readonly<{ kind: 'absent' | 'sound' }> | Readonly<{ kind: 'damaged'; what: string }>;

/** Attempts, because a writer in another process may change pages while they are read. */
const MAX_ATTEMPTS = 5;

/**
 * Inspects `data.mdb` before LMDB opens it, because LMDB ends the process with a signal over a damaged file.
 * @param newInspector checks the records, too, by reading the whole file; without it only the path to the records is read
 */
export const inspectDataFile = (path: string, newInspector: (() => Inspector) | undefined): Inspection => {
  if (!existsSync(path) || statSync(path).size === 0) return { kind: 'absent' };
  let found: Inspection = { kind: 'sound' };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const file = new DataFile(path);
    let meta: Meta | undefined;
    try {
      meta = file.readMeta();
      inspect(file, meta, newInspector?.());
      return { kind: 'sound' };
    } catch (error) {
      found = { kind: 'damaged', what: whatOf(error) };
      // A meta page may have been read during a write. With commits on every attempt, some process uses the file successfully.
      if (meta && !hasMoved(file, meta)) return found;
      if (meta) found = { kind: 'sound' };
    } finally {
      file.close();
    }
  }
  return found;
};

const inspect = (file: DataFile, meta: Meta, inspector: Inspector | undefined): void => {
  walkPages(file, meta, inspector !== undefined, (database, key, value) => inspector?.visit(database, key, value));
  inspector?.finish();
};

const whatOf = (error: unknown): string => {
  if (error instanceof Damage) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EIO') return 'cannot be read (EIO)';
  throw error;
};

/** Returns whether there was a commit since: pages of the snapshot may have been overwritten then. */
const hasMoved = (file: DataFile, { transaction }: Meta): boolean => {
  try {
    return file.readMeta().transaction !== transaction;
  } catch {
    return false;
  }
};
