import { InvalidAppend } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { type EventText, eventText } from './block.js';

/** Events that go into one block, checked and serialised before the write lock is taken. */
export type PreparedBlock = Readonly<{ events: readonly NewEvent[]; texts: readonly EventText[]; characters: number }>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_UUID = /^[0-]+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** LMDB keys have 1,978 bytes at most, and the stream's name is part of some. */
const MAX_STREAM_BYTES = 1_000;
/** Larger appends take several blocks: whoever reads one event has the whole block read from disk and checked. */
const BLOCK_CHARACTERS = 32 * 2 ** 10;
const BLOCK_EVENTS = 100;

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
export const prepareAppend = (stream: string, events: readonly NewEvent[]): readonly PreparedBlock[] => {
  checkStreamName(stream);
  if (events.length === 0) throw new InvalidAppend(`stream ${stream}: nothing to append`);
  if (events.length > 1 && new Set(events.map((event) => event.id.toLowerCase())).size < events.length) {
    throw new InvalidAppend(`stream ${stream}: the same event id twice in one append`);
  }
  const blocks: PreparedBlock[] = [];
  let block = emptyBlock();
  for (const event of events) {
    const text = checkedText(stream, event);
    if (block.events.length > 0 && (block.events.length === BLOCK_EVENTS || block.characters + text.text.length > BLOCK_CHARACTERS)) {
      blocks.push(block);
      block = emptyBlock();
    }
    block.events.push(event);
    block.texts.push(text);
    block.characters += text.text.length;
  }
  blocks.push(block);
  return blocks;
};

const emptyBlock = (): { events: NewEvent[]; texts: EventText[]; characters: number } => ({ events: [], texts: [], characters: 0 });

const checkedText = (stream: string, event: NewEvent): EventText => {
  const { id, type } = event;
  if (typeof id !== 'string' || !UUID.test(id) || NIL_UUID.test(id)) throw new InvalidAppend(`stream ${stream}: ${id} is not an event id`);
  if (typeof type !== 'string' || type === '') throw new InvalidAppend(`stream ${stream}, event ${id}: the type is empty`);
  try {
    return eventText(event);
  } catch (error) {
    throw new InvalidAppend(`stream ${stream}, event ${id}: the event is not JSON`, { cause: error });
  }
};
