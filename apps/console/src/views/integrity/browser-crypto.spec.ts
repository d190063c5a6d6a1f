import { describe, expect, it } from '@jest/globals';
import { bytesOfBase64, bytesOfHex } from '#domain/integrity/bytes.js';
import { browserCrypto, pastedKeys } from './browser-crypto.js';

/** Key, its thumbprint and a signature of RFC 8037, appendix A. */
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const SIGNED = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc';
const SIGNATURE = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';

const bytes = (text: string): Uint8Array => bytesOfBase64(text) ?? new Uint8Array();
const base64 = (data: Uint8Array): string => btoa(String.fromCharCode(...data));
const spki = base64(Uint8Array.of(...(bytesOfHex('302a300506032b6570032100') ?? []), ...bytes(X)));

const crypto = browserCrypto();
if (!crypto) throw new Error('Node has WebCrypto');

describe('Keys that somebody pastes', () => {
  it.each([
    ['a JWK set', JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'claimed', x: X }] })],
    ['a JWK', JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: X })],
    ['PEM', `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`],
    ['base64url', ` ${X}\n`],
    ['base64', base64(bytes(X))],
  ])('may be %s', async (_name, text) => expect(await pastedKeys(text, crypto)).toEqual([{ kid: KID, x: X }]));

  it.each(['', '{', '{}', 'AAAA', '{"keys":[{"x":1}]}', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])(
    'are none in %j',
    async (text) => expect(pastedKeys(text, crypto)).rejects.toThrow('The public key is no'),
  );
});

describe('The cryptography of the browser', () => {
  const verifies = (signature: Uint8Array, text: string) => crypto.verifies(bytes(X), signature, new TextEncoder().encode(text));

  it('verifies signatures of Ed25519', async () => {
    expect(await verifies(bytes(SIGNATURE), SIGNED)).toBe(true);
    expect(await verifies(bytes(SIGNATURE), `${SIGNED}x`)).toBe(false);
    expect(await verifies(new Uint8Array(3), SIGNED)).toBe(false);
  });
});
