import { createPublicKey, hash, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signedAnchor, signingKey } from '#test/support/integrity/chained-log.js';
import { leafHash } from './leaf.js';
import { nodeHash } from './merkle.js';
import { checkProof, type InclusionProof, isProof, type ProofCrypto } from './proof.js';

const crypto: ProofCrypto = {
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  verifies: (key, signature, message) => {
    const x = Buffer.from(key).toString('base64url');
    return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
  },
};

const formOf = (number: number) => ({
  data: { number, text: 'ä€😀\ud800' },
  id: `00000000-0000-4000-8000-00000000000${number}`,
  metadata: { time: '2024-01-01T00:00:00.000Z' },
  revision: number,
  stream: 'status.tenants-global',
  type: 'Happened',
});

const [first, second, third] = [0, 1, 2].map((number) => leafHash(formOf(number))) as [Buffer, Buffer, Buffer];
const root = nodeHash(nodeHash(first, second), third).toString('hex');
const anchor = signedAnchor(3, root, '2024-01-01T00:00:00.000Z', '3');
const event = { index: 1, position: '2', ...formOf(1), hash: second.toString('hex') };
const proof: InclusionProof = { event, index: 1, size: 3, path: [first.toString('hex'), third.toString('hex')], anchor };

const flawOf = async (changed: object, keys = [signingKey]): Promise<string | undefined> =>
  (await checkProof({ ...proof, ...changed } as InclusionProof, keys, crypto)).at(-1)?.flaw;

describe('The check of a proof', () => {
  it('goes through the event, its path, the signature and what is signed', async () => {
    expect(await checkProof(proof, [signingKey], crypto)).toEqual([
      { step: 'event' },
      { step: 'path' },
      { step: 'signature' },
      { step: 'statement' },
    ]);
  });

  it.each([
    ['the event does not match its hash', { event: { ...event, type: 'Other' } }],
    ['the event has members that its hash does not cover', { event: { ...event, data: { number: 2 }, expired: true } }],
    ['the event does not match its hash', { event: { ...event, metadata: null } }],
    ['the event does not match its hash', { event: { ...event, metadata: 'x' } }],
    ['the event has members that its hash does not cover', { event: { ...event, note: 'x' } }],
    ['the event is not the one at this index', { event: { ...event, index: 2 } }],
    ['the event has no hash', { event: { ...event, hash: 'x' } }],
    ['the anchor is of another size', { size: 4 }],
    ['the path does not lead from the event to the root of the anchor', { path: [proof.path[0]] }],
    ['the path does not lead from the event to the root of the anchor', { path: [...proof.path, root] }],
    ['the path does not lead from the event to the root of the anchor', { path: ['zz', proof.path[1]] }],
    ['the path does not lead from the event to the root of the anchor', { index: 0.5, event: { ...event, index: 0.5 } }],
    ['the anchor of size 3: its signature is not that of its text', { anchor: { ...anchor, signature: btoa('x'.repeat(64)) } }],
    ['the anchor of size 3: its signature is not that of its text', { anchor: { ...anchor, signature: '§' } }],
    ['the anchor of size 3: it says something else than the text that was signed', { anchor: { ...anchor, time: '2025' } }],
  ])('says %j', async (flaw, changed) => expect(await flawOf(changed)).toBe(flaw));

  it('takes only the keys it is given', async () => {
    expect(await flawOf({}, [])).toContain('which is none of the given keys');
    expect(await flawOf({}, [{ ...signingKey, x: 'AAAA' }])).toContain('which is none of the given keys');
  });

  it('proves the hash of an event that has left the log', async () => {
    expect(await flawOf({ event: { index: 1, hash: event.hash, expired: true } })).toBeUndefined();
    expect(await flawOf({ event: { index: 1, hash: root, expired: true } })).toContain('the path does not lead');
  });

  it('knows a proof by its shape', () => {
    expect(isProof(proof)).toBe(true);
    for (const other of [null, 1, {}, { ...proof, path: [1] }, { ...proof, anchor: {} }]) expect(isProof(other)).toBe(false);
  });
});
