import { Readable } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { BodyOfPieces, CHUNK } from '#api/shared/answers/pieces.js';
import { noteReadability } from './headers/read-model-header.js';
import { addVary } from './headers/vary.js';
import { bodyMemoryFor } from './reserved-answers.js';

type MadeBody = Buffer | string | Readable | undefined;

export type AnswerBody = MadeBody | BodyOfPieces;

export type AnswerOptions = Readonly<{
  /** Default 200, whatever the method. */
  status?: number;
  /** Content type. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
  /** Request header on which the answer depends, in addition to the common ones. */
  vary?: string;
  /** For a write: true if reads show it already. Default `true`. */
  readable?: boolean;
}>;

/** Result of a handler: a body that is ready to be sent, with its status and headers. */
export class Answer {
  constructor(
    readonly body: AnswerBody,
    readonly options: AnswerOptions = {},
  ) {}

  /** A promise if the body is made in pieces. @throws errors of the beginning of its pieces */
  send(reply: FastifyReply): Promise<void> | undefined {
    const { body } = this;
    if (body instanceof BodyOfPieces) return this.sendPieces(reply, body);
    // A body that is ready is in memory already. It counts at once, so that the next reads wait before they begin.
    if ((typeof body === 'string' || Buffer.isBuffer(body)) && body.length > CHUNK) bodyMemoryFor(reply)?.hold(body.length);
    else reply.request.bodyMemory?.release();
    return this.sendNow(reply, body);
  }

  private async sendPieces(reply: FastifyReply, body: BodyOfPieces): Promise<void> {
    this.sendNow(reply, await body.made(bodyMemoryFor(reply)));
  }

  private sendNow(reply: FastifyReply, body: MadeBody): undefined {
    const { status = 200, type, headers, vary, readable = true } = this.options;
    reply.code(status);
    if (headers) reply.headers(headers);
    if (vary !== undefined) addVary(reply, vary);
    if (type !== undefined) reply.header('content-type', type);
    noteReadability(reply, readable);
    void reply.send(body);
  }
}

function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK);
}

/** Closes the connection if its client has not taken the answer after this time. */
export const takenWithin = ({ raw }: Pick<FastifyReply, 'raw'>, milliseconds: number): void => {
  const late = setTimeout(() => raw.destroy(), milliseconds).unref();
  raw.once('close', () => clearTimeout(late));
};

/**
 * Sends a body that all answers share, so that it needs no memory. It is written in chunks: TLS copies what is written, even for a client that
 * does not read.
 * @param withinMs after which the connection is closed, for a body that is kept only for those who read it. Default: it stays open
 */
export const sendShared = (reply: FastifyReply, body: Buffer, withinMs?: number): FastifyReply => {
  if (withinMs !== undefined) takenWithin(reply, withinMs);
  return reply.header('content-length', body.length).send(Readable.from(chunksOf(body), { objectMode: false, highWaterMark: CHUNK }));
};

/** The Nest adapter for Fastify, with handlers that return an {@link Answer}. */
export class AnswerAdapter extends FastifyAdapter {
  override reply(...[response, body, statusCode]: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    if (!(body instanceof Answer)) return super.reply(response, body, statusCode);
    return body.send(response as FastifyReply) as unknown as ReturnType<FastifyAdapter['reply']>; // Nest awaits it
  }
}
