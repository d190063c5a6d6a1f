import { bytesOfBase64, bytesOfHex, hexOf } from './bytes.js';
import { siblingsOnTheLeft } from './climb.js';
import { leafText, type StoredForm } from './leaf-text.js';
import { type Anchor, statementFlaw, unknownKey, WRONG_SIGNATURE } from './statement.js';

/** Remainder of an event that is no longer in the log. */
type LeftOver = Readonly<{ index: number; hash: string; expired?: true; missing?: true }>;

/** Proof of an event as returned by `GET /audit/events/{index}/proof`. Hashes: lower-case hex. */
export type InclusionProof = Readonly<{
  event: (StoredForm & Readonly<{ index: number; hash: string }>) | LeftOver;
  index: number;
  size: number;
  path: readonly string[];
  anchor: Anchor;
}>;

/** A public key of an installation, as in a JWK set. `x`: base64url. */
export type PublicKey = Readonly<{ kid: string; x: string }>;

/** Cryptography of the platform: Node or a browser. */
export type ProofCrypto = Readonly<{
  sha256(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Verifies an Ed25519 signature with a public key of 32 bytes. `false` for an invalid key. */
  verifies(key: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean | Promise<boolean>;
}>;

/** One step of checking a proof. `flaw`: reason of the failure; absent if the step succeeded. */
export type CheckedStep = Readonly<{ step: 'event' | 'path' | 'signature' | 'statement'; flaw?: string }>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** Whether an external value has the shape of a proof. Its content is not checked. */
export const isProof = (value: unknown): value is InclusionProof =>
  isObject(value) &&
  isObject(value.event) &&
  isObject(value.anchor) &&
  Array.isArray(value.path) &&
  value.path.every((hash) => typeof hash === 'string') &&
  typeof value.anchor.text === 'string' &&
  typeof value.anchor.root === 'string';

const UTF8 = new TextEncoder();

const LEFT_OVER = ['index', 'hash', 'expired', 'missing'];
/** Members of an event: its stored form, and its places in one log. */
const WHOLE = ['data', 'hash', 'id', 'index', 'metadata', 'position', 'revision', 'stream', 'type'];

const hasOnly = (names: readonly string[], event: object): boolean => Object.keys(event).every((name) => names.includes(name));

/** Whether the proof covers only the hash of an event that has left the log. */
const isLeftOver = (event: InclusionProof['event']): event is LeftOver =>
  ('expired' in event || 'missing' in event) && hasOnly(LEFT_OVER, event);

/** The leaf, or a description of the flaw. @throws RangeError if the JSON is nested too deeply to be written */
const leafOf = async ({ event, index }: InclusionProof, { sha256 }: ProofCrypto): Promise<Uint8Array | string> => {
  const given = bytesOfHex(String(event.hash));
  if (given?.length !== 32) return 'the event has no hash';
  if (event.index !== index) return 'the event is not the one at this index';
  if (isLeftOver(event)) return given;
  if (!hasOnly(WHOLE, event)) return 'the event has members that its hash does not cover';
  const leaf = await sha256(UTF8.encode(leafText(event)));
  return hexOf(leaf) === event.hash ? leaf : 'the event does not match its hash';
};

const NODE_PREFIX = 1;

/** Whether a path of hashes (hex) leads from the leaf at `index` to the root (hex) of the tree of this size: RFC 9162 2.1.3.2. */
export const provesInclusion = async (
  { leaf, index, size, root }: Readonly<{ leaf: Uint8Array; index: number; size: number; root: string }>,
  path: readonly string[],
  { sha256 }: Pick<ProofCrypto, 'sha256'>,
): Promise<boolean> => {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false;
  const sides = siblingsOnTheLeft(index, size - 1);
  if (sides.length !== path.length) return false;
  let hash = leaf;
  for (const [at, isLeft] of sides.entries()) {
    const sibling = bytesOfHex(path[at] ?? '');
    if (sibling?.length !== 32) return false;
    const [left, right] = isLeft ? [sibling, hash] : [hash, sibling];
    hash = await sha256(Uint8Array.of(NODE_PREFIX, ...left, ...right));
  }
  return hexOf(hash) === root;
};

const pathFlaw = async (proof: InclusionProof, leaf: Uint8Array, crypto: ProofCrypto): Promise<string | undefined> => {
  const { index, size, path, anchor } = proof;
  if (size !== anchor.size) return 'the anchor is of another size';
  if (await provesInclusion({ leaf, index, size, root: anchor.root }, path, crypto)) return undefined;
  return 'the path does not lead from the event to the root of the anchor';
};

const signatureFlaw = async (anchor: Anchor, keys: readonly PublicKey[], { verifies }: ProofCrypto): Promise<string | undefined> => {
  const of = `the anchor of size ${anchor.size}`;
  const key = bytesOfBase64(keys.find(({ kid }) => kid === anchor.keyId)?.x ?? '');
  if (key?.length !== 32) return `${of}: ${unknownKey(anchor.keyId)}`;
  const signature = bytesOfBase64(String(anchor.signature));
  const isGood = signature !== undefined && (await verifies(key, signature, UTF8.encode(anchor.text)));
  return isGood ? undefined : `${of}: ${WRONG_SIGNATURE}`;
};

/**
 * Checks the proof of one event step by step and stops at the first failure. A proof is valid if all four steps are present without a flaw. It then shows
 * that the event (data, id, metadata, revision, stream and type) is at `index` of the log whose state the anchor attests.
 */
export const checkProof = async (
  proof: InclusionProof,
  keys: readonly PublicKey[],
  crypto: ProofCrypto,
): Promise<readonly CheckedStep[]> => {
  const leaf = await leafOf(proof, crypto);
  if (typeof leaf === 'string') return [{ step: 'event', flaw: leaf }];
  const steps: readonly (readonly [CheckedStep['step'], () => Promise<string | undefined> | string | undefined])[] = [
    ['path', () => pathFlaw(proof, leaf, crypto)],
    ['signature', () => signatureFlaw(proof.anchor, keys, crypto)],
    ['statement', () => statementFlaw(proof.anchor)?.detail],
  ];
  const checked: CheckedStep[] = [{ step: 'event' }];
  for (const [step, flawOf] of steps) {
    const flaw = await flawOf();
    checked.push(flaw === undefined ? { step } : { step, flaw });
    if (flaw !== undefined) break;
  }
  return checked;
};
