import { hash } from 'node:crypto';

/**
 * SHA-256 of bytes, or of the UTF-8 bytes of a text, in 64 hex characters. Names of streams and documents contain it in place of long texts. It must never
 * change, because stored names depend on it.
 */
export const sha256 = (text: string | Uint8Array): string => hash('sha256', text);

/** SHA-256 in 32 bytes. Decoding a text is faster than allocating a buffer in each hash call. */
export const sha256Bytes = (text: string | Uint8Array): Buffer => Buffer.from(hash('sha256', text, 'binary'), 'latin1');
