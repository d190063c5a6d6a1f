import type { Readable } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { noteReadability } from './headers/read-model-header.js';
import { addVary } from './headers/vary.js';

export type AnswerBody = Buffer | string | Readable | undefined;

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

  send(reply: FastifyReply): FastifyReply {
    const { status = 200, type, headers, vary, readable = true } = this.options;
    reply.code(status);
    if (headers) reply.headers(headers);
    if (vary !== undefined) addVary(reply, vary);
    if (type !== undefined) reply.header('content-type', type);
    noteReadability(reply, readable);
    return reply.send(this.body);
  }
}

/** The Nest adapter for Fastify, with handlers that return an {@link Answer}. */
export class AnswerAdapter extends FastifyAdapter {
  override reply(...[response, body, statusCode]: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    return body instanceof Answer ? body.send(response as FastifyReply) : super.reply(response, body, statusCode);
  }
}
