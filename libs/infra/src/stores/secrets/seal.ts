import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Length of master and subject keys. */
export const KEY_BYTES = 32;

/**
 * Encrypts with AES-256-GCM under a fresh random IV. The result is base64url of IV, ciphertext and tag. `context` names the place of the
 * text: text sealed for one place cannot be opened in another.
 */
export const seal = (key: Buffer, plain: string | Buffer, context: string): string => sealWith(randomBytes(IV_BYTES), key, plain, context);

/**
 * Seals deterministically: the same text in the same place gives the same result. Used for documents, which are rebuilt from the log and
 * compared. It reveals whether a place still holds the same text. The IV is a MAC of the sealed text, so no two texts share one.
 */
export const sealSame = (key: Buffer, plain: string, context: string): string => {
  const own = derived(key);
  const iv = createHmac('sha256', own.iv).update(`${context.length}\n${context}${plain}`).digest().subarray(0, IV_BYTES);
  return sealWith(iv, own.text, plain, context);
};

/** Opens the result of {@link sealSame}. @throws SealBroken */
export const unsealSame = (key: Buffer, sealed: string, context: string): Buffer => unseal(derived(key).text, sealed, context);

type Derived = Readonly<{ text: Buffer; iv: Buffer }>;

/** Keys stay in memory for some time, so derived keys are computed once. */
const known = new WeakMap<Buffer, Derived>();

/** Each use has its own key, because random and derived IVs must not be used with the same key. */
const derived = (key: Buffer): Derived => {
  let found = known.get(key);
  if (!found) {
    const from = (use: string): Buffer => createHmac('sha256', key).update(use).digest();
    found = { text: from('text of documents'), iv: from('iv of documents') };
    known.set(key, found);
  }
  return found;
};

const sealWith = (iv: Buffer, key: Buffer, plain: string | Buffer, context: string): string => {
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  return Buffer.concat([iv, body, cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

/** @throws SealBroken wrong key, wrong context, or altered text */
export const unseal = (key: Buffer, sealed: string, context: string): Buffer => {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new SealBroken('sealed data cannot be opened: it was altered, moved, or sealed with another key', { cause });
  }
};

/** Sealed data cannot be opened. The message holds neither the data nor the key. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}
