import { elementsOf, type JsonElement, linesOf } from '#api/shared/json/json-elements.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import * as errors from '#api/status/errors.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { sizeWithin } from '#domain/status/limits.js';
import { DETAIL_DEPTH } from '#projections/status/metric-data/queries.js';
import type { HostResults, SubmittedResults } from './commands.js';
import { BadItem, readItem } from './metric-body.js';

/** Form of a body according to its content type; default an array. */
export type BodyForm = 'array' | 'lines';

/** Results of one host for one event, as places in the body. */
type Chunk = { readonly host: string; readonly items: JsonElement[]; bytes: number };

/** Limits the size of events, because read models process hundreds of them at a time. */
const MOST_RESULTS = 32;
const MOST_BYTES = 256 * 1024;

const itemIn = (body: Buffer, { start, end }: JsonElement): ReturnType<typeof readItem> => readItem(body.subarray(start, end));

/** The host of a result. @throws DomainError `OVER_LIMIT` for a result that is too large */
const sizedHost = ({ host, result }: ReturnType<typeof readItem>): string => {
  sizeWithin('resultSize', result, DETAIL_DEPTH);
  return host;
};

/** The error in an item. @throws MalformedJson in an array, which as a whole is not JSON then */
const flawOf = (error: unknown, form: BodyForm): string => {
  if (error instanceof BadItem) return error.message;
  if (error instanceof MalformedJson && form === 'lines') return 'not valid JSON';
  throw error;
};

const addTo = (chunks: Chunk[], open: Map<string, Chunk>, host: string, item: JsonElement): void => {
  const bytes = item.end - item.start;
  let chunk = open.get(host);
  if (!chunk || chunk.items.length === MOST_RESULTS || chunk.bytes + bytes > MOST_BYTES) {
    chunk = { host, items: [], bytes: 0 };
    open.set(host, chunk);
    chunks.push(chunk);
  }
  chunk.items.push(item);
  chunk.bytes += bytes;
};

/**
 * The results of a body, all checked before anything is stored. If the body is not JSON, that error takes precedence over any bad item.
 * `isJson`: set if it is known to be JSON; then the first bad item ends the check.
 * @throws MalformedJson; StatusError `E422` for the first bad item
 */
export const readMetricCall = async (body: Buffer, form: BodyForm, isJson: boolean): Promise<SubmittedResults> => {
  if (form === 'array' && !isJson) throw new MalformedJson('not JSON');
  const chunks: Chunk[] = [];
  const open = new Map<string, Chunk>();
  let count = 0;
  const slice = new TimeSlice();
  for (const item of form === 'lines' ? linesOf(body) : elementsOf(body)) {
    if (slice.isOver) await slice.next();
    if (!item) continue;
    try {
      addTo(chunks, open, sizedHost(itemIn(body, item)), item);
    } catch (error) {
      throw errors.unprocessable(`line ${item.line}: ${flawOf(error, form)}`);
    }
    count++;
  }
  return { count, groups: () => groupsOf(body, chunks) };
};

/** Reads the results of each chunk again, which saves memory. */
function* groupsOf(body: Buffer, chunks: readonly Chunk[]): Generator<HostResults> {
  for (const { host, items } of chunks) yield { host, results: items.map((item) => itemIn(body, item).result) };
}
