import { Damage, type DataFile, INTEGER_KEYS, type Meta, PAGE_HEADER, readNumber, readTree, TREE_BYTES, type Tree } from './data-file.js';

/**
 * Receives every record of the named databases, in key order. Both buffers are overwritten after the call. Throws Damage for flaws it
 * finds.
 */
export type RecordVisitor = (database: string, key: Buffer, value: Buffer) => void;

const TRANSACTION_AT = 8;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
/** Size or child page (4 bytes), flags or the rest of the child page, length of the key. */
const NODE_HEADER = 8;
/** Flag: the value is on overflow pages. */
const BIG = 0x01;
/** Flag: the value is a tree. */
const SUBTREE = 0x02;
const MAX_LEVELS = 32;

type Entry = Readonly<{ key: Buffer; value: Buffer; isTree: boolean }>;
type Level = Readonly<{ name: string; tree: Tree; visit: (entry: Entry) => void }>;
type Bounds = Readonly<{ lower: Buffer | undefined; upper: Buffer | undefined }>;
type Found = { branchPages: number; leafPages: number; overflowPages: number; entries: number };

/**
 * Walks the pages of the newest snapshot as LMDB would, and checks everything that LMDB does not: page numbers, bounds, sizes, counts and
 * the order of keys must be right, and no page may be used twice or also be listed as free. With `leaves` false the leaf pages of named
 * databases, which are nearly all of a large file, are not read.
 * @throws Damage
 */
export const walkPages = (file: DataFile, meta: Meta, leaves: boolean, visit: RecordVisitor): void => {
  new PageWalk(file, meta, leaves).run(visit);
};

class PageWalk {
  /** One bit per page, set if it is used or free. */
  private readonly taken: Uint8Array;
  /** Pages on the path from a root to a leaf. */
  private readonly buffers: Buffer[] = [];
  private big = Buffer.alloc(0);
  private found: Found = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };

  constructor(
    private readonly file: DataFile,
    private readonly meta: Meta,
    private readonly leaves: boolean,
  ) {
    // Trailing pages may be free without ever having been written, but no file refers to many times its size.
    if ((meta.lastPage + 1) * meta.pageSize > file.size * 2 + 2 ** 30)
      throw new Damage(`has ${file.size} bytes and speaks of page ${meta.lastPage}`);
    this.taken = new Uint8Array(Math.ceil((meta.lastPage + 1) / 8));
  }

  run(visit: RecordVisitor): void {
    const { free, main } = this.meta;
    const trees: Readonly<{ name: string; tree: Tree }>[] = [];
    this.walk({ name: 'of the free pages', tree: free, visit: ({ key, value }) => this.takeFree(key, value) }, true);
    const learn = ({ key, value, isTree }: Entry): void => {
      if (isTree) trees.push(namedTree(key, value));
      else visit('', key, value);
    };
    this.walk({ name: 'of the databases', tree: main, visit: learn }, true);
    for (const { name, tree } of trees) {
      const seen = ({ key, value, isTree }: Entry): void => {
        if (isTree) throw new Damage(`has a database inside database ${name}`);
        visit(name, key, value);
      };
      this.walk({ name: `of database ${name}`, tree, visit: seen }, this.leaves);
    }
  }

  private walk(level: Level, leaves: boolean): void {
    const { name, tree } = level;
    this.found = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    if (tree.depth > MAX_LEVELS || (tree.root === undefined) !== (tree.depth === 0))
      throw new Damage(`has a damaged root of the tree ${name}`);
    if (tree.root !== undefined) this.descend(level, leaves, tree.root, 1, { lower: undefined, upper: undefined });
    const { branchPages, leafPages, overflowPages, entries } = this.found;
    const pages = branchPages === tree.branchPages && leafPages === tree.leafPages;
    if (!pages || (leaves && (overflowPages !== tree.overflowPages || entries !== tree.entries))) {
      throw new Damage(`has lost a part of the tree ${name}`);
    }
  }

  private descend(level: Level, leaves: boolean, page: number, depth: number, bounds: Bounds): void {
    const isLeaf = depth === level.tree.depth;
    this.take(page);
    this.found[isLeaf ? 'leafPages' : 'branchPages'] += 1;
    if (isLeaf && !leaves) {
      this.checkExists(page);
      return;
    }
    const bytes = this.buffer(depth);
    this.file.read(page, bytes);
    this.checkHeader(bytes, page, isLeaf ? LEAF : BRANCH);
    const used = isLeaf ? this.visitLeaf(level, bytes, page, bounds) : this.visitBranch(level, leaves, bytes, page, depth, bounds);
    if (used !== this.meta.pageSize - PAGE_HEADER - bytes.readUInt16LE(UPPER_AT))
      throw new Damage(`has overlapping records on page ${page}`);
  }

  /** Visits the records of a leaf page. Returns their size in bytes. */
  private visitLeaf(level: Level, bytes: Buffer, page: number, { lower, upper }: Bounds): number {
    const inOrder = orderOf(level.tree);
    const count = bytes.readUInt16LE(LOWER_AT) / 2;
    let used = 0;
    let previous = lower;
    for (let index = 0; index < count; index += 1) {
      const node = this.nodeAt(bytes, page, index);
      const key = this.keyOf(bytes, node, page);
      checkOrder(inOrder, previous, key, upper, index > 0, page);
      previous = key;
      used += this.visitRecord(level, bytes, node, key, page);
    }
    return used;
  }

  /** Descends into the pages below a branch page. Returns the size of its nodes in bytes. */
  private visitBranch(level: Level, leaves: boolean, bytes: Buffer, page: number, depth: number, bounds: Bounds): number {
    const inOrder = orderOf(level.tree);
    const count = bytes.readUInt16LE(LOWER_AT) / 2;
    let used = 0;
    let { lower } = bounds;
    for (let index = 0; index < count; index += 1) {
      const node = this.nodeAt(bytes, page, index);
      const key = this.keyOf(bytes, node, page);
      // The first key stands for everything below the second.
      if (index > 0) {
        checkOrder(inOrder, lower, key, bounds.upper, true, page);
        lower = key;
      }
      used += even(NODE_HEADER + key.length);
      const upper = index + 1 < count ? this.keyOf(bytes, this.nodeAt(bytes, page, index + 1), page) : bounds.upper;
      this.descend(level, leaves, childOf(bytes, node), depth + 1, { lower, upper });
    }
    return used;
  }

  private checkExists(page: number): void {
    if ((page + 1) * this.meta.pageSize > this.file.size) throw new Damage(`ends before page ${page} (it has ${this.file.size} bytes)`);
  }

  /** Returns the number of bytes that the record takes in the page. */
  private visitRecord(level: Level, bytes: Buffer, node: number, key: Buffer, page: number): number {
    const size = bytes.readUInt32LE(node);
    const flags = bytes.readUInt16LE(node + 4);
    const isBig = flags === BIG;
    const start = node + NODE_HEADER + key.length;
    const end = start + (isBig ? PAGE_HEADER : size);
    if (end > bytes.length || (flags !== 0 && !isBig && flags !== SUBTREE)) throw new Damage(`has a damaged record on page ${page}`);
    if (flags === SUBTREE && size !== TREE_BYTES) throw new Damage(`has a damaged record on page ${page}`);
    const value = isBig ? this.readBig(bytes, start, size, page) : bytes.subarray(start, end);
    this.found.entries += 1;
    level.visit({ key, value, isTree: flags === SUBTREE });
    return even(end - node);
  }

  /** At `at` there are the first page, the transaction that wrote it, and the number of pages. */
  private readBig(bytes: Buffer, at: number, size: number, page: number): Buffer {
    const first = readNumber(bytes, at);
    const pages = readNumber(bytes, at + 16);
    // More than it needs, if a longer value was overwritten.
    if (pages < Math.ceil((PAGE_HEADER + size) / this.meta.pageSize)) throw new Damage(`has a damaged record on page ${page}`);
    for (let index = 0; index < pages; index += 1) this.take(first + index);
    this.found.overflowPages += pages;
    if (this.big.length < PAGE_HEADER + size) this.big = Buffer.alloc(2 * (PAGE_HEADER + size));
    const whole = this.big.subarray(0, PAGE_HEADER + size);
    this.file.read(first, whole);
    const isSound = readNumber(whole, 0) === first && whole.readUInt16LE(FLAGS_AT) === OVERFLOW && whole.readUInt32LE(LOWER_AT) === pages;
    if (!isSound || readNumber(whole, TRANSACTION_AT) > this.meta.transaction) throw new Damage(`has a damaged page ${first}`);
    return whole.subarray(PAGE_HEADER);
  }

  private checkHeader(bytes: Buffer, page: number, kind: number): void {
    const lower = bytes.readUInt16LE(LOWER_AT);
    const upper = bytes.readUInt16LE(UPPER_AT);
    const isPage =
      readNumber(bytes, 0) === page && bytes.readUInt16LE(FLAGS_AT) === kind && readNumber(bytes, TRANSACTION_AT) <= this.meta.transaction;
    const least = kind === LEAF ? 1 : 2;
    if (!isPage || lower % 2 !== 0 || lower < 2 * least || lower > upper || upper > this.meta.pageSize - PAGE_HEADER) {
      throw new Damage(`has a damaged page ${page}`);
    }
  }

  private nodeAt(bytes: Buffer, page: number, index: number): number {
    const at = bytes.readUInt16LE(PAGE_HEADER + 2 * index);
    const isInside = at >= bytes.readUInt16LE(UPPER_AT) && at % 2 === 0 && PAGE_HEADER + at + NODE_HEADER <= bytes.length;
    if (!isInside) throw new Damage(`has a damaged page ${page}`);
    return PAGE_HEADER + at;
  }

  private keyOf(bytes: Buffer, node: number, page: number): Buffer {
    const start = node + NODE_HEADER;
    const end = start + bytes.readUInt16LE(node + 6);
    if (end > bytes.length) throw new Damage(`has a damaged record on page ${page}`);
    return bytes.subarray(start, end);
  }

  /**
   * A list of free pages: the number of slots, then page numbers. A negative number before one is the number of consecutive pages from
   * there; 0 is an empty slot.
   */
  private takeFree(key: Buffer, value: Buffer): void {
    const slots = value.length >= 8 ? readNumber(value, 0) : Number.NaN;
    if (key.length !== 8 || !(8 * (slots + 1) <= value.length)) throw new Damage('has a damaged list of free pages');
    for (let index = 1; index <= slots; index += 1) {
      const slot = value.readBigInt64LE(8 * index);
      if (slot < 0n) {
        index += 1;
        if (index > slots) throw new Damage('has a damaged list of free pages');
        this.takeFreeRun(readNumber(value, 8 * index), Number(-slot));
      } else if (slot > 0n) this.takeFreeRun(Number(slot), 1);
    }
  }

  private takeFreeRun(first: number, pages: number): void {
    if (pages > this.meta.lastPage) throw new Damage('has a damaged list of free pages');
    for (let page = first; page < first + pages; page += 1) this.take(page);
  }

  private take(page: number): void {
    const bit = 1 << (page % 8);
    const byte = Math.floor(page / 8);
    if (!(page >= 2 && page <= this.meta.lastPage)) throw new Damage(`speaks of a page ${page} that does not exist`);
    const taken = this.taken[byte] ?? 0;
    if (taken & bit) throw new Damage(`uses page ${page} twice`);
    this.taken[byte] = taken | bit;
  }

  private buffer(depth: number): Buffer {
    this.buffers[depth] ??= Buffer.alloc(this.meta.pageSize);
    return this.buffers[depth];
  }
}

/** The name ends with a zero byte. */
const namedTree = (key: Buffer, value: Buffer): Readonly<{ name: string; tree: Tree }> => {
  const name = key.toString('utf8', 0, key.length - 1);
  const tree = readTree(value, 0);
  if (tree.flags !== 0 && tree.flags !== INTEGER_KEYS) throw new Damage(`has a damaged root of the tree of database ${name}`);
  return { name, tree };
};

/** The page to which a node of a branch page points. */
const childOf = (bytes: Buffer, node: number): number => bytes.readUInt16LE(node + 4) * 2 ** 32 + bytes.readUInt32LE(node);

const even = (size: number): number => size + (size % 2);

const bytesInOrder = (lower: Buffer, higher: Buffer, strictly: boolean): boolean => lower.compare(higher) < (strictly ? 0 : 1);

type InOrder = (lower: Buffer, higher: Buffer, strictly: boolean) => boolean;

const orderOf = ({ flags }: Tree): InOrder => (flags & INTEGER_KEYS ? integersInOrder : bytesInOrder);

/** Checks a key against the previous one and the upper bound of its page. @throws Damage */
const checkOrder = (
  inOrder: InOrder,
  previous: Buffer | undefined,
  key: Buffer,
  upper: Buffer | undefined,
  strictly: boolean,
  page: number,
): void => {
  if (previous && !inOrder(previous, key, strictly)) throw new Damage(`has keys out of order on page ${page}`);
  if (upper && !inOrder(key, upper, true)) throw new Damage(`has a key on page ${page} that belongs elsewhere`);
};

const integersInOrder = (lower: Buffer, higher: Buffer, strictly: boolean): boolean => {
  if (lower.length !== higher.length) return false;
  const [low, high] = lower.length === 4 ? [lower.readUInt32LE(0), higher.readUInt32LE(0)] : [readNumber(lower, 0), readNumber(higher, 0)];
  return strictly ? low < high : low <= high;
};
