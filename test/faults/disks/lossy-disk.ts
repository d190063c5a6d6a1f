import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '#test/faults/random.js';
import type { Change } from './journal.js';

const PAGE = 4_096;

type Pending = Readonly<{ sequence: number; isDurable: boolean; at: number; bytes: Buffer } | { sequence: number; size: number }>;

/** Bytes of a file, changed in place. */
class Content {
  constructor(
    private bytes: Buffer,
    private length = bytes.length,
  ) {}

  get text(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  apply(change: Pending): void {
    if ('size' in change) {
      this.reach(change.size);
      if (change.size < this.length) this.bytes.fill(0, change.size, this.length);
      this.length = change.size;
      return;
    }
    const end = change.at + change.bytes.length;
    this.reach(end);
    change.bytes.copy(this.bytes, change.at);
    this.length = Math.max(this.length, end);
  }

  private reach(end: number): void {
    if (end <= this.bytes.length) return;
    const longer = Buffer.alloc(Math.max(end, 2 * this.bytes.length));
    this.text.copy(longer);
    this.bytes = longer;
  }
}

/** A file as the disk has it, and what it was only asked for. */
class DiskFile {
  private readonly content: Content;
  private pending: Pending[] = [];

  constructor(
    readonly inode: string,
    bytes: Buffer = Buffer.alloc(0),
  ) {
    this.content = new Content(bytes);
  }

  change(change: Pending): void {
    this.pending.push(change);
  }

  flush(seen: number): void {
    const isCovered = ({ sequence }: Pending): boolean => sequence <= seen;
    for (const change of this.pending) if (isCovered(change)) this.content.apply(change);
    this.pending = this.pending.filter((change) => !isCovered(change));
  }

  /** What may be found after a loss of power: of each page that was not flushed the older or the newer bytes. @param kept how often the newer */
  afterLoss(random: Random, kept: number): Buffer {
    const found = new Content(Buffer.from(this.content.text));
    for (const change of this.pending) {
      if ('size' in change) {
        if (random.chance(kept)) found.apply(change);
      } else for (const page of pagesOf(change)) if (change.isDurable || random.chance(kept)) found.apply(page);
    }
    return found.text;
  }
}

const pagesOf = ({ sequence, isDurable, at, bytes }: Exclude<Pending, { size: number }>): readonly Exclude<Pending, { size: number }>[] => {
  const pages = [];
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + PAGE - ((at + start) % PAGE));
    pages.push({ sequence, isDurable, at: at + start, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return pages;
};

type Entry = DiskFile | 'directory' | Readonly<{ text: string }>;
type NameChange = Readonly<{ sequence: number; directories: readonly string[]; apply(names: Map<string, Entry>): void }>;

/**
 * A directory on a disk that forgets what was not flushed: bytes that no flush of their file covers, and names (made, changed or removed) that no flush
 * of their directory covers.
 */
export class LossyDisk {
  /** As the process sees it. */
  private readonly seen = new Map<string, Entry>();
  /** As the disk has it. */
  private readonly kept = new Map<string, Entry>();
  private pending: NameChange[] = [];
  private readonly files = new Map<string, DiskFile>();

  /** @param directory what is on the disk in the beginning; the inodes of its files are those of the changes */
  constructor(directory: string) {
    this.seen.set('', 'directory');
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const path = join(directory, name);
      const stat = lstatSync(path, { bigint: true });
      const file = (): DiskFile => new DiskFile(String(stat.ino), readFileSync(path));
      this.seen.set(`/${name}`, stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? { text: readlinkSync(path) } : file());
    }
    for (const [path, entry] of this.seen) {
      this.kept.set(path, entry);
      if (entry instanceof DiskFile) this.files.set(entry.inode, entry);
    }
  }

  apply(change: Change): void {
    const { sequence, inode } = change;
    switch (change.kind) {
      case 'write':
        this.files.get(inode)?.change({ sequence, isDurable: change.isDurable, at: change.at, bytes: change.bytes });
        return;
      case 'cut':
        this.files.get(inode)?.change({ sequence, size: change.size });
        return;
      case 'flush':
        this.files.get(inode)?.flush(change.seen);
        return;
      case 'flush directory':
        this.flushNames(change.path, change.seen);
        return;
      case 'open':
        if (change.isNew || !this.seen.has(change.path)) {
          const file = new DiskFile(inode);
          this.files.set(inode, file);
          if (change.isNew) this.rename(sequence, [change.path], (names) => names.set(change.path, file));
        } else if (change.isEmptied) this.files.get(inode)?.change({ sequence, size: 0 });
        return;
      case 'symlink':
        this.rename(sequence, [change.path], (names) => names.set(change.path, { text: change.text }));
        return;
      case 'make directory':
        this.rename(sequence, [change.path], (names) => names.set(change.path, 'directory'));
        return;
      case 'remove':
      case 'remove directory':
        this.rename(sequence, [change.path], (names) => names.delete(change.path));
        return;
      default:
        this.rename(sequence, [change.path, change.to], (names) => move(names, change.path, change.to, change.kind === 'link'));
    }
  }

  /**
   * Writes what may be found after a loss of power now.
   * @param kept how often bytes and names that were not flushed are there, 0 to 1
   */
  writeAfterLoss(directory: string, random: Random, kept: number): void {
    const names = this.namesAfterLoss(random, kept);
    mkdirSync(directory, { recursive: true });
    for (const [path, entry] of names) {
      const place = join(directory, path);
      if (entry === 'directory') mkdirSync(place, { recursive: true });
      else if (entry instanceof DiskFile) writeFileSync(place, entry.afterLoss(random, kept), { mode: 0o600 });
      else symlinkSync(entry.text, place);
    }
  }

  private namesAfterLoss(random: Random, kept: number): ReadonlyMap<string, Entry> {
    const names = new Map(this.kept);
    /** A file system with a journal keeps the first changes of names; one without, the first of each directory. */
    const isJournaled = random.chance(0.5);
    const ended = new Set<string>();
    for (const change of this.pending) {
      const places = isJournaled ? ['any'] : change.directories;
      if (!random.chance(kept)) for (const place of places) ended.add(place);
      if (!places.some((place) => ended.has(place))) change.apply(names);
    }
    return reachable(names);
  }

  private rename(sequence: number, paths: readonly string[], apply: (names: Map<string, Entry>) => void): void {
    apply(this.seen);
    this.pending.push({ sequence, directories: paths.map((path) => dirname(path)), apply });
  }

  private flushNames(directory: string, seen: number): void {
    const isCovered = ({ sequence, directories }: NameChange): boolean =>
      sequence <= seen && directories.includes(directory === '' ? '/' : directory);
    for (const change of this.pending.filter(isCovered)) change.apply(this.kept);
    this.pending = this.pending.filter((change) => !isCovered(change));
  }
}

/** With everything below it. */
const move = (names: Map<string, Entry>, from: string, to: string, isCopy: boolean): void => {
  for (const [path, entry] of [...names]) {
    if (path !== from && !path.startsWith(`${from}/`)) continue;
    if (!isCopy) names.delete(path);
    names.set(to + path.slice(from.length), entry);
  }
};

/** Directories before what is in them; nothing in one that is not there. */
const reachable = (names: ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> => {
  const found = new Map<string, Entry>([['', 'directory']]);
  for (const path of [...names.keys()].sort()) {
    const parent = dirname(path) === '/' ? '' : dirname(path);
    if (path !== '' && found.has(parent)) found.set(path, names.get(path) as Entry);
  }
  return found;
};
