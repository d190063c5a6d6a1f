import { bytesOfBase64, hexOf } from '#domain/integrity/bytes.js';
import type { ProofCrypto, PublicKey } from '#domain/integrity/proof.js';

/** WebCrypto takes bytes over plain memory only. */
const plain = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

/** SHA-256 and Ed25519 of the browser. Absent where the page came neither by https nor from this computer. */
export const browserCrypto = (): ProofCrypto | undefined => {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return undefined;
  return {
    sha256: async (bytes) => new Uint8Array(await subtle.digest('SHA-256', plain(bytes))),
    verifies: async (key, signature, message) => {
      const imported = await subtle.importKey('raw', plain(key), { name: 'Ed25519' }, false, ['verify']);
      return subtle.verify({ name: 'Ed25519' }, imported, plain(signature), plain(message));
    },
  };
};

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

const ED25519_BYTES = 32;
/** What stands before the key in a `PUBLIC KEY` of PEM (RFC 8410). */
const SPKI_PREFIX = '302a300506032b6570032100';

const xOfPem = (text: string): string | undefined => {
  const [, body = ''] = /-----BEGIN PUBLIC KEY-----([\s\S]*?)-----END PUBLIC KEY-----/.exec(text) ?? [];
  const bytes = bytesOfBase64(body.replace(/\s/g, ''));
  return bytes && hexOf(bytes).startsWith(SPKI_PREFIX) ? base64Url(bytes.slice(SPKI_PREFIX.length / 2)) : undefined;
};

const xsOfJson = (text: string): readonly string[] => {
  const given: unknown = JSON.parse(text);
  const set = typeof given === 'object' && given !== null && 'keys' in given && Array.isArray(given.keys) ? given.keys : [given];
  return set.flatMap((key: unknown) => (typeof key === 'object' && key !== null && 'x' in key && typeof key.x === 'string' ? [key.x] : []));
};

/** RFC 7638: how an anchor names a key. */
const thumbprint = async (x: string, { sha256 }: ProofCrypto): Promise<string> =>
  base64Url(await sha256(new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)));

/**
 * The public keys in a text that somebody pasted: a JWK set or a JWK, PEM, or 32 bytes in base64. Their ids are made from them, so that no text can claim
 * to be another key.
 * @throws Error that says what is wrong
 */
export const pastedKeys = async (text: string, crypto: ProofCrypto): Promise<readonly PublicKey[]> => {
  const given = text.trim();
  let xs: readonly string[];
  try {
    xs = given.startsWith('{') ? xsOfJson(given) : [xOfPem(given) ?? given];
  } catch {
    throw new Error('The public key is no JSON.');
  }
  const keys = xs.flatMap((x) => {
    const bytes = bytesOfBase64(x.replace(/\s/g, ''));
    return bytes?.length === ED25519_BYTES ? [base64Url(bytes)] : [];
  });
  if (keys.length === 0) throw new Error('The public key is no Ed25519 key: give a JWK or a set of them, PEM, or 32 bytes in base64.');
  return Promise.all(keys.map(async (x) => ({ kid: await thumbprint(x, crypto), x })));
};
