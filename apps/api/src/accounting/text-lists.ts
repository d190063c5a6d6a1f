import type { Piece, Pieces } from '#api/shared/answers/pieces.js';

/** JSON text of an object without its closing brace, so that further members can follow. */
export const openObject = (members: object): string => JSON.stringify(members).slice(0, -1);

/** A generator of one value. */
export async function* just<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Maps the values of a generator. */
export async function* mapped<T, U>(source: AsyncIterable<T>, map: (one: T) => U): AsyncGenerator<U> {
  for await (const one of source) yield map(one);
}

/** The elements of an array that arrive in batches, separated by commas. */
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

/** The pieces of several parts, one after another, with commas between the parts. */
export async function* joined(parts: AsyncIterable<Pieces>): Pieces {
  let first = true;
  for await (const part of parts) {
    if (!first) yield [','];
    first = false;
    yield* part;
  }
}
