import { createHmac, hash, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#domain/shared/get-or-insert.js';

/** Prefix of keyed hashes. */
const PREFIX = 'hmac-';
/** A plain SHA-256, as stored by earlier releases; commands with parts have a suffix. */
const PLAIN = /^[0-9a-f]{64}(?=$|\.)/;
/** Returns whether a value begins with the plain SHA-256 of a credential, as stored by releases before the chain. */
export const isPlainHash = (value: unknown): boolean => typeof value === 'string' && PLAIN.test(value);

/** Returns whether a value is the hash of a credential, plain or keyed. */
export const isCredentialHash = (value: unknown): boolean => typeof value === 'string' && /^(hmac-)?[0-9a-f]{64}$/.test(value);

/** Number of cached keyed hashes. For a known caller, a request then costs one hash instead of three. */
const REMEMBERED = 10_000;

/**
 * Hashes of keys and tokens, stored and looked up in their place. They are HMAC-SHA-256 under a key derived from the master key, so that
 * short keys cannot be guessed from a copy of the log; the input is the SHA-256 of the credential, because earlier releases stored that.
 * They are the same on every node. Not for passwords chosen by people: anyone with the master key can try them fast.
 */
export class CredentialHashes {
  private readonly key: Buffer;
  /** By SHA-256, so that credentials themselves are not kept. */
  private readonly known = new LRUCache<string, string>({ max: REMEMBERED });

  /** @param masterKey 32 bytes */
  constructor(masterKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', masterKey, '', 'logbook credential hashes', 32));
  }

  of(secret: string): string {
    const plain = hash('sha256', secret, 'hex');
    return getOrInsert(this.known, plain, () => this.keyed(plain));
  }

  /** Keyed hash for a SHA-256 (hex). Returns other values, including keyed hashes, unchanged. */
  keyed(plain: string): string {
    const [digest] = PLAIN.exec(plain) ?? [];
    if (digest === undefined) return plain;
    return PREFIX + createHmac('sha256', this.key).update(digest).digest('hex') + plain.slice(digest.length);
  }
}
