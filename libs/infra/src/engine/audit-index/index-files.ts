import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstIndex } from '#domain/shared/first-index.js';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';
import { fileIdentity } from '#infra/platform/lmdb/version-marker.js';
import { writeFileDurably } from '#infra/platform/lmdb/write-file-durably.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type Checkpoint, type Divergence, NOTHING_INDEXED } from './checkpoint.js';
import { IndexPiece, PieceDamaged, type PieceInfo } from './pieces/piece.js';
import type { IndexRecord } from './pieces/record.js';
import type { Segment } from './pieces/segment.js';
import { Tail } from './pieces/tail.js';
import type { Term } from './terms.js';

/** 5: with ids of events. A new format makes every node rebuild its index. */
const INDEX_FORMAT = 5;
/** Name of the file that lists the other files. */
export const CURRENT = 'current';
/** Files that `current` does not name are removed after this time: until then a writer may be using them. */
const LEFT_BEHIND_MS = 60 * 60_000;

/** Content of the file `current`. */
export type Manifest = Readonly<{
  format: number;
  /** Salt of the hashes in keys: without it nobody can choose texts with the same hash. */
  salt: string;
  /** In the order of their events. */
  pieces: readonly PieceInfo[];
  /** File of the events appended since the last piece was made; it may be missing. */
  journal: string;
  /** Progress of the pieces. */
  checkpoint: Checkpoint;
  divergence: Divergence | null;
}>;

/** An event is not in the index: the index was emptied or is damaged, and is being rebuilt. */
export class AuditIndexIncomplete extends ReadStoreUnavailable {
  override readonly name = 'AuditIndexIncomplete';
}

/** The result of a reading of the index, or `otherwise` while the index is built. */
export const unlessIncomplete = async <Result, Otherwise>(
  read: () => Result | Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AuditIndexIncomplete) return otherwise;
    throw error;
  }
};

/** The files of an index as one process or thread sees them. There are no locks: see the README. */
export class IndexFiles {
  manifest: Manifest | undefined;
  private identity: string | undefined;
  private pieces: readonly IndexPiece[] = [];
  tail = new Tail(NOTHING_INDEXED);
  private journal: number | undefined;
  /** A temporary error, such as too many open files, because of which nothing is loaded; `undefined`: none. */
  obstacle: unknown;

  constructor(
    /** Directory of the files. */
    readonly path: string,
    /** Receives a sentence about why the index is set aside. */
    private readonly report: (message: string, error?: unknown) => void,
  ) {}

  /** In the order of their events. */
  get segments(): readonly Segment[] {
    return [...this.pieces, this.tail];
  }

  /** Loads later writes. Unreadable files count as missing. */
  refresh(): void {
    this.obstacle = undefined;
    try {
      for (let look = this.identityNow(); look !== this.identity; look = this.identityNow()) this.load(look);
      this.readJournal();
    } catch (error) {
      this.close();
      if (!this.failed(error) && codeOf(error) !== undefined) this.obstacle = error;
    }
  }

  /** Returns whether `current` is unchanged since it was read here. */
  get isCurrent(): boolean {
    return this.manifest !== undefined && this.identityNow() === this.identity;
  }

  /** @throws AuditIndexIncomplete */
  record(index: number): IndexRecord {
    return this.reading(() => this.segmentOf(index).record(index));
  }

  /** The term of the stream of an event. @throws AuditIndexIncomplete */
  streamOf(index: number): Term {
    return this.reading(() => {
      const segment = this.segmentOf(index);
      return segment.streamName(segment.record(index).stream);
    });
  }

  /** Returns whether there are events of a term. @throws AuditIndexIncomplete */
  has(term: Term): boolean {
    return this.reading(() => this.segments.some((segment) => segment.parts(term, Number.POSITIVE_INFINITY)[0] !== undefined));
  }

  /** Yields terms with a prefix, from one on, in order. @throws AuditIndexIncomplete */
  *termsFrom(prefix: Term, start: Term = prefix): Generator<Term> {
    for (let from = start; ; ) {
      const found = this.reading(() => this.segments.flatMap((segment) => segment.termFrom(from) ?? []));
      const next = found.reduce<Term | undefined>((least, term) => (least === undefined || term < least ? term : least), undefined);
      if (!next?.startsWith(prefix)) return;
      yield next;
      from = `${next}\0`;
    }
  }

  /** Salt of the hashes in terms. It also identifies one build of the index, outside of which results are invalid. Empty: no index. */
  get salt(): string {
    return this.reading(() => this.manifest?.salt ?? '');
  }

  /** @throws AuditIndexIncomplete the data are damaged; the index is then set aside */
  reading<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof AuditIndexIncomplete)) this.failed(error);
      throw error instanceof AuditIndexIncomplete ? error : new AuditIndexIncomplete('the audit index cannot be read', { cause: error });
    }
  }

  /** Makes a manifest the current one, loads it, and removes unneeded files. @param keepsNothing removes all other files at once */
  publish(manifest: Omit<Manifest, 'format'>, keepsNothing = false): void {
    const before = this.manifest ? filesOf(this.manifest) : [];
    const text = JSON.stringify({ ...manifest, format: INDEX_FORMAT });
    writeFileDurably(join(this.path, CURRENT), withChecksum(CURRENT, text));
    this.refresh();
    const named = new Set(filesOf(manifest));
    const since = Date.now() - LEFT_BEHIND_MS;
    for (const file of readdirSync(this.path)) {
      const path = join(this.path, file);
      const isLeft = keepsNothing || before.includes(file) || (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since;
      if (!named.has(file) && isLeft) rmSync(path, { recursive: true, force: true });
    }
  }

  /** The follower finds no index, and rebuilds it. */
  private setAside(error: unknown): void {
    this.report('the audit index cannot be read and is set aside', error);
    try {
      rmSync(join(this.path, CURRENT), { force: true });
    } catch {
      // the disk fails: the next read fails in the same way
    }
  }

  close(): void {
    this.see(undefined, []);
    this.identity = undefined;
  }

  private segmentOf(index: number): Segment {
    const { segments } = this;
    const segment = segments[firstIndex(0, segments.length, (place) => (segments[place] as Segment).end > index)];
    if (!segment || index < segment.from) throw new AuditIndexIncomplete(`event ${index} is not indexed`);
    return segment;
  }

  /** Sets the index aside if it is damaged or the disk fails, and returns whether. Other errors, such as too many open files, are temporary. */
  failed(error: unknown): boolean {
    const isLost = error instanceof PieceDamaged || ['EIO', 'ENOENT'].includes(String(codeOf(error)));
    if (isLost) this.setAside(error);
    return isLost;
  }

  /** Returns an empty text if there is no such file. */
  private identityNow(): string {
    try {
      return fileIdentity(join(this.path, CURRENT));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    }
  }

  private load(identity: string): void {
    const manifest = identity === '' ? undefined : parseManifest(readFileSync(join(this.path, CURRENT), 'utf8'));
    const pieces: IndexPiece[] = [];
    try {
      for (const info of manifest?.pieces ?? []) pieces.push(this.pieceOf(info));
    } catch (error) {
      for (const piece of pieces) if (!this.pieces.includes(piece)) piece.close();
      if (this.identityNow() === identity) throw error;
      return; // it has been merged
    }
    this.see(manifest, pieces);
    this.identity = identity;
  }

  private pieceOf(info: PieceInfo): IndexPiece {
    return this.pieces.find((piece) => piece.info.file === info.file) ?? IndexPiece.open(join(this.path, info.file), info);
  }

  private see(manifest: Manifest | undefined, pieces: readonly IndexPiece[]): void {
    for (const piece of this.pieces) if (!pieces.includes(piece)) piece.close();
    if (this.journal !== undefined) closeSync(this.journal);
    this.journal = undefined;
    this.pieces = pieces;
    this.manifest = manifest;
    this.tail = new Tail(manifest?.checkpoint ?? NOTHING_INDEXED);
  }

  private readJournal(): void {
    if (!this.manifest) return;
    const path = join(this.path, this.manifest.journal);
    if (this.journal === undefined && !existsSync(path)) return;
    this.journal ??= openSync(path, 'r');
    const { size } = fstatSync(this.journal);
    if (size < this.tail.bytes) this.tail = new Tail(this.manifest.checkpoint); // the next writer cut off an unreadable end
    const bytes = Buffer.allocUnsafe(size - this.tail.bytes);
    if (bytes.length > 0) this.tail.take(bytes.subarray(0, readSync(this.journal, bytes, 0, bytes.length, this.tail.bytes)));
  }
}

/** Files written by others. The first read in each turn of the event loop sees everything written before. */
export class FollowedIndexFiles extends IndexFiles {
  private isFresh = false;

  override reading<Result>(work: () => Result): Result {
    if (!this.isFresh) {
      this.isFresh = true;
      setImmediate(() => {
        this.isFresh = false;
      }).unref();
      this.refresh();
    }
    if (this.obstacle !== undefined) throw new AuditIndexIncomplete('the audit index cannot be read', { cause: this.obstacle });
    return super.reading(work);
  }
}

const filesOf = ({ pieces, journal }: Pick<Manifest, 'pieces' | 'journal'>): readonly string[] => [
  CURRENT,
  journal,
  ...pieces.map(({ file }) => file),
];

/** `undefined` if it is damaged or has another format. */
const parseManifest = (stored: string): Manifest | undefined => {
  const text = checkedText(CURRENT, stored);
  const manifest = text === undefined ? undefined : (JSON.parse(text) as Manifest);
  return manifest?.format === INDEX_FORMAT ? manifest : undefined;
};
