import { Readable } from 'node:stream';
import { inItsCall } from '#api/shared/as-of/past-call.js';
import { TimeSlice } from '#domain/shared/time-slice.js';

/** Text of a body, or stored bytes of it. */
export type Piece = Buffer | string;

/** A body that is made while it is read, in batches of pieces. */
export type Pieces = AsyncGenerator<readonly Piece[], void>;

/** Bodies up to this size are sent in one piece, with their length. Longer ones are never in memory as a whole. */
const MOST_AT_ONCE = 2 * 1024 * 1024;
/** Maximum size of pieces that are sent together. */
const CHUNK = 64 * 1024;

/** Joins pieces to larger ones, and yields the event loop in between. */
async function* chunksOf(pieces: Pieces): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  let together: Buffer[] = [];
  let bytes = 0;
  for await (const some of pieces) {
    for (const piece of some) {
      const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
      together.push(buffer);
      bytes += buffer.length;
      if (bytes < CHUNK) continue;
      yield Buffer.concat(together);
      together = [];
      bytes = 0;
      if (slice.isOver) await slice.next();
    }
  }
  yield Buffer.concat(together);
}

async function* afterwards(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

/**
 * The whole body if it is short, otherwise a stream that makes the body at the client's speed. An error at the beginning is thrown. A later
 * error ends the connection before the end of the body.
 */
export const bodyOfPieces = async (pieces: Pieces): Promise<Buffer | Readable> => {
  const chunks = chunksOf(pieces);
  const first: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) return Buffer.concat(first);
    first.push(value);
    bytes += value.length;
    if (bytes <= MOST_AT_ONCE) continue;
    const stream = Readable.from(inItsCall(afterwards(first, chunks)), { objectMode: false });
    // A stream that ends before it was read never reaches the pieces, which may hold resources.
    stream.once('close', () => void chunks.return(undefined));
    return stream;
  }
};
