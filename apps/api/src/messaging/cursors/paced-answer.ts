import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { sendStored } from '#api/messaging/responses.js';

const KIB = 1024;
/** Bytes of an answer that is sent as a whole. */
const WHOLE = 256 * KIB;
/** Characters that are encoded and handed over at once. */
const CHUNK = 64 * KIB;
/** Milliseconds in which a client has to take the next chunk: one that takes nothing must not keep messages in memory. */
const PATIENCE = 60_000;

/** A body in pieces, whose size in bytes of UTF-8 is known. `plain`: all of it is ASCII. */
export type PiecedBody = Readonly<{ bytes: number; pieces: Iterable<string>; plain: boolean }>;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The bytes of a body, chunk by chunk; the pieces may be of any length. */
export function* chunksOf({ pieces, plain }: Pick<PiecedBody, 'pieces' | 'plain'>, size = CHUNK): Generator<Buffer> {
  const encoding = plain ? 'latin1' : 'utf8';
  let gathered = '';
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      let end = Math.min(piece.length, at + size - gathered.length);
      if (end < piece.length && isHighSurrogate(piece.charCodeAt(end - 1))) end++;
      gathered += piece.slice(at, end);
      at = end;
      if (gathered.length < size) continue;
      yield Buffer.from(gathered, encoding);
      gathered = '';
    }
  }
  if (gathered !== '') yield Buffer.from(gathered, encoding);
}

/** Sends a body: a small one as a whole, a large one as fast as the client takes it. */
export const sendPaced = (reply: FastifyReply, body: PiecedBody): void => {
  if (body.bytes <= WHOLE) {
    // As bytes, because Node would take three times as many to send a text.
    sendStored(reply, Buffer.from([...body.pieces].join(''), body.plain ? 'latin1' : 'utf8'));
    return;
  }
  reply.header('content-length', body.bytes);
  streamPaced(reply, chunksOf(body));
};

/**
 * Sends chunks as fast as the client takes them, and asks for no more before. The connection of a client that takes nothing for a minute is closed; so is
 * that of any client when the chunks fail, as their beginning has been sent.
 */
export const streamPaced = (reply: FastifyReply, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): void => {
  const timer = setTimeout(() => reply.raw.destroy(), PATIENCE).unref();
  const timed = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      timer.refresh();
      yield chunk;
    }
  };
  reply.raw.once('close', () => clearTimeout(timer));
  sendStored(reply, Readable.from(timed(), { objectMode: false, highWaterMark: CHUNK }));
};

/** The same of pieces that are made while they are sent. What is small is sent as a whole. */
export const sendPieces = async (reply: FastifyReply, pieces: AsyncGenerator<string>): Promise<void> => {
  let begun = '';
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    begun += next.value;
    if (begun.length > WHOLE) break;
  }
  if (begun.length <= WHOLE) {
    sendStored(reply, begun);
    return;
  }
  const all = async function* (): AsyncGenerator<Buffer> {
    yield* chunksOf({ pieces: [begun], plain: false });
    begun = '';
    for await (const piece of pieces) yield* chunksOf({ pieces: [piece], plain: false });
  };
  streamPaced(reply, all());
};
