import { createHmac, hkdfSync } from 'node:crypto';

/** 128 bits: enough that two texts never share one. */
const HEX_DIGITS = 32;

/**
 * Stand for texts that must be found but not read: HMAC-SHA-256 under a key that follows from the master key, so that nobody without it can
 * try texts against them. The same on every node. The same text has another pseudonym within something else.
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
