import { hash } from 'node:crypto';
import { ID_BYTES } from './databases.js';

/** What events are found by. The first five have names with ids; the others are known by the first bytes of a hash. */
export const TERM_KINDS = {
  stream: 1,
  category: 2,
  type: 3,
  actor: 4,
  service: 5,
  /** Events whose request id is the text and whose correlation id is another one; the reverse; those where it is both. */
  requestOnly: 6,
  correlationOnly: 7,
  requestAndCorrelation: 8,
  resource: 9,
} as const;

export type TermKind = keyof typeof TERM_KINDS;

/** Kind and id as one number, below 2^53. */
export type Term = number;

const ID_RANGE = 2 ** (8 * ID_BYTES);

export const termOf = (kind: TermKind, id: number): Term => TERM_KINDS[kind] * ID_RANGE + id;

/** Key of the piece of a term's list that begins with an index. */
export const postingKey = (term: Term, first: number): Buffer => {
  const key = Buffer.allocUnsafe(1 + 2 * ID_BYTES);
  key.writeUInt8(Math.floor(term / ID_RANGE), 0);
  key.writeUIntBE(term % ID_RANGE, 1, ID_BYTES);
  key.writeUIntBE(first, 1 + ID_BYTES, ID_BYTES);
  return key;
};

/** The first index of the piece with this key. */
export const firstOfKey = (key: Uint8Array): number => Buffer.from(key).readUIntBE(1 + ID_BYTES, ID_BYTES);

/** Callers choose these texts and their length. 48 bits of a hash: what two texts have in common by chance is told apart by the events. */
export const idOfText = (text: string): number => hash('sha256', text, 'buffer').readUIntBE(0, ID_BYTES);
