import { Readable } from 'node:stream';
import type { Answer, AnswerOptions } from '#api/shared/http/answer.js';
import { json } from './answers.js';

const KIB = 1024;
/** Maximum bytes of a body that is sent as a whole. */
const WHOLE_BYTES = 256 * KIB;
/** Characters of one encoded chunk. */
const CHUNK_CHARACTERS = 64 * KIB;

/** A body in pieces with its size in bytes of UTF-8. `plain`: true if all of it is ASCII. */
export type PiecedBody = Readonly<{ bytes: number; pieces: Iterable<string>; plain: boolean }>;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The bytes of a body, chunk by chunk; the pieces may be of any length. */
export function* chunksOf({ pieces, plain }: Pick<PiecedBody, 'pieces' | 'plain'>, characters = CHUNK_CHARACTERS): Generator<Buffer> {
  const encoding = plain ? 'latin1' : 'utf8';
  let gathered = '';
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      let end = Math.min(piece.length, at + characters - gathered.length);
      if (end < piece.length && isHighSurrogate(piece.charCodeAt(end - 1))) end++;
      gathered += piece.slice(at, end);
      at = end;
      if (gathered.length < characters) continue;
      yield Buffer.from(gathered, encoding);
      gathered = '';
    }
  }
  if (gathered !== '') yield Buffer.from(gathered, encoding);
}

/** Those of the next text; returns `false` if there is none. V8 keeps all locals of a generator that waits, so each text has one of its own. */
async function* chunksOfNext(texts: AsyncIterator<string>): AsyncGenerator<Buffer, boolean> {
  const { value, done } = await texts.next();
  if (done) return false;
  yield* chunksOf({ pieces: [value], plain: false });
  return true;
}

/** The same for texts that are made while they are sent. Each is requested once the chunks before it were taken, and then not kept. */
export async function* chunksOfEach(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const iterator = texts[Symbol.asyncIterator]();
  try {
    while (yield* chunksOfNext(iterator));
  } finally {
    await iterator.return?.();
  }
}

/** Chunks as a body that is sent at the client's speed; no more are requested in advance. */
export const streamedBody = (chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Readable =>
  Readable.from(chunks, { objectMode: false, highWaterMark: CHUNK_CHARACTERS });

/** Sends a small body as a whole, a large one in chunks. */
export const answerOf = (body: PiecedBody, options: AnswerOptions = {}): Answer => {
  // As bytes: Node would need three times as many to send a text.
  if (body.bytes <= WHOLE_BYTES) return json(Buffer.from([...body.pieces].join(''), body.plain ? 'latin1' : 'utf8'), options);
  return json(streamedBody(chunksOf(body)), { ...options, headers: { 'content-length': `${body.bytes}` } });
};
