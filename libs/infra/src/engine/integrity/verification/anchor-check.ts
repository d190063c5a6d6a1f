import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Anchor } from '#domain/integrity/integrity-events.js';
import type { Hash } from '#domain/integrity/merkle.js';
import type { Problem } from './problem.js';

/** A public key as in a JWK: `x` base64url. */
export type PublicKey = Readonly<{ kid: string; x: string }>;

/** Checks signatures of anchors. Keys that are no Ed25519 keys are none. */
export class AnchorSignatures {
  private readonly keys = new Map<string, KeyObject>();

  constructor(keys: readonly PublicKey[]) {
    for (const { kid, x } of keys) {
      const key = keyOf(x);
      if (key) this.keys.set(kid, key);
    }
  }

  /** What is wrong with the signature of an anchor; `undefined`: nothing is. */
  flawOf({ keyId, text, signature }: Pick<Anchor, 'keyId' | 'text' | 'signature'>): string | undefined {
    const key = this.keys.get(keyId);
    if (!key) return `it is signed with ${printable(keyId)}, which is none of the given keys`;
    const isGood = verify(null, Buffer.from(String(text)), key, Buffer.from(String(signature), 'base64'));
    return isGood ? undefined : 'its signature is not that of its text';
  }
}

const keyOf = (x: string): KeyObject | undefined => {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
};

const printable = (value: unknown): string => JSON.stringify(String(value).slice(0, 100));

/**
 * What is wrong with an anchor of the log. Its members repeat what its text says, and only the text is signed.
 * @param root over the events up to its size; `null`: it is not known
 */
export const anchorProblem = (
  anchor: Anchor,
  root: Hash | null,
  signatures: AnchorSignatures,
): Pick<Problem, 'kind' | 'detail'> | undefined => {
  const of = `the anchor of size ${anchor.size}`;
  const flaw = signatures.flawOf(anchor);
  if (flaw !== undefined) return { kind: 'signature', detail: `${of}: ${flaw}` };
  const [origin, size, signedRoot = '', time, position, rest] = anchor.text.split('\n');
  const signedHex = Buffer.from(signedRoot, 'base64').toString('hex');
  if (size !== String(anchor.size) || signedHex !== anchor.root) {
    return { kind: 'anchor', detail: `${of}: its size or root is not the one that was signed` };
  }
  if (!origin?.startsWith('logbook/') || time !== anchor.time || position !== String(anchor.position) || rest !== '') {
    return { kind: 'signature', detail: `${of}: it says something else than the text that was signed` };
  }
  if (root && root.toString('hex') !== anchor.root) return { kind: 'anchor', detail: `${of}: its root is not that of these events` };
  return undefined;
};
