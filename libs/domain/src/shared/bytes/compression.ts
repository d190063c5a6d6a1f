import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Compressed bytes. Another version of zlib may give others for the same ones. */
export const deflated = (bytes: Buffer | string): Buffer => deflateRawSync(bytes);

/** @throws Error the bytes are no result of {@link deflated} */
export const inflated = (bytes: Buffer): Buffer => inflateRawSync(bytes);

/** Checksum of both texts, one after the other. */
export const checksumOf = (one: string, other: string): number => crc32(other, crc32(one));
