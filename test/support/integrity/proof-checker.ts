import { createHash, createPublicKey, verify } from 'node:crypto';

/*
 * Checks proofs of the audit routes as an auditor would who has nothing but the contract (operations 3): it shares no code with the product.
 */

export type CheckedAnchor = Readonly<{
  size: number;
  root: string;
  time: string;
  position: string;
  keyId: string;
  text: string;
  signature: string;
}>;
export type Jwks = Readonly<{
  keys: readonly Readonly<{ kty: string; crv: string; x: string; kid: string; since: string; until: string | null }>[];
}>;
export type Proof = Readonly<{
  event: Readonly<Record<string, unknown>>;
  index: number;
  size: number;
  path: readonly string[];
  anchor: CheckedAnchor;
}>;

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** RFC 8785, as Python's `json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)` with ECMAScript's numbers. */
const canonical = (value: unknown): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one)).join(',')}]`;
  const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, member]) => [JSON.stringify(name), canonical(member)].join(':')).join(',')}}`;
};

export const leafOf = ({ index: _index, position: _position, hash: _hash, ...stored }: Readonly<Record<string, unknown>>): Buffer =>
  sha256(new Uint8Array([0]), canonical(stored));

const node = (left: Uint8Array, right: Uint8Array): Buffer => sha256(new Uint8Array([1]), left, right);

const half = (size: number): number => {
  let k = 1;
  while (2 * k < size) k = 2 * k;
  return k;
};

/** The root that a path leads to: the definition of RFC 9162 2.1.3.1 read backwards. */
const rootBy = (leaf: Buffer, index: number, size: number, path: readonly string[]): Buffer => {
  if (size === 1) {
    if (path.length > 0) throw new Error('the path is too long');
    return leaf;
  }
  const last = path.at(-1);
  if (last === undefined) throw new Error('the path is too short');
  const [k, sibling] = [half(size), Buffer.from(last, 'hex')];
  return index < k
    ? node(rootBy(leaf, index, k, path.slice(0, -1)), sibling)
    : node(sibling, rootBy(leaf, index - k, size - k, path.slice(0, -1)));
};

/** The roots of both trees by RFC 9162 2.1.4.1, read backwards. `from`: the root of the smaller tree as the auditor kept it. */
const rootsBy = (m: number, n: number, path: readonly string[], from: Buffer, whole: boolean): readonly [Buffer, Buffer] => {
  if (m === n) {
    if (path.length !== (whole ? 0 : 1)) throw new Error('the path has the wrong length');
    const hash = whole ? from : Buffer.from(path[0] ?? '', 'hex');
    return [hash, hash];
  }
  const last = path.at(-1);
  if (last === undefined) throw new Error('the path is too short');
  const [k, sibling, rest] = [half(n), Buffer.from(last, 'hex'), path.slice(0, -1)];
  if (m <= k) {
    const [older, newer] = rootsBy(m, k, rest, from, whole);
    return [older, node(newer, sibling)];
  }
  const [older, newer] = rootsBy(m - k, n - k, rest, from, false);
  return [node(sibling, older), node(sibling, newer)];
};

/** @throws unless the anchor is signed by one of the keys and says in `text` what its members say */
export const checkAnchor = (anchor: CheckedAnchor, { keys }: Jwks, installation?: string): void => {
  const jwk = keys.find(({ kid }) => kid === anchor.keyId);
  if (!jwk) throw new Error('unknown key');
  const thumbprint = sha256(`{"crv":"${jwk.crv}","kty":"${jwk.kty}","x":"${jwk.x}"}`).toString('base64url');
  if (thumbprint !== jwk.kid) throw new Error('wrong thumbprint');
  const publicKey = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' });
  if (!verify(null, Buffer.from(anchor.text), publicKey, Buffer.from(anchor.signature, 'base64'))) throw new Error('wrong signature');
  const root = Buffer.from(anchor.root, 'hex').toString('base64');
  const origin = installation === undefined ? anchor.text.split('\n')[0] : `logbook/${installation}`;
  const text = [origin, anchor.size, root, anchor.time, anchor.position, ''].join('\n');
  if (text !== anchor.text) throw new Error('the text says something else');
};

/** @throws unless the event is in the chain that the anchor signs */
export const checkProof = ({ event, index, size, path, anchor }: Proof, keys: Jwks): void => {
  checkAnchor(anchor, keys);
  if (size !== anchor.size || event.index !== index) throw new Error('the proof is of something else');
  const leaf = 'stream' in event ? leafOf(event) : Buffer.from(String(event.hash), 'hex');
  if (leaf.toString('hex') !== event.hash) throw new Error('the event has another hash');
  if (rootBy(leaf, index, size, path).toString('hex') !== anchor.root) throw new Error('the path leads elsewhere');
};

/** @throws unless the chain of the newer anchor begins with that of the older one */
export const checkConsistency = (from: CheckedAnchor, to: CheckedAnchor, path: readonly string[]): void => {
  const [older, newer] = rootsBy(from.size, to.size, path, Buffer.from(from.root, 'hex'), true);
  if (older.toString('hex') !== from.root || newer.toString('hex') !== to.root) throw new Error('the chains are not one');
};

/** Reads a signed note (C2SP signed-note) as verifiers do. @throws unless the key has signed it */
export const checkNote = (note: string, { x }: Readonly<{ x: string }>): void => {
  const at = note.lastIndexOf('\n\n');
  const [text, signatures] = [note.slice(0, at + 1), note.slice(at + 2)];
  const [, name = '', encoded = ''] = /^— (\S+) (\S+)\n$/.exec(signatures) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const key = Buffer.from(x, 'base64url');
  const id = sha256(name, '\n', new Uint8Array([1]), key).subarray(0, 4);
  if (!bytes.subarray(0, 4).equals(id)) throw new Error('signed by another key');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  if (!verify(null, Buffer.from(text), publicKey, bytes.subarray(4))) throw new Error('wrong signature');
};
