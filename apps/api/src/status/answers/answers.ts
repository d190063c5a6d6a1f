import { type BodyOfPieces, bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { Answer, type AnswerBody, type AnswerOptions } from '#api/shared/http/answer.js';
import { RECORD_DEPTH, separatorAt, wireText } from '#projections/status/layout.js';
import type { Created, WriteOutcome } from './written.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A JSON body that is ready to be sent. */
export const json = (body: AnswerBody, options: Omit<AnswerOptions, 'type'> = {}): Answer =>
  new Answer(body, { ...options, type: JSON_TYPE });

/** The answer to OPTIONS, for any caller: the methods of a path (status contract 1.10). */
export const methods = (allow: string): Answer => new Answer('', { type: 'text/plain; charset=utf-8', headers: { allow } });

const LIST_HEAD = Buffer.from('{\n "status": {\n  "message": "Success",\n  "code": "200"\n },\n "data": [');
/** Beginning of a success answer, up to its data. */
export const LIST_START = '{\n "status": {\n  "message": "Success",\n  "code": "200"\n },\n "data": ';
const FIRST = Buffer.from('\n  ');
const NEXT = Buffer.from(',\n  ');
const LIST_END = Buffer.from('\n ]\n}');
const EMPTY_END = Buffer.from(']\n}');

/** Pages of values that are stored in their answer form. */
type StoredPages = AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>;

/** The array of these values, at level `depth`. */
export async function* arrayPieces(pages: StoredPages, depth: number): Pieces {
  const [first, next] = [Buffer.from(`[\n${' '.repeat(depth)}`), Buffer.from(separatorAt(depth))];
  let separator = first;
  for await (const page of pages) {
    yield page.flatMap((value, index) => [index === 0 ? separator : next, value]);
    if (page.length > 0) separator = next;
  }
  yield [separator === next ? `\n${' '.repeat(depth - 1)}]` : '[]'];
}

/** S-LIST of records that are stored in their answer form (status contract 1.6, 1.8). */
export const listOfStored = (records: readonly Buffer[]): Buffer => {
  if (records.length === 0) return Buffer.concat([LIST_HEAD, EMPTY_END]);
  return Buffer.concat([LIST_HEAD, ...records.flatMap((record, index) => [index === 0 ? FIRST : NEXT, record]), LIST_END]);
};

async function* listPieces(pages: StoredPages): Pieces {
  yield [LIST_START];
  yield* arrayPieces(pages, RECORD_DEPTH);
  yield ['\n}'];
}

/** S-LIST of stored records in pages. `whole`: see {@link BodyOfPieces}. */
export const listOfPages = (pages: StoredPages, whole?: (body: Buffer) => Buffer | string): BodyOfPieces =>
  bodyOfPieces(listPieces(pages), whole);

/** Pages up to this size together are kept for a second array. */
const MOST_KEPT = 1024 * 1024;

async function* rootedListPieces(read: () => StoredPages): Pieces {
  let [kept, bytes]: [(readonly Buffer[])[] | undefined, number] = [[], 0];
  const keeping = async function* (): AsyncGenerator<readonly Buffer[]> {
    for await (const page of read()) {
      for (const { length } of page) bytes += length;
      if (bytes > MOST_KEPT) kept = undefined;
      kept?.push(page);
      yield page;
    }
  };
  yield [LIST_START];
  yield* arrayPieces(keeping(), RECORD_DEPTH);
  yield [',\n "root": '];
  yield* arrayPieces(kept ?? read(), RECORD_DEPTH);
  yield ['\n}'];
}

/**
 * S-LIST with the same records again in an array `root`: the seed calls recomputations that, the original `data`. A short list is read
 * once and kept for the second array, so that concurrent writes cannot make the two differ. A long one is read again, so that they can.
 */
export const rootedListOfPages = (read: () => StoredPages): BodyOfPieces => bodyOfPieces(rootedListPieces(read));

/** S-LIST of records created for this answer. */
export const listOf = (records: readonly unknown[]): Buffer =>
  listOfStored(records.map((record) => Buffer.from(wireText(record, RECORD_DEPTH))));

/** S-REF. `code`: 201 after a creation, 200 for an update that answers in the same form. */
export const reference = (message: string, id: string, self: string, code = '201'): string =>
  wireText({ status: { message, code }, data: { id, links: { self } } });

/** S-MSG. `code`: 201 if records without own ids were created. */
export const message = (text: string, code = '200'): string => wireText({ status: { message: text, code } });

/** A success with one record as `data` instead of an array. */
export const one = (record: unknown): string => withData('Success', record);

/** A success with a message other than `Success`. */
export const withData = (text: string, data: unknown): string => wireText({ status: { message: text, code: '200' }, data });

/** S-MSG with this text, after a command. */
export const done = async (executing: Promise<WriteOutcome>, text: string): Promise<Answer> => {
  const { readable } = await executing;
  return json(message(text), { readable });
};

/** S-REF with this text, after a command that creates a record. @param self link of the call to the record */
export const created = async (executing: Promise<Created>, text: string, self: (newId: string) => string): Promise<Answer> => {
  const { id, readable } = await executing;
  return json(reference(text, id, self(id)), { status: 201, readable });
};
