import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Anchor } from '#domain/integrity/integrity-events.js';
import type { Hash } from '#domain/integrity/merkle.js';
import type { PublicKey } from '#domain/integrity/proof.js';
import { statementFlaw, unknownKey, WRONG_SIGNATURE } from '#domain/integrity/statement.js';
import type { DueAnchor } from './anchor-feed.js';
import type { ChainProblem } from './problem.js';

type AnchorProblem = Pick<ChainProblem, 'kind' | 'detail'>;

/** Checks signatures of anchors. Only Ed25519 keys count. */
export class AnchorSignatures {
  private readonly keys = new Map<string, KeyObject>();

  constructor(keys: readonly PublicKey[]) {
    for (const { kid, x } of keys) {
      const key = keyOf(x);
      if (key) this.keys.set(kid, key);
    }
  }

  /** Flaw in the signature of an anchor; `undefined` if there is none. */
  flawOf({ keyId, text, signature }: Pick<Anchor, 'keyId' | 'text' | 'signature'>): string | undefined {
    const key = this.keys.get(keyId);
    if (!key) return unknownKey(keyId);
    const isGood = verify(null, Buffer.from(String(text)), key, Buffer.from(String(signature), 'base64'));
    return isGood ? undefined : WRONG_SIGNATURE;
  }
}

const keyOf = (x: string): KeyObject | undefined => {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
};

/**
 * Flaw of an anchor of the log.
 * @param root over the events up to its size; `null` if it is unknown
 */
export const anchorProblem = (anchor: Anchor, root: Hash | null, signatures: AnchorSignatures): AnchorProblem | undefined => {
  const of = `the anchor of size ${anchor.size}`;
  const flaw = signatures.flawOf(anchor);
  if (flaw !== undefined) return { kind: 'signature', detail: `${of}: ${flaw}` };
  const said = statementFlaw(anchor);
  if (said) return said;
  if (root && root.toString('hex') !== anchor.root) return { kind: 'anchor', detail: `${of}: its root is not that of these events` };
  return undefined;
};

/**
 * Problem of an anchor that is due, of whatever origin; `undefined` if there is none.
 * @param root over the events up to its size; `null` if it is unknown
 */
export const dueAnchorProblem = (due: DueAnchor, root: Hash | null, signatures: AnchorSignatures): AnchorProblem | undefined => {
  if ('unreadable' in due) return { kind: 'unreadable', detail: `the record of an anchor (revision ${due.unreadable}) cannot be read` };
  if ('ours' in due) return anchorProblem(due.ours, root, signatures);
  if (root && root.toString('hex') !== due.root)
    return { kind: 'anchor', detail: `the given root of size ${due.size} is not that of these events` };
  return undefined;
};
