/**
 * Copies values, because lmdb returns its own memory, which the next read overwrites, and whose length is not that of the underlying array.
 * A pooled copy costs a third of lmdb's `binary` encoding.
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
