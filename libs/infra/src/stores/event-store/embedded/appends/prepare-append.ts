import { InvalidAppend } from '#domain/shared/event-store.js';
import type { EventMetadata, NewEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type EventText, eventText } from '#infra/stores/event-store/embedded/storage/block.js';
import { jsonText } from '#infra/stores/event-store/json-text.js';

/** Events of one block, checked and serialised before the write lock is taken. */
export type PreparedBlock = Readonly<{
  events: readonly NewEvent[];
  texts: readonly EventText[];
  characters: number;
  /** JSON of the metadata shared by the events of the block. Texts of events with other metadata contain their own. */
  metadataText: string;
}>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_UUID = /^[0-]+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** LMDB keys have at most 1,978 bytes, and some contain the name of the stream. */
const MAX_STREAM_BYTES = 1_000;
/** Larger appends are split into several blocks: to read one event, the whole block is read from disk and checked. */
const BLOCK_CHARACTERS = 32 * 2 ** 10;
const BLOCK_EVENTS = 100;

/** Returns why the stream name is invalid; `undefined` if it is valid. */
const flawOfStreamName = (stream: string): string | undefined => {
  if (stream === '') return 'is empty';
  if (stream.startsWith('$')) return 'is reserved for the system';
  if (LONE_SURROGATE.test(stream)) return 'is not valid Unicode';
  if (Buffer.byteLength(stream) > MAX_STREAM_BYTES) return `is longer than ${MAX_STREAM_BYTES} bytes`;
  return undefined;
};

export const isStreamName = (stream: string): boolean => flawOfStreamName(stream) === undefined;

/** @throws InvalidAppend */
export const checkStreamName = (stream: string): void => {
  const flaw = flawOfStreamName(stream);
  if (flaw) throw new InvalidAppend(`stream name ${JSON.stringify(stream.slice(0, 200))} ${flaw}`);
};

/** Checks and serialises events. Returns a promise only if the work is long and must be sliced. @throws (or rejects with) InvalidAppend */
export const prepareAppend = (
  stream: string,
  events: readonly NewEvent[],
  slice: Slice = new TimeSlice(),
): readonly PreparedBlock[] | Promise<readonly PreparedBlock[]> => {
  checkStreamName(stream);
  if (events.length === 0) throw new InvalidAppend(`stream ${stream}: nothing to append`);
  if (events.length > 1 && new Set(events.map((event) => event.id.toLowerCase())).size < events.length) {
    throw new InvalidAppend(`stream ${stream}: the same event id twice in one append`);
  }
  const preparation = new Preparation(stream, events);
  while (preparation.hasMore) {
    preparation.addSome();
    if (preparation.hasMore && slice.isOver) return goOn(preparation, slice);
  }
  return preparation.blocks;
};

type Slice = Pick<TimeSlice, 'isOver' | 'next'>;

const goOn = async (preparation: Preparation, slice: Slice): Promise<readonly PreparedBlock[]> => {
  while (preparation.hasMore) {
    if (slice.isOver) await slice.next();
    preparation.addSome();
  }
  return preparation.blocks;
};

type OpenBlock = { events: NewEvent[]; texts: EventText[]; characters: number; metadata: EventMetadata | null; metadataText: string };

const emptyBlock = (): OpenBlock => ({ events: [], texts: [], characters: 0, metadata: null, metadataText: 'null' });

/** Distributes the events of an append to blocks. */
class Preparation {
  private block = emptyBlock();
  readonly blocks: PreparedBlock[] = [this.block];
  private next = 0;

  constructor(
    private readonly stream: string,
    private readonly events: readonly NewEvent[],
  ) {}

  get hasMore(): boolean {
    return this.next < this.events.length;
  }

  /** Adds events until about one block is full. */
  addSome(): void {
    for (let characters = 0; characters < BLOCK_CHARACTERS && this.hasMore; this.next++) {
      const event = this.events[this.next] as NewEvent;
      this.check(event);
      characters += this.add(event);
    }
  }

  /** Returns the length of the event's text. */
  private add(event: NewEvent): number {
    const text = this.textIn(this.block, event);
    const { length } = this.block.events;
    if (length > 0 && (length === BLOCK_EVENTS || this.block.characters + text.length > BLOCK_CHARACTERS)) {
      this.block = emptyBlock();
      this.blocks.push(this.block);
      return this.add(event);
    }
    this.block.events.push(event);
    this.block.texts.push(text);
    this.block.characters += text.length;
    return text.length;
  }

  /** The events of one command share their metadata. */
  private textIn(block: OpenBlock, event: NewEvent): EventText {
    try {
      if (block.events.length === 0) {
        block.metadata = event.metadata;
        block.metadataText = jsonText(event.metadata);
        block.characters = block.metadataText.length;
      }
      return eventText(event, event.metadata !== block.metadata);
    } catch (error) {
      throw new InvalidAppend(`stream ${this.stream}, event ${event.id}: the event is not JSON`, { cause: error });
    }
  }

  private check({ id, type }: NewEvent): void {
    const { stream } = this;
    if (typeof id !== 'string' || !UUID.test(id) || NIL_UUID.test(id))
      throw new InvalidAppend(`stream ${stream}: ${id} is not an event id`);
    if (typeof type !== 'string' || type === '') throw new InvalidAppend(`stream ${stream}, event ${id}: the type is empty`);
  }
}
