/**
 * Values as bytes of their own: lmdb returns its memory, which the next read overwrites; its length is not that of the array below it. A pooled
 * copy costs a third of what lmdb's `binary` encoding does.
 */
export const copiedBytes = {
  encode: (bytes: Buffer): Buffer => bytes,
  decode(bytes: Buffer): Buffer {
    const { length } = bytes;
    const copy = Buffer.allocUnsafe(length);
    copy.set(bytes.subarray(0, length));
    return copy;
  },
};
