import { LRUCache } from 'lru-cache';
import { firstIndex } from '#domain/shared/first-index.js';
import type { IndexDatabases } from './databases.js';
import { firstOfKey, postingKey, type Term } from './terms.js';

/**
 * The events of each term are a list of indexes, kept in pieces: the key has the first index, the value the distances between the others. A piece
 * that is not full is written again with each commit that adds to it; which ones are not full is known in memory only, so that nothing is read
 * while the index is written. A term that was forgotten begins a new piece.
 */
type Piece = { readonly first: number; last: number; count: number; bytes: Buffer; length: number };

const PIECE_EVENTS = 256;
const REMEMBERED_PIECES = 4_096;
const FIRST_BYTES = 16;

const addDistance = (piece: Piece, index: number): void => {
  if (piece.length + 7 > piece.bytes.length) piece.bytes = Buffer.concat([piece.bytes], piece.bytes.length * 2);
  let distance = index - piece.last;
  while (distance >= 0x80) {
    piece.bytes[piece.length++] = (distance % 0x80) | 0x80;
    distance = Math.floor(distance / 0x80);
  }
  piece.bytes[piece.length++] = distance;
  piece.last = index;
  piece.count += 1;
};

const indexesOf = (first: number, bytes: Uint8Array): readonly number[] => {
  const indexes = [first];
  let last = first;
  let distance = 0;
  let scale = 1;
  for (const byte of bytes) {
    distance += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte & 0x80) continue;
    last += distance;
    if (distance > 0) indexes.push(last);
    distance = 0;
    scale = 1;
  }
  return indexes;
};

/** Adds to the lists. What was added since the last `flush` is lost with the process. */
export class PostingWriter {
  private readonly open = new LRUCache<Term, Piece>({ max: REMEMBERED_PIECES });
  private readonly changed = new Map<Term, Piece[]>();

  /** @param index greater than all before. */
  add(term: Term, index: number): void {
    const known = this.open.get(term);
    const piece = known && known.count < PIECE_EVENTS ? known : this.begin(term, index);
    if (piece.last < index) addDistance(piece, index);
    const changed = this.changed.get(term);
    if (!changed) this.changed.set(term, [piece]);
    else if (changed.at(-1) !== piece) changed.push(piece);
  }

  /** For terms that seldom come back, such as request ids: their pieces are not remembered over commits. */
  addOnce(term: Term, index: number): void {
    const piece = this.changed.get(term)?.at(-1);
    if (piece?.last === index) return;
    if (piece && piece.count < PIECE_EVENTS) addDistance(piece, index);
    else this.changed.set(term, [...(this.changed.get(term) ?? []), newPiece(index)]);
  }

  /** Only inside a transaction. */
  flush({ postings }: IndexDatabases): void {
    for (const [term, pieces] of this.changed)
      for (const { first, bytes, length } of pieces)
        postings.putSync(postingKey(term, first), length === 0 ? NO_MORE : bytes.subarray(0, length));
    this.changed.clear();
  }

  private begin(term: Term, index: number): Piece {
    const piece = newPiece(index);
    this.open.set(term, piece);
    return piece;
  }
}

const newPiece = (first: number): Piece => ({ first, last: first, count: 1, bytes: Buffer.allocUnsafe(FIRST_BYTES), length: 0 });

/** Of a piece with one event: a distance of nothing. */
const NO_MORE = Buffer.from([0]);

/** A sorted list of indexes. Both return `undefined` if there is none. */
export interface IndexList {
  /** The first index that is not before `index`. */
  from(index: number): number | undefined;
  /** The last index that is not behind `index`. */
  upTo(index: number): number | undefined;
}

/** The list of one term. */
export class TermList implements IndexList {
  private piece: readonly number[] = [];

  constructor(
    private readonly databases: Pick<IndexDatabases, 'postings'>,
    private readonly term: Term,
  ) {}

  from(index: number): number | undefined {
    const found = this.holds(index) || this.load(index, true);
    const within = found ? this.piece[firstNotBefore(this.piece, index)] : undefined;
    if (within !== undefined) return within;
    return this.load(index, false) ? this.piece[0] : undefined;
  }

  upTo(index: number): number | undefined {
    if (!this.holds(index) && !this.load(index, true)) return undefined;
    const place = firstNotBefore(this.piece, index);
    return this.piece[place] === index ? index : this.piece[place - 1];
  }

  private holds(index: number): boolean {
    const last = this.piece.at(-1);
    return last !== undefined && (this.piece[0] ?? 0) <= index && index <= last;
  }

  /** The piece that begins at or before `index`, or the first one behind it. */
  private load(index: number, before: boolean): boolean {
    const range = before
      ? { start: postingKey(this.term, index), end: postingKey(this.term, 0), reverse: true }
      : { start: postingKey(this.term, index + 1), end: postingKey(this.term + 1, 0) };
    for (const { key, value } of this.databases.postings.getRange({ ...range, limit: 1 })) {
      this.piece = indexesOf(firstOfKey(key), value);
      return true;
    }
    // A reverse range leaves its end out: the piece that begins with the very first event.
    const first = before && this.databases.postings.get(postingKey(this.term, 0));
    if (!first) return false;
    this.piece = indexesOf(0, first);
    return true;
  }
}

/** The place of the first item that is not before `index`; the length if there is none. */
const firstNotBefore = (sorted: readonly number[], index: number): number =>
  firstIndex(0, sorted.length, (place) => (sorted[place] ?? 0) >= index);

/** What is in any of the lists. */
export class AnyOf implements IndexList {
  constructor(private readonly lists: readonly IndexList[]) {}

  from(index: number): number | undefined {
    return best(this.lists, (list) => list.from(index), Math.min);
  }

  upTo(index: number): number | undefined {
    return best(this.lists, (list) => list.upTo(index), Math.max);
  }
}

const best = (lists: readonly IndexList[], look: (list: IndexList) => number | undefined, of: (one: number, other: number) => number) => {
  let found: number | undefined;
  for (const list of lists) {
    const next = look(list);
    if (next !== undefined) found = found === undefined ? next : of(found, next);
  }
  return found;
};

/** Every index. */
export const ALL: IndexList = { from: (index) => index, upTo: (index) => index };
