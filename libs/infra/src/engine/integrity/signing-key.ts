import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { chmod, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { thumbprint } from '#domain/integrity/checkpoint.js';
import { makeDirectoryDurably, writeFileDurably } from '#infra/platform/lmdb/write-file-durably.js';

const SEED_BYTES = 32;
/** Prefix of the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The signing key is not 32 bytes in base64. */
class InvalidSigningKey extends Error {
  override readonly name = 'InvalidSigningKey';
}

/** An Ed25519 key that signs anchors. */
export class SigningKey {
  private constructor(
    private readonly key: KeyObject,
    private readonly seed: string,
    /** The public key as in a JWK (base64url). */
    readonly x: string,
    readonly keyId: string,
  ) {}

  /** @param text 32 bytes in base64 @throws InvalidSigningKey that names `source`, never the text */
  static parse(text: string, source: string): SigningKey {
    const seed = Buffer.from(text.trim(), 'base64');
    if (seed.length !== SEED_BYTES) throw new InvalidSigningKey(`the signing key from ${source} is not ${SEED_BYTES} bytes in base64`);
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
    const { x } = createPublicKey(key).export({ format: 'jwk' });
    if (x === undefined) throw new InvalidSigningKey(`the signing key from ${source} has no public key`);
    return new SigningKey(key, seed.toString('base64'), x, thumbprint(x));
  }

  static generate(): SigningKey {
    return SigningKey.parse(randomBytes(SEED_BYTES).toString('base64'), 'this process');
  }

  /** Signs the UTF-8 of a text with Ed25519. Returns base64. */
  sign(text: string): string {
    return sign(null, Buffer.from(text, 'utf8'), this.key).toString('base64');
  }

  /** The secret key, for its file. */
  get secret(): string {
    return this.seed;
  }
}

/**
 * The signing key of a node, from the environment or the file `signing.key` (mode 0600) in its directory. A new key is stored beside it as
 * `signing.key.next` until the log shows its use: a process that ends in between neither loses it nor continues with the old one.
 */
export class SigningKeyFile {
  private readonly file: string;
  private readonly next: string;

  constructor(
    private readonly directory: string,
    /** 32 bytes in base64; if missing or empty, the file is used. */
    private readonly fromEnvironment?: string,
  ) {
    this.file = join(directory, 'signing.key');
    this.next = `${this.file}.next`;
  }

  /** True if the key cannot be replaced here. */
  get isGiven(): boolean {
    return Boolean(this.fromEnvironment);
  }

  /** The current key, and the one that was about to replace it. @throws InvalidSigningKey */
  async load(): Promise<Readonly<{ key: SigningKey | null; next: SigningKey | null }>> {
    if (this.fromEnvironment) return { key: SigningKey.parse(this.fromEnvironment, 'the environment'), next: null };
    return { key: await read(this.file), next: await read(this.next) };
  }

  async putNext(key: SigningKey): Promise<void> {
    makeDirectoryDurably(this.directory);
    writeFileDurably(this.next, `${key.secret}\n`);
    await chmod(this.next, 0o600);
  }

  /** Replaces the current key with the new one. */
  async adoptNext(): Promise<void> {
    await rename(this.next, this.file);
  }

  async dropNext(): Promise<void> {
    await rm(this.next, { force: true });
  }
}

const read = async (file: string): Promise<SigningKey | null> => {
  try {
    return SigningKey.parse(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};
