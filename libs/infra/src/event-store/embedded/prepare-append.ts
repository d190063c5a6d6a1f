import { InvalidAppend } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { recordBody } from './event-record.js';
import { copyJsonObject, NotJson } from './json-copy.js';

/** An event checked and serialised, before the write lock is taken. */
export type PreparedEvent = Readonly<{
  /** A private copy, to be handed to subscribers. */
  event: NewEvent;
  body: ReturnType<typeof recordBody>;
}>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_UUID = /^[0-]+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** LMDB keys have 1,978 bytes at most, and the stream's name is part of some. */
const MAX_STREAM_BYTES = 1_000;

/** Why this cannot be the name of a stream, or nothing. */
const flawOfStreamName = (stream: string): string | undefined => {
  if (stream === '') return 'is empty';
  if (stream.startsWith('$')) return 'is reserved for the system';
  if (LONE_SURROGATE.test(stream)) return 'is not valid Unicode';
  if (Buffer.byteLength(stream) > MAX_STREAM_BYTES) return `is longer than ${MAX_STREAM_BYTES} bytes`;
  return undefined;
};

/** Whether a stream of this name can exist. */
export const isStreamName = (stream: string): boolean => flawOfStreamName(stream) === undefined;

/** @throws InvalidAppend */
export const checkStreamName = (stream: string): void => {
  const flaw = flawOfStreamName(stream);
  if (flaw) throw new InvalidAppend(`stream name ${JSON.stringify(stream.slice(0, 200))} ${flaw}`);
};

/** @throws InvalidAppend */
export const prepareAppend = (stream: string, events: readonly NewEvent[]): readonly PreparedEvent[] => {
  checkStreamName(stream);
  if (events.length === 0) throw new InvalidAppend(`stream ${stream}: nothing to append`);
  const prepared = events.map((event) => prepareEvent(stream, event));
  if (new Set(events.map((event) => event.id.toLowerCase())).size < events.length) {
    throw new InvalidAppend(`stream ${stream}: the same event id twice in one append`);
  }
  return prepared;
};

const prepareEvent = (stream: string, { id, type, data, metadata }: NewEvent): PreparedEvent => {
  if (typeof id !== 'string' || !UUID.test(id) || NIL_UUID.test(id)) throw new InvalidAppend(`stream ${stream}: ${id} is not an event id`);
  if (typeof type !== 'string' || type === '') throw new InvalidAppend(`stream ${stream}, event ${id}: the type is empty`);
  try {
    const event: NewEvent = { id, type, metadata: copyJsonObject(metadata, 'metadata'), data: copyJsonObject(data, 'data') };
    return { event, body: recordBody(event) };
  } catch (error) {
    if (error instanceof NotJson) throw new InvalidAppend(`stream ${stream}, event ${id}: ${error.message}`, { cause: error });
    throw error;
  }
};
