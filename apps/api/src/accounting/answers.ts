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

/** A body that is made while it is sent, unless it is short. `type`: default JSON. */
export const pieces = (source: Pieces, options: AnswerOptions = {}): Answer =>
  new Answer(bodyOfPieces(source), { type: JSON_TYPE, ...options });

/** A page of a list, with links to the other pages. */
export const page = (asked: RequestedPage, found: PageOf): Answer => json(pageBody(asked, found));

/** The same for elements that may be long. */
export const longPage = (asked: RequestedPage, found: LongPage): Answer => pieces(pagePieces(asked, found, asked.links));

/** A page of search results, without links. */
export const searchPage = (asked: Paging, found: LongPage): Answer => pieces(pagePieces(asked, found, () => []));
