import { createHmac, hash, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#domain/shared/get-or-insert.js';

/** Begins every keyed hash. */
const PREFIX = 'hmac-';
/** A plain SHA-256, as earlier releases stored it; commands with parts have a suffix. */
const PLAIN = /^[0-9a-f]{64}(?=$|\.)/;
/** Whether a value begins with the plain SHA-256 of a credential, as releases before the chain stored it. */
export const isPlainHash = (value: unknown): boolean => typeof value === 'string' && PLAIN.test(value);

/** Whether a value is the hash of a credential, plain or keyed. */
export const isCredentialHash = (value: unknown): boolean => typeof value === 'string' && /^(hmac-)?[0-9a-f]{64}$/.test(value);

/** How many keyed hashes are kept, so that callers who come again cost one hash a request instead of three. */
const REMEMBERED = 10_000;

/**
 * Hashes of keys and tokens: what is stored and looked up in their place. HMAC-SHA-256 under a key derived from the master key, so that a copy of the
 * log cannot be tried against short keys; over the SHA-256 of the credential, because that is what earlier releases stored. The same on every node.
 * Not for passwords that people choose: who has the master key can try them fast.
 */
export class CredentialHashes {
  private readonly key: Buffer;
  /** By SHA-256: credentials themselves are not kept. */
  private readonly known = new LRUCache<string, string>({ max: REMEMBERED });

  /** @param masterKey 32 bytes */
  constructor(masterKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', masterKey, '', 'logbook credential hashes', 32));
  }

  of(secret: string): string {
    const plain = hash('sha256', secret, 'hex');
    return getOrInsert(this.known, plain, () => this.keyed(plain));
  }

  /** The hash of something whose SHA-256 (hex) is known. A hash that is keyed already, or no hash at all, stays as it is. */
  keyed(plain: string): string {
    const [digest] = PLAIN.exec(plain) ?? [];
    if (digest === undefined) return plain;
    return PREFIX + createHmac('sha256', this.key).update(digest).digest('hex') + plain.slice(digest.length);
  }
}
