import type { Piece, Pieces } from '#api/shared/answers/pieces.js';

/** JSON text of an object without its closing brace, to go on with further members. */
export const openObject = (members: object): string => JSON.stringify(members).slice(0, -1);

/** One thing where several are due. */
export async function* just<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Each of several things as something else. */
export async function* mapped<T, U>(source: AsyncIterable<T>, map: (one: T) => U): AsyncGenerator<U> {
  for await (const one of source) yield map(one);
}

/** The elements of an array that come some at a time, with commas between them. */
export async function* commaSeparated(batches: AsyncIterable<readonly Piece[]>): Pieces {
  let first = true;
  for await (const batch of batches) {
    const pieces: Piece[] = [];
    for (const element of batch) {
      if (!first) pieces.push(',');
      first = false;
      pieces.push(element);
    }
    yield pieces;
  }
}

/** The pieces of several parts, one after the other, with commas between the parts. */
export async function* joined(parts: AsyncIterable<Pieces>): Pieces {
  let first = true;
  for await (const part of parts) {
    if (!first) yield [','];
    first = false;
    yield* part;
  }
}
