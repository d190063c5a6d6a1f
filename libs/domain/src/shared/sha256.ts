import { hash } from 'node:crypto';

/**
 * SHA-256 of bytes, or of the UTF-8 bytes of a text, in 64 hex characters. Names of streams and documents use it to stand for long texts: the hash of a
 * text never changes, because stored names depend on it.
 */
export const sha256 = (text: string | Uint8Array): string => hash('sha256', text);

/** The same, in 32 bytes. By way of a text: a buffer that is made for each hash takes longer than the hash. */
export const sha256Bytes = (text: string | Uint8Array): Buffer => Buffer.from(hash('sha256', text, 'binary'), 'latin1');
