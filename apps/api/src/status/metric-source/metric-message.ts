import { BODY_LIMITS } from '#api/shared/bodies/body-limits.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { JsonScan } from '#api/shared/json/json-scan.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { StatusError } from '#api/status/errors.js';
import type { SubmittedResults } from '#api/status/metric-data/commands.js';
import { readMetricCall } from '#api/status/metric-data/metric-call.js';
import { DomainError } from '#domain/shared/decider.js';
import type { JsonObject } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { METRIC_DATA_FIELDS, METRIC_DATA_SCHEMAS } from '#domain/status/metric-source/metric-data-schema.js';
import { DatumInvalid } from '#infra/edges/schemas/avro/avro-datum.js';
import { type AvroTexts, compileAvroTexts } from '#infra/edges/schemas/avro/avro-texts.js';
import { Budget, TooMuchWork } from '#infra/edges/schemas/budget.js';

/** The message is not metric data; the error text is the reason. */
export class MessageFlawed extends Error {
  override readonly name = 'MessageFlawed';
}

/** The valid points of a message. */
export type MetricMessage = Pick<StoredMessage, 'offset' | 'bytes' | 'cause'> & Readonly<{ points: SubmittedResults }>;

/** A datum is one point. The limit also bounds its synchronous check. */
const MOST_AVRO_BYTES = 4 * 1024 * 1024;
const MOST_AVRO_STEPS = 500_000;

const [OPEN, CLOSE] = [Buffer.from('['), Buffer.from(']')];
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

const firstByte = (data: Buffer): number | undefined => data.find((byte) => !BLANKS.has(byte));

/** Readers of Avro data, in the order of attempts. */
export type AvroReaders = readonly AvroTexts[];

const USUAL: AvroReaders = METRIC_DATA_SCHEMAS.map(compileAvroTexts);

/**
 * First the schema of the topic, if it has one, then those of monitoring engines, for messages from before the schema was attached.
 * @throws SchemaInvalid it is not a record schema
 */
export const avroReadersOf = (document: JsonObject | undefined): AvroReaders => (document ? [compileAvroTexts(document), ...USUAL] : USUAL);

/** @throws MessageFlawed */
const avroPoint = (data: Buffer, readers: AvroReaders): JsonObject => {
  if (data.length > MOST_AVRO_BYTES) throw new MessageFlawed('neither JSON nor an Avro datum of metric data: too large');
  let reason = '';
  for (const read of readers) {
    try {
      const texts = Object.entries(read(data, new Budget(MOST_AVRO_STEPS)));
      return Object.fromEntries(texts.flatMap(([field, text]) => (METRIC_DATA_FIELDS[field] ? [[METRIC_DATA_FIELDS[field], text]] : [])));
    } catch (error) {
      const isFlaw = error instanceof DatumInvalid || error instanceof TooMuchWork || error instanceof RangeError;
      if (!isFlaw) throw error;
      reason ||= error instanceof TooMuchWork ? 'checking it takes too many steps' : error.message;
    }
  }
  throw new MessageFlawed(`neither JSON nor an Avro datum of metric data: ${reason}`);
};

/** Bytes scanned between two checks of the time. */
const SCANNED_AT_ONCE = 64 * 1024;
const EXCESSES = { bytes: 'too large', values: 'too many values', levels: 'too many levels', text: 'a text or run of blanks is too long' };

/** Checks as for bodies of calls with metric data, before anything is parsed. @throws MalformedJson */
const ensureJson = async (data: Buffer): Promise<void> => {
  const scan = new JsonScan(BODY_LIMITS.metricData);
  const slice = new TimeSlice();
  for (let start = 0; start < data.length && !scan.excess; start += SCANNED_AT_ONCE) {
    scan.add(data.subarray(start, start + SCANNED_AT_ONCE));
    if (slice.isOver) await slice.next();
  }
  if (scan.excess) throw new MalformedJson(EXCESSES[scan.excess]);
  if (!scan.end().isJson) throw new MalformedJson('not one value');
};

/** The points as a JSON array. @throws MessageFlawed, MalformedJson */
const arrayIn = async (data: Buffer, readers: AvroReaders): Promise<Readonly<{ body: Buffer; single: boolean }>> => {
  const first = firstByte(data);
  if (first === undefined) throw new MessageFlawed('the message has no data');
  if (first === OPEN[0]) {
    await ensureJson(data);
    return { body: data, single: false };
  }
  if (first === '{'.charCodeAt(0)) {
    await ensureJson(data);
    return { body: Buffer.concat([OPEN, data, CLOSE]), single: true };
  }
  return { body: Buffer.from(JSON.stringify([avroPoint(data, readers)])), single: true };
};

/** The error in the points; `undefined` if the thrown error has another reason. */
const flawOf = (error: unknown, single: boolean): string | undefined => {
  if (error instanceof MalformedJson) return `not valid JSON: ${error.message}`;
  if (error instanceof DomainError && error.code === 'OVER_LIMIT') return String(error.details.text);
  if (!(error instanceof StatusError)) return undefined;
  const { errors } = error.body as { errors?: readonly Readonly<{ details: string }>[] };
  const details = errors?.[0]?.details ?? error.message;
  return single ? details.replace(/^line 1: /, '') : details.replace(/^line (\d+): /, 'point $1: ');
};

/**
 * The points of a message: JSON, one point or an array (results contract 1), or an Avro datum. All of it is checked, in slices; attributes
 * are ignored. @throws MessageFlawed
 */
export const readMetricMessage = async (message: StoredMessage, readers: AvroReaders): Promise<MetricMessage> => {
  let isSingle = true;
  try {
    const { body, single } = await arrayIn(Buffer.from(message.data ?? '', 'base64'), readers);
    isSingle = single;
    return { offset: message.offset, bytes: message.bytes, cause: message.cause, points: await readMetricCall(body, 'array', true) };
  } catch (error) {
    const flaw = flawOf(error, isSingle);
    if (flaw === undefined) throw error;
    throw new MessageFlawed(flaw);
  }
};
