import { createHmac, hkdfSync } from 'node:crypto';

/** 128 bits: collisions are practically impossible. */
const HEX_DIGITS = 32;

/**
 * Pseudonyms of texts that must be found but not read: HMAC-SHA-256 under a key derived from the master key, so that nobody without it can
 * test guesses. They are the same on every node. The same text has different pseudonyms in different contexts.
 */
export class Pseudonyms {
  private readonly key: Buffer;

  constructor(masterKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', masterKey, '', 'logbook pseudonyms', 32));
  }

  of(text: string, within: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([within, text]))
      .digest('hex')
      .slice(0, HEX_DIGITS);
  }
}
