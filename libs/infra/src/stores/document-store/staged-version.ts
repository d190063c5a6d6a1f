import { bufferOf } from './build.js';
import { wellFormed } from './layer.js';
import { deltaOf } from './texts/delta.js';
import { type DocumentVersion, encodePiece, lengthOf } from './texts/record.js';
import type { CachedText } from './texts/text-cache.js';

/** Shorter texts are stored whole. */
export const SHORTEST = 256;
/** Maximum length of a delta, relative to its text. */
const DELTA_PART = 1 / 4;
/** Consecutive deltas that may follow a whole text of any length, and at most. Together they may not be longer than the text. */
const [FEW_DELTAS, MOST_DELTAS] = [8, 255];
/** A longer text may have one delta for each of so many characters: reading a delta costs about as much as reading these. */
const DELTA_STRIDE = 256;
/** Consecutive pieces that may follow a text, and their bytes: so many times the whole text, or so many without one. */
const [MOST_PIECES, PIECES_TIMES, PIECES_BYTES] = [250, 8, 2 ** 16];

/** Content of a document after a commit, at a position; null: the document is removed. `isPiece`: what is added to the text before. */
export type Outcome = { readonly position: number; text: string | Buffer | null; isPiece: boolean };

/** A version before a change. A text to which pieces were added is read only if it is needed. */
export type Known = Pick<CachedText, 'deltas' | 'deltaBytes'> &
  (Pick<CachedText, 'text'> | Readonly<{ length: number; read: () => Buffer }>);

const bytesOf = (known: Known): Buffer => ('text' in known ? bufferOf(known.text) : known.read());

/** Length of its text, in bytes. */
export const lengthIn = (known: Known): number => ('text' in known ? lengthOf(known.text) : known.length);

/** A version to be stored. */
export type Staged = DocumentVersion<Buffer | string> & Known;

/**
 * The version of an outcome at a position. Only a build that keeps its past has deltas.
 * @param before the version to which it adds, or against which it may be a delta
 */
export const stagedVersion = (position: number, { text, isPiece }: Outcome, before: Known | undefined, keepsPast: boolean): Staged => {
  if (text === null) return { position, kind: 'gone', body: '', text: '', deltas: 0, deltaBytes: 0 };
  if (isPiece) return pieceAfter(position, text, before);
  const whole: Staged = { position, kind: 'whole', body: text, text, deltas: 0, deltaBytes: 0 };
  if (!keepsPast || !before || text.length < SHORTEST || before.deltas >= mostDeltas(text)) return whole;
  const bytes = bufferOf(text);
  const body = deltaOf(bytesOf(before), bytes);
  const deltaBytes = before.deltaBytes + body.length;
  if (body.length > bytes.length * DELTA_PART || deltaBytes > bytes.length) return { ...whole, body: bytes, text: bytes };
  return { position, kind: 'delta', body, text: bytes, deltas: before.deltas + 1, deltaBytes };
};

const NOTHING: Known = { text: '', deltas: 0, deltaBytes: 0 };

/** A text is written whole again if its pieces are many, or much longer than the whole text before them. */
const pieceAfter = (position: number, piece: string | Buffer, before: Known = NOTHING): Staged => {
  const added = bufferOf(piece);
  const length = lengthIn(before) + added.length;
  const [deltas, deltaBytes] = [before.deltas + 1, before.deltaBytes + added.length];
  const whole = length - deltaBytes;
  const read = (): Buffer => Buffer.concat([bytesOf(before), added]);
  if (deltas > MOST_PIECES || (before !== NOTHING && deltaBytes > (whole > 0 ? whole * PIECES_TIMES : PIECES_BYTES))) {
    const text = read();
    return { position, kind: 'whole', body: text, text, deltas: 0, deltaBytes: 0 };
  }
  return { position, kind: 'piece', body: encodePiece(length, added), deltas, deltaBytes, length, read };
};

const mostDeltas = ({ length }: string | Buffer): number => Math.min(MOST_DELTAS, Math.max(FEW_DELTAS, Math.floor(length / DELTA_STRIDE)));

/** A text with a piece behind it. */
export const joined = (text: string | Buffer, piece: string): string | Buffer =>
  typeof text === 'string' ? wellFormed(text) + piece : Buffer.concat([text, Buffer.from(piece)]);

/** The text to cache; for a whole text, its bytes at the end of the record. */
export const keptText = ({ kind, text }: Extract<Staged, { text: unknown }>, record: Buffer): Buffer | string =>
  kind === 'whole' && (typeof text !== 'string' || text.length >= SHORTEST) ? record.subarray(record.length - lengthOf(text)) : text;
