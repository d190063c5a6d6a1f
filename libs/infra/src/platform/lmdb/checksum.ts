import { crc32 } from 'node:zlib';

// LMDB does not detect a changed byte in a key or value, hence these checksums. Each covers a key and its value, so that neither can pass
// for another.

const MARK = '#';
const DIGITS = 8;

const digits = (checksum: number): string => checksum.toString(16).padStart(DIGITS, '0');

/** Stored form of a text: followed by `#` and the checksum in hexadecimal. */
export const withChecksum = (key: string, text: string): string => `${text}${MARK}${digits(crc32(text, crc32(key)))}`;

/** The text without its checksum; `undefined` if it is damaged or was stored without a checksum. */
export const checkedText = (key: string, stored: string): string | undefined => {
  const end = stored.length - DIGITS - MARK.length;
  const text = stored.slice(0, Math.max(end, 0));
  return stored === withChecksum(key, text) ? text : undefined;
};

/** Bytes that a checksum adds at the end of stored bytes. */
export const CHECKSUM_BYTES = 4;

/** The bytes without their checksum, in the same memory; `undefined` if they are damaged. */
export const checkedBytes = (key: string | Buffer, stored: Buffer): Buffer | undefined => {
  const length = stored.length - CHECKSUM_BYTES;
  if (length < 0) return undefined;
  const bytes = stored.subarray(0, length);
  return crc32(bytes, crc32(key)) === stored.readUInt32LE(length) ? bytes : undefined;
};
