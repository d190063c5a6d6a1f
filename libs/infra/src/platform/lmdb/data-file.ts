import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A data file differs from what LMDB writes. The message says where, as a clause after the file's name. */
export class Damage extends Error {
  override readonly name = 'Damage';
}

/** A tree of pages in LMDB's description (data format 2 of lmdb 3). */
export type Tree = Readonly<{
  flags: number;
  depth: number;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  /** `undefined` if the tree is empty. */
  root: number | undefined;
}>;

/** A meta page, which a commit writes last: the roots of the trees of its snapshot. */
export type Meta = Readonly<{ pageSize: number; transaction: number; lastPage: number; free: Tree; main: Tree }>;

/** Header of every page except the continuations of overflow pages: own number, transaction, flags, two bounds. */
export const PAGE_HEADER = 24;
const FLAGS_AT = 18;
const META_PAGE = 0x08;
/** Flag of a tree with native integers of 4 or 8 bytes as keys, like the tree of free pages. */
export const INTEGER_KEYS = 0x08;
/** LMDB writes it beside the flags of the tree of free pages where an environment is a file instead of a directory. */
const NO_DIRECTORY = 0x40_00;

const MAGIC = 0xbeefc0de;
const DATA_FORMAT = 2;
const MAGIC_AT = PAGE_HEADER;
const FORMAT_AT = 28;
const FREE_TREE_AT = 48;
export const TREE_BYTES = 48;
const MAIN_TREE_AT = FREE_TREE_AT + TREE_BYTES;
const LAST_PAGE_AT = MAIN_TREE_AT + TREE_BYTES;
const TRANSACTION_AT = LAST_PAGE_AT + 8;
const META_BYTES = TRANSACTION_AT + 8;

/** Root of an empty tree: all ones. */
const NO_PAGE = 2 ** 64;

/** Reads an integer of 8 bytes. Numbers in an undamaged file are safe integers; others are rounded. */
export const readNumber = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);

export const readTree = (bytes: Buffer, at: number): Tree => {
  const root = readNumber(bytes, at + 40);
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: readNumber(bytes, at + 8),
    leafPages: readNumber(bytes, at + 16),
    overflowPages: readNumber(bytes, at + 24),
    entries: readNumber(bytes, at + 32),
    root: root === NO_PAGE ? undefined : root,
  };
};

/** Reads `data.mdb` as a plain file, because LMDB itself would end the process with a signal if it is damaged. */
export class DataFile {
  private readonly descriptor: number;
  /** Size in bytes, as of the last `readMeta`. */
  size = 0;
  pageSize = 0;

  constructor(path: string) {
    this.descriptor = openSync(path, 'r');
  }

  /** Fills the buffer, starting at a page. @throws Damage the file ends earlier */
  read(page: number, target: Buffer): void {
    const position = page * this.pageSize;
    if (position + target.length > this.size || readSync(this.descriptor, target, 0, target.length, position) < target.length) {
      throw new Damage(`ends before page ${page} (it has ${this.size} bytes)`);
    }
  }

  /**
   * The newer of the two meta pages, to which commits write in turn. Both are checked, because a damaged older one could pass for the newer
   * one.
   * @throws Damage
   */
  readMeta(): Meta {
    const first = this.readMetaAt(0, 0);
    this.pageSize = first.pageSize;
    const second = this.readMetaAt(1, first.pageSize);
    const [newer, older] = first.transaction > second.transaction ? [first, second] : [second, first];
    const isNew = first.transaction === 0 && second.transaction === 0;
    const parity = first.transaction % 2 === 0 && (isNew || second.transaction % 2 === 1);
    // A copy made by LMDB has an empty first page and the number of the copied state, until the first write.
    const isCopy = first.transaction === 0 && first.main.root === undefined;
    const follows = newer.transaction - older.transaction === (isNew ? 0 : 1) || isCopy;
    if (!parity || !follows || newer.pageSize !== older.pageSize) {
      throw new Damage('has meta pages that contradict each other');
    }
    // Read after the meta pages: a writing process extends the file before a meta page refers to the new pages.
    this.size = fstatSync(this.descriptor).size;
    return newer;
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private readMetaAt(page: number, position: number): Meta {
    const bytes = Buffer.alloc(META_BYTES);
    if (readSync(this.descriptor, bytes, 0, META_BYTES, position) < META_BYTES || bytes.readUInt32LE(MAGIC_AT) !== MAGIC) {
      throw new Damage(page === 0 ? 'is not an LMDB file or its first page is lost' : 'has lost its second page');
    }
    const format = bytes.readUInt16LE(FORMAT_AT);
    if (format !== DATA_FORMAT) throw new Damage(`has data format ${format}, this program reads ${DATA_FORMAT}`);
    const pageSize = bytes.readUInt32LE(FREE_TREE_AT);
    const meta = {
      pageSize,
      transaction: readNumber(bytes, TRANSACTION_AT),
      lastPage: readNumber(bytes, LAST_PAGE_AT),
      free: readTree(bytes, FREE_TREE_AT),
      main: readTree(bytes, MAIN_TREE_AT),
    };
    const isSize = pageSize >= 512 && pageSize <= 65_536 && Number.isInteger(Math.log2(pageSize));
    const isPage = bytes.readUInt16LE(FLAGS_AT) === META_PAGE && readNumber(bytes, 0) === page;
    const isSound = isSize && isPage && (meta.free.flags & ~NO_DIRECTORY) === INTEGER_KEYS && meta.main.flags === 0;
    if (!isSound || !Number.isSafeInteger(meta.transaction) || !Number.isSafeInteger(meta.lastPage * pageSize)) {
      throw new Damage(`has a damaged meta page ${page}`);
    }
    return meta;
  }
}
