import { isUtf8 } from 'node:buffer';
import { DamagedCopy } from './damaged-copy.js';

export type NumberedLine = Readonly<{ number: number; text: string }>;

/** Longer than any event of Logbook: endless input must not exhaust memory. */
const MAX_LINE_BYTES = 128 * 2 ** 20;
const LINE_FEED = 0x0a;

/** @throws DamagedCopy the packed input is cut off or altered */
async function* unpacked(input: AsyncIterable<Uint8Array>, line: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* input;
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_') ? new DamagedCopy(`line ${line() + 1}: cannot be unpacked (${code})`) : error;
  }
}

/** Yields the lines of a file as they arrive, numbered from 1. @throws DamagedCopy a line is too long for an export, or no text */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<NumberedLine> {
  let number = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of unpacked(input, () => number)) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      number += 1;
      yield lineOf(number, [...held, bytes.subarray(start, end)]);
      [held, heldBytes, start] = [[], 0, end + 1];
    }
    if (start === bytes.length) continue;
    held.push(bytes.subarray(start));
    heldBytes += bytes.length - start;
    if (heldBytes > MAX_LINE_BYTES) throw new DamagedCopy(`line ${number + 1} has more than ${MAX_LINE_BYTES} bytes`);
  }
  if (heldBytes > 0) yield lineOf(number + 1, held);
}

const lineOf = (number: number, parts: readonly Buffer[]): NumberedLine => {
  const [only] = parts;
  const bytes = only && parts.length === 1 ? only : Buffer.concat(parts);
  if (!isUtf8(bytes)) throw new DamagedCopy(`line ${number}: is not UTF-8`);
  return { number, text: bytes.toString('utf8') };
};
