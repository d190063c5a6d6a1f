import { DamagedExport } from './damaged-export.js';

const LENGTH_BYTES = 4;
const SHORTEST = 5;
/** MongoDB allows 16 MiB, and slightly more for internal documents. */
const LONGEST = 20 * 2 ** 20;

/** Length of the document at the beginning; `undefined` while it is unknown. */
const lengthOf = (bytes: Buffer, number: number): number | undefined => {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const length = bytes.readInt32LE(0);
  if (length < SHORTEST || length > LONGEST) throw new DamagedExport(`document ${number}: no document begins here`);
  return length;
};

/** Yields the documents in a file of mongodump, one after another. @throws DamagedExport */
export async function* bsonBytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<Readonly<{ number: number; bytes: Buffer }>> {
  let number = 1;
  let held: Buffer[] = [];
  let size = 0;
  let wanted = LENGTH_BYTES;
  for await (const chunk of chunks) {
    held.push(chunk);
    size += chunk.length;
    if (size < wanted) continue;
    let bytes = held.length === 1 ? chunk : Buffer.concat(held);
    let length = lengthOf(bytes, number);
    while (length !== undefined && length <= bytes.length) {
      yield { number: number++, bytes: bytes.subarray(0, length) };
      bytes = bytes.subarray(length);
      length = lengthOf(bytes, number);
    }
    wanted = length ?? LENGTH_BYTES;
    held = [bytes];
    size = bytes.length;
  }
  if (size > 0) throw new DamagedExport(`document ${number}: it has no end`);
}
