import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { inItsCall } from '#api/shared/as-of/past-call.js';
import { Answer, type AnswerOptions } from '#api/shared/http/answer.js';
import { JSON_TYPE, json } from './answers.js';

const KIB = 1024;
/** Maximum bytes of a body that is sent as a whole. */
const WHOLE_BYTES = 256 * KIB;
/** Characters of one encoded chunk. */
const CHUNK_CHARACTERS = 64 * KIB;
/** A client has to take the next chunk within this time: a stalled one must not keep messages in memory. */
const IDLE_MS = 60_000;

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

/**
 * Sends chunks at the client's speed, and requests no more in advance. The connection ends if the client takes nothing for a minute, or if
 * the chunks fail after the beginning was sent.
 */
export class StreamedAnswer extends Answer {
  constructor(
    private readonly chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
    options: AnswerOptions = {},
  ) {
    super(undefined, { ...options, type: JSON_TYPE });
  }

  override send(reply: FastifyReply): FastifyReply {
    const idle = setTimeout(() => reply.raw.destroy(), IDLE_MS).unref();
    const { chunks } = this;
    const timed = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        idle.refresh();
        yield chunk;
      }
    };
    reply.raw.once('close', () => clearTimeout(idle));
    const stream = Readable.from(inItsCall(timed()), { objectMode: false, highWaterMark: CHUNK_CHARACTERS });
    return new Answer(stream, this.options).send(reply);
  }
}

/** Sends a small body as a whole, a large one as {@link StreamedAnswer}. */
export const answerOf = (body: PiecedBody, options: AnswerOptions = {}): Answer => {
  // As bytes: Node would need three times as many to send a text.
  if (body.bytes <= WHOLE_BYTES) return json(Buffer.from([...body.pieces].join(''), body.plain ? 'latin1' : 'utf8'), options);
  return new StreamedAnswer(chunksOf(body), { ...options, headers: { 'content-length': `${body.bytes}` } });
};

/** Answers with pieces that are made while they are sent, in UTF-8. */
export const answerOfPieces = async (pieces: AsyncGenerator<string>): Promise<Answer> => {
  let begun = '';
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    begun += next.value;
    if (begun.length > WHOLE_BYTES) break;
  }
  if (begun.length <= WHOLE_BYTES) return json(begun);
  const all = async function* (): AsyncGenerator<Buffer> {
    yield* chunksOf({ pieces: [begun], plain: false });
    begun = '';
    for await (const piece of pieces) yield* chunksOf({ pieces: [piece], plain: false });
  };
  return new StreamedAnswer(all());
};
