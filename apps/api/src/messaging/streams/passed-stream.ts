import type { Readable } from 'node:stream';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import { END } from './stream-events.js';

const BOUNDARY = '\n\n';

/** The first part of a chunk, up to the end of an event; `undefined` if none ends in it. `before`: the preceding characters. */
const upToBoundary = (chunk: Buffer, before: string): Buffer | undefined => {
  const text = before + chunk.toString('latin1');
  const at = text.indexOf(BOUNDARY);
  return at < 0 ? undefined : chunk.subarray(0, at + BOUNDARY.length - before.length);
};

/** Resolves on the signal, or when stopped. */
const until = (signal: AbortSignal): Readonly<{ promise: Promise<undefined>; stop: () => void }> => {
  let stop = (): void => undefined;
  const promise = new Promise<undefined>((resolve) => {
    stop = () => {
      signal.removeEventListener('abort', stop);
      resolve(undefined);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  return { promise, stop };
};

/**
 * The complete events of a stream that another node serves, until that node goes or this one ends. Then clients are asked to reconnect.
 * @param taken called when the client has taken something
 */
export async function* passedOn(events: Readable, ended: AbortSignal, taken: () => void): AsyncGenerator<Buffer | string> {
  const chunks = events[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const end = until(ended);
  let last = BOUNDARY;
  const read = async (): Promise<IteratorResult<Buffer, undefined> | undefined> => {
    const next = awaitedLater(chunks.next()); // perhaps never
    return last === BOUNDARY ? Promise.race([next, end.promise]) : next;
  };
  try {
    for (let chunk = await read(); chunk; chunk = await read()) {
      if (chunk.done) return;
      const rest = ended.aborted ? upToBoundary(chunk.value, last.slice(-1)) : undefined;
      yield rest ?? chunk.value;
      taken();
      if (rest) break;
      last = (last + chunk.value.subarray(-BOUNDARY.length).toString('latin1')).slice(-BOUNDARY.length);
    }
  } catch (error) {
    if (last !== BOUNDARY) throw error; // clients drop an incomplete event
  } finally {
    end.stop();
    events.destroy();
  }
  yield END;
}
