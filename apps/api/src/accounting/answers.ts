import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { Answer, type AnswerBody, type AnswerOptions } from '#api/shared/http/answer.js';
import { envelope } from './errors.js';
import { type LongPage, type PageOf, type Paging, pageBody, pagePieces, type RequestedPage } from './paging.js';

const JSON_TYPE = 'application/json; charset=utf-8';

type JsonOptions = Omit<AnswerOptions, 'type'>;

/** A JSON body that is ready to be sent. */
export const json = (body: AnswerBody, options: JsonOptions = {}): Answer => new Answer(body, { ...options, type: JSON_TYPE });

/** The message envelope with status 200. */
export const message = (text: string, options: Pick<AnswerOptions, 'readable'> = {}): Answer => json(envelope(200, text), options);

/** The message envelope after a command. */
export const done = async (text: string, execution: Promise<Readonly<{ readable: boolean }>>): Promise<Answer> => {
  const { readable } = await execution;
  return message(text, { readable });
};

/** Length of URLs in headers that clients and proxies support. */
const LONGEST_URL = 8_000;

/** Status 201 with `Location`, unless that is too long for a header. */
export const created = (location: string, body: Buffer | string, options: Pick<AnswerOptions, 'readable'> = {}): Answer =>
  json(body, { ...options, status: 201, ...(location.length <= LONGEST_URL && { headers: { location } }) });

/** A client that takes nothing for so long is disconnected, so that a long answer does not stay in memory. */
const STALLED_AFTER_MS = 60_000;

/** Calls back after a minute without progress. */
class StallTimer {
  private timer: NodeJS.Timeout | undefined;

  start(onStalled: () => void): void {
    this.timer = setTimeout(onStalled, STALLED_AFTER_MS).unref();
  }

  moved(): void {
    this.timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

async function* watched(source: Pieces, timer: StallTimer): Pieces {
  for await (const some of source) {
    timer.moved();
    yield some;
  }
}

/** A body that is made at the client's speed. The connection of a client that takes nothing for a minute is closed. */
class LongAnswer extends Answer {
  constructor(
    body: Readable,
    options: AnswerOptions,
    private readonly timer: StallTimer,
  ) {
    super(body, options);
  }

  override send(reply: FastifyReply): FastifyReply {
    this.timer.start(() => reply.raw.destroy());
    reply.raw.once('close', () => this.timer.stop());
    return super.send(reply);
  }
}

/** A body that is made while it is sent, unless it is short. `type`: default JSON. */
export const pieces = async (source: Pieces, options: AnswerOptions = {}): Promise<Answer> => {
  const timer = new StallTimer();
  const body = await bodyOfPieces(watched(source, timer));
  const typed = { type: JSON_TYPE, ...options };
  return body instanceof Readable ? new LongAnswer(body, typed, timer) : new Answer(body, typed);
};

/** A page of a list, with links to the other pages. */
export const page = (asked: RequestedPage, found: PageOf): Answer => json(pageBody(asked, found));

/** The same for elements that may be long. */
export const longPage = (asked: RequestedPage, found: LongPage): Promise<Answer> => pieces(pagePieces(asked, found, asked.links));

/** A page of search results, without links. */
export const searchPage = (asked: Paging, found: LongPage): Promise<Answer> => pieces(pagePieces(asked, found, () => []));
