import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { open } from 'lmdb';
import { isLocked, openUnowned } from '#infra/platform/lmdb/lock.js';

/** Bytes of what belongs to a store. `held`: of the pages that its newest state uses; of other files than LMDB's all bytes. */
export type StoreSize = Readonly<{ file: number; held: number }>;

type Stats = Readonly<{ pageSize: number; treeBranchPageCount: number; treeLeafPageCount: number; overflowPages: number }>;

const DATA = 'data.mdb';
const BLOCK = 512;

const bytesOf = ({ pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages }: Stats): number =>
  pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);

/** Pages of the trees of an environment; of one that is open, all bytes of its file, given in `file`. */
const heldBytes = (path: string, file: number): number => {
  if (isLocked(path)) return file;
  const root = openUnowned(path, () => open({ path, noSubdir: false, readOnly: true, maxDbs: 256 }));
  try {
    const names = Array.from(root.getKeys(), String);
    const own = root.getStats() as Stats & Readonly<{ root: Stats; free: Stats }>;
    const named = names.map((name) => bytesOf(root.openDB({ name }).getStats() as Stats));
    return [bytesOf(own.root), bytesOf(own.free), ...named].reduce((sum, bytes) => sum + bytes, 0);
  } finally {
    void root.close();
  }
};

const sum = ({ file, held }: StoreSize, more: StoreSize): StoreSize => ({ file: file + more.file, held: held + more.held });

const sizeOf = (path: string): StoreSize => {
  const file = (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK; // files come and go while a server runs
  return { file, held: basename(path) === DATA ? heldBytes(dirname(path), file) : file };
};

/** Sizes of the stores in a data directory, by the names of their directories; disk space, not lengths, where files have holes. */
export const storeSizes = (directory: string): ReadonlyMap<string, StoreSize> =>
  new Map(
    readdirSync(directory, { withFileTypes: true }).flatMap((store) => {
      if (!store.isDirectory()) return [];
      const files = readdirSync(join(directory, store.name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      if (!files.some(({ name }) => name === DATA)) return [];
      const sizes = files.map(({ parentPath, name }) => sizeOf(join(parentPath, name)));
      return [[store.name, sizes.reduce(sum, { file: 0, held: 0 })] as const];
    }),
  );
