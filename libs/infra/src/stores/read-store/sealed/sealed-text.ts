import type { OpenKeys } from '#infra/stores/secrets/open-keys.js';
import { sealSame, unsealSame } from '#infra/stores/secrets/seal.js';
import { ERASED_VALUE } from '#projections/shared/erased.js';
import type { Sealing } from '#projections/shared/projection.js';
import { memberTexts } from './member-texts.js';

// Text of a sealed document: its own text with a gap in place of each sealed value, followed by the sealed values, one piece per
// subject. JSON contains none of these control characters, whatever clients send: in its strings they are escaped.
/** `<GAP><number of the piece>:<JSON to show once the key is gone><GAP>` */
const GAP = '\x03';
/** `<PIECE><subject><SEALED><base64url>`; nothing after it if the key was already gone. */
const PIECE = '\x02';
const SEALED = '\x1f';
/** Separates the values of one piece. */
const NEXT = '\x1e';

/** First byte of the first piece. A document without it is not sealed. */
const PIECE_BYTE = PIECE.charCodeAt(0);

/** A value to seal. `isErased`: it was erased before, so that only its gap is left. */
type Secret = Readonly<{ start: number; end: number; subject: string; erased: string; isErased: boolean }>;

/** A document and its values to seal. The keys of their subjects are needed. */
export type SealPlan = Readonly<{ text: string; secrets: readonly Secret[] }>;

/** Finds the values of a collection's documents to seal. */
export type SealRule = (key: string, text: string) => readonly Secret[];

/** JSON text of {@link ERASED_VALUE}. */
export const ERASED_HERE = JSON.stringify(ERASED_VALUE);

/** Texts of values that are neither sealed nor marked. */
export const EMPTY: ReadonlySet<string> = new Set(['""', 'null', '[]', '{}']);

export const ruleOf = (members: Sealing): SealRule => {
  const membersIn = memberTexts(members);
  return (key, text) => {
    const found = membersIn(text).filter(({ start, end }) => !EMPTY.has(text.slice(start, end)));
    return found.map(({ start, end, member, document, holder }) => {
      const subject = member.subject({ key, document, holder });
      return { start, end, subject, erased: member.erased ?? '""', isErased: text.slice(start, end) === ERASED_HERE };
    });
  };
};

/** Seals a document. `context` names its place: sealed text cannot be opened in another place. If a key is `null`, its values are lost. */
export const sealText = ({ text, secrets }: SealPlan, keys: OpenKeys, context: string): string => {
  const pieces: (Pick<Secret, 'subject' | 'isErased'> & Readonly<{ values: string[] }>)[] = [];
  let sealed = '';
  let at = 0;
  for (const { start, end, subject, erased, isErased } of secrets) {
    let piece = pieces.findIndex((one) => one.subject === subject && one.isErased === isErased);
    if (piece < 0) piece = pieces.push({ subject, isErased, values: [] }) - 1;
    pieces[piece]?.values.push(text.slice(start, end));
    sealed += `${text.slice(at, start)}${GAP}${piece}:${erased}${GAP}`;
    at = end;
  }
  sealed += text.slice(at);
  for (const { subject, isErased, values } of pieces) {
    const key = isErased ? undefined : keys.get(subject);
    sealed += `${PIECE}${subject}${SEALED}${key ? sealSame(key, values.join(NEXT), pieceContext(context, subject)) : ''}`;
  }
  return sealed;
};

/** Subjects whose keys are needed to read a stored document; empty if it is not sealed. */
export const subjectsIn = (stored: Buffer): readonly string[] => {
  const first = stored.indexOf(PIECE_BYTE);
  if (first < 0) return NONE;
  return piecesOf(stored.toString('utf8', first + 1)).map(({ subject }) => subject);
};

/**
 * Restores the document, except values whose key is gone. `gone`: JSON in place of these; default: as the document says.
 * @throws SealBroken
 */
export const openText = (stored: Buffer, keys: OpenKeys, context: string, gone?: string): Buffer => {
  const first = stored.indexOf(PIECE_BYTE);
  if (first < 0) return stored;
  const values = piecesOf(stored.toString('utf8', first + 1)).map(({ subject, sealed }) => {
    const key = sealed === '' ? null : keys.get(subject);
    if (!key) return undefined;
    return unsealSame(key, sealed, pieceContext(context, subject)).toString('utf8').split(NEXT).values();
  });
  const parts = stored.toString('utf8', 0, first).split(GAP);
  for (let gap = 1; gap < parts.length; gap += 2) {
    const [subject = '', ...erased] = (parts[gap] ?? '').split(':');
    parts[gap] = values[Number(subject)]?.next().value ?? gone ?? erased.join(':');
  }
  return Buffer.from(parts.join(''));
};

const NONE: readonly string[] = [];

const piecesOf = (text: string): readonly Readonly<{ subject: string; sealed: string }>[] =>
  text.split(PIECE).map((piece) => {
    const end = piece.indexOf(SEALED);
    return { subject: piece.slice(0, end), sealed: piece.slice(end + 1) };
  });

const pieceContext = (context: string, subject: string): string => `${context}\n${subject}`;
