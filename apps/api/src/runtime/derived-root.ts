import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CURRENT } from '#infra/engine/audit-index/index-files.js';
import { treeIn } from '#infra/engine/integrity/tree-store.js';
import { dataFile } from '#infra/platform/lmdb/examination.js';
import { type Openness, opennessOf } from '#infra/platform/lmdb/lock.js';

/** A directory that contains data derived from the log in `audit`. */
type DerivedRoot = Readonly<{ directory: string; close(): Promise<void> }>;

const DERIVED = [dataFile(treeIn('')), join('audit', 'index', CURRENT)];

/**
 * Directory of the chain's tree and of the audit index: the data directory. Read-only callers create nothing there. If one of the two is
 * missing, they get an empty temporary directory, which is removed at the end.
 * @param existing read-only. @param unusable states of the tree in which it counts as missing
 */
export const derivedRoot = async (dataDirectory: string, existing: boolean, unusable: readonly Openness[]): Promise<DerivedRoot> => {
  const isWhole = unusable.length === 0 || !unusable.includes(opennessOf(treeIn(dataDirectory)));
  const isThere = isWhole && DERIVED.every((name) => existsSync(join(dataDirectory, name)));
  if (!existing || isThere) return { directory: dataDirectory, close: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'logbook-derived-'));
  return { directory, close: () => rm(directory, { recursive: true, force: true }) };
};
