import { bytesOfBase64, hexOf } from './bytes.js';

/** A signed statement of the size and root of the chain. */
export type Anchor = Readonly<{
  size: number;
  /** Lower-case hex. */
  root: string;
  /** Log time of the last leaf. */
  time: string;
  /** Position of the last leaf's event in the log that signed it. */
  position: string;
  keyId: string;
  /** Signed text: the body of a checkpoint (C2SP tlog-checkpoint), five lines that each end with a line feed. */
  text: string;
  /** Base64 of the Ed25519 signature of the UTF-8 of `text`. */
  signature: string;
}>;

/** Flaw of an anchor that can be found without the chain. */
type AnchorFlaw = Readonly<{ kind: 'anchor' | 'signature'; detail: string }>;

/** Only the text of an anchor is signed, so its other members must repeat the text. `undefined` if they do. */
export const statementFlaw = (anchor: Anchor): AnchorFlaw | undefined => {
  const of = `the anchor of size ${anchor.size}`;
  const [origin, size, signedRoot = '', time, position, rest] = anchor.text.split('\n');
  const root = bytesOfBase64(signedRoot);
  if (size !== String(anchor.size) || !root || hexOf(root) !== anchor.root) {
    return { kind: 'anchor', detail: `${of}: its size or root is not the one that was signed` };
  }
  if (!origin?.startsWith('logbook/') || time !== anchor.time || position !== String(anchor.position) || rest !== '') {
    return { kind: 'signature', detail: `${of}: it says something else than the text that was signed` };
  }
  return undefined;
};

/** @param keyId of an untrusted anchor */
export const unknownKey = (keyId: unknown): string =>
  `it is signed with ${JSON.stringify(String(keyId).slice(0, 100))}, which is none of the given keys`;

export const WRONG_SIGNATURE = 'its signature is not that of its text';
