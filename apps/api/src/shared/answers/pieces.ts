import { Readable } from 'node:stream';
import { inItsCall } from '#api/shared/as-of/past-call.js';
import { TimeSlice } from '#domain/shared/time-slice.js';

/** Text of a body, or bytes of it as they are stored. */
export type Piece = Buffer | string;

/** A body that is made as it is read, some pieces at a time. */
export type Pieces = AsyncGenerator<readonly Piece[], void>;

/** Bodies up to here go out in one piece, with their length; longer ones are never in memory as a whole. */
const MOST_AT_ONCE = 2 * 1024 * 1024;
/** Pieces are sent together up to here. */
const CHUNK = 64 * 1024;

/** The pieces in larger ones; others get their turn of the event loop in between. */
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
 * What to send: the whole body when it is short; else a stream, which makes the body no faster than the client takes it. What goes wrong with the
 * beginning is thrown; later the connection ends before the body does.
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
    // A stream that ends before it was read never reaches the pieces, and they may hold something.
    stream.once('close', () => void chunks.return(undefined));
    return stream;
  }
};
