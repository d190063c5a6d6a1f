/**
 * Writes a string as UTF-8 without a Buffer of its own, and bytes (bounds that are no text) unchanged: LMDB compares byte by byte. `target`
 * is lmdb's scratch memory: a RangeError makes lmdb provide a new piece, whereas `write` alone would silently truncate the key.
 */
export const keyEncoder = {
  writeKey(key: string | Uint8Array, target: Buffer, position: number): number {
    if (typeof key !== 'string') {
      target.set(key, position);
      return position + key.length;
    }
    const room = target.length - position;
    if (key.length * 3 > room && Buffer.byteLength(key) > room) throw new RangeError('the key does not fit');
    return position + target.write(key, position);
  },
  readKey: (source: Buffer, start: number, end: number): string => source.toString('utf8', start, end),
};
