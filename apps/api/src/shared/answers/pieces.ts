import { Readable } from 'node:stream';
import { inItsCall } from '#api/shared/as-of/past-call.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type AnswerReservation, PAGE_BYTES } from './answer-room.js';

/** Text of a body, or stored bytes of it. */
export type Piece = Buffer | string;

/** A body that is made while it is read, in batches of pieces. */
export type Pieces = AsyncGenerator<readonly Piece[], void>;

const MIB = 1024 * 1024;
/** Bodies up to this size are sent in one piece, with their length. Longer ones are never in memory as a whole. */
const MOST_AT_ONCE = 2 * MIB;
/** Maximum size of pieces that are sent together. Shorter bodies are not counted. */
export const CHUNK = 64 * 1024;

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

/** Reserves memory for a beginning, and waits for a turn: many may make one. Resolves with `false` if the client goes first. */
const isRoomFor = async (reservation: AnswerReservation): Promise<boolean> => {
  if (!reservation.isHeld) return reservation.reserve(MOST_AT_ONCE);
  reservation.hold(MOST_AT_ONCE); // a second wait could block others
  await new TimeSlice(0).next();
  return true;
};

/** The chunks of a beginning, which are let go one by one, and those that follow. */
async function* afterwards(first: Buffer[], rest: AsyncGenerator<Buffer>, reservation?: AnswerReservation): AsyncGenerator<Buffer> {
  for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
  reservation?.hold(PAGE_BYTES);
  yield* rest;
}

/** A body in pieces. It is made when it is sent. */
export class BodyOfPieces {
  /** @param whole called with a short body that is complete; returns what is sent. Default: the same bytes */
  constructor(
    private readonly pieces: Pieces,
    private readonly whole: (body: Buffer) => Buffer | string = (body) => body,
  ) {}

  /**
   * The whole body if it is short, otherwise a stream that makes the body at the client's speed; `undefined` if the client has gone. An error at
   * the beginning is thrown. A later error ends the connection before the end of the body.
   * @param reservation memory for the body, reserved before more than the first chunk is made. Default: not counted
   */
  async made(reservation?: AnswerReservation): Promise<Buffer | string | Readable | undefined> {
    const chunks = chunksOf(this.pieces);
    const first: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const { value, done } = await chunks.next();
      if (done) {
        reservation?.hold(bytes <= CHUNK ? 0 : bytes);
        return this.whole(Buffer.concat(first));
      }
      first.push(value);
      bytes += value.length;
      if (reservation && first.length === 1 && bytes >= CHUNK && !(await isRoomFor(reservation))) {
        await chunks.return(undefined);
        return undefined;
      }
      if (bytes <= MOST_AT_ONCE) continue;
      const stream = Readable.from(inItsCall(afterwards(first, chunks, reservation)), { objectMode: false });
      // A stream that ends before it was read never reaches the pieces, which may hold resources.
      stream.once('close', () => void chunks.return(undefined));
      return stream;
    }
  }
}

/** A body that is sent as a whole if it is short, otherwise at the client's speed. `whole`: see {@link BodyOfPieces}. */
export const bodyOfPieces = (...given: ConstructorParameters<typeof BodyOfPieces>): BodyOfPieces => new BodyOfPieces(...given);
