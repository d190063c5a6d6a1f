import { elementsOf, type Item, linesOf } from '#api/shared/json/json-elements.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import * as errors from '#api/status/errors.js';
import { sizeWithin } from '#domain/status/limits.js';
import { type MetricDataCommand, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { DETAIL_DEPTH } from '#projections/status/metric-data/metric-data.js';
import { BadItem, readItem } from './metric-body.js';

/** As the content type says; whatever it does not know is an array. */
export type BodyForm = 'array' | 'lines';

/** Results of one host that go into one event; only their places in the body are kept. */
type Chunk = { readonly host: string; readonly items: Item[]; bytes: number };

/** A call whose every item is good. */
export type MetricCall = Readonly<{ body: Buffer; count: number; chunks: readonly Chunk[] }>;

/** Read models take hundreds of events at a time, so an event must not be large. */
const MOST_RESULTS = 32;
const MOST_BYTES = 256 * 1024;

const jsonOf = (body: Buffer, { start, end }: Item): string => body.toString('utf8', start, end);

/** The host of a result. @throws DomainError `OVER_LIMIT` for a result that is too large */
const sizedHost = ({ host, result }: ReturnType<typeof readItem>): string => {
  sizeWithin('resultSize', result, DETAIL_DEPTH);
  return host;
};

/** Why an item cannot be taken. @throws MalformedJson in an array, which then is none */
const flawOf = (error: unknown, form: BodyForm): string => {
  if (error instanceof BadItem) return error.message;
  if (error instanceof MalformedJson && form === 'lines') return 'not valid JSON';
  throw error;
};

const addTo = (chunks: Chunk[], open: Map<string, Chunk>, host: string, item: Item): void => {
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
 * Checks all of a body before anything of it is stored. The first bad item is told, but a body that is no JSON comes before it: `isJson` says
 * whether it is, so that nothing has to be looked at behind a bad item.
 * @throws MalformedJson; StatusError `E422`
 */
export const readMetricCall = async (body: Buffer, form: BodyForm, isJson: boolean): Promise<MetricCall> => {
  if (form === 'array' && !isJson) throw new MalformedJson('not JSON');
  const chunks: Chunk[] = [];
  const open = new Map<string, Chunk>();
  let count = 0;
  const slice = new TimeSlice();
  for (const item of form === 'lines' ? linesOf(body) : elementsOf(body)) {
    if (slice.isOver) await slice.next();
    if (!item) continue;
    try {
      addTo(chunks, open, sizedHost(readItem(jsonOf(body, item))), item);
    } catch (error) {
      throw errors.unprocessable(`line ${item.line}: ${flawOf(error, form)}`);
    }
    count++;
  }
  return { body, count, chunks };
};

/** The commands of a call, made as they are taken. A repeat of the call has the same ones, so each is known by the key and its number. */
export function* writesOf({ body, chunks }: MetricCall, tenantId: string, { idempotency, ...context }: CommandContext) {
  for (const [number, { host, items }] of chunks.entries()) {
    const results = items.map((item) => readItem(jsonOf(body, item)).result);
    const command: MetricDataCommand = { type: 'RecordMetricResults', tenantId, host, results };
    const known = idempotency && { idempotency: { ...idempotency, key: `${idempotency.key}.${number}` } };
    yield { stream: streamOfMetricData(tenantId, host), command, context: { ...context, ...known } };
  }
}
