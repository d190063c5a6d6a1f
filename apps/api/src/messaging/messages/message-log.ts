import { type MessagePublished, messagesStream } from '#domain/messaging/messages/message-events.js';
import { sizeOf } from '#domain/messaging/messages/messages.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { DecodeEvents } from '#infra/projection-runner/apply-batch.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { OffsetQueries } from '#projections/messaging/traffic/queries.js';

/** A message that can be delivered: its place in the log of its topic, and the size of its `data`. */
export type Deliverable = Readonly<{ offset: number; bytes: number }>;

/** A message as it was published. */
export type StoredMessage = MessagePublished['data'] & Deliverable;

/** The messages of topics in some form. */
export interface MessagePages<Message extends Deliverable> {
  /** Messages from an offset on, in order; later ones when that has expired. At least one if there is any; no more once they hold `maxBytes`. */
  page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly Message[]>;
}

/** `min`: offset of the oldest message that is kept; `max`: the one that the next message gets. Equal when there are none. */
export type LogBounds = Readonly<{ min: number; max: number }>;

export type MessageLogParts = Readonly<{ events: Pick<EventStore, 'readStream'>; decode: DecodeEvents; offsets: OffsetQueries }>;

/** The messages of topics, read straight from the log (messaging contract 4.2). A topic is given by its id. */
export class MessageLog implements MessagePages<StoredMessage> {
  constructor(private readonly parts: MessageLogParts) {}

  async page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly StoredMessage[]> {
    const { events, decode } = this.parts;
    const found = await events.readStream(messagesStream(topicId), { from: BigInt(from), limit, ...(maxBytes && { maxBytes }) });
    const decoded = await decode(found);
    // The catalogue knows no other events in these streams.
    return decoded.map(({ data, revision }) => {
      const message = data as unknown as MessagePublished['data'];
      return { ...message, offset: Number(revision), bytes: sizeOf(message.data) };
    });
  }

  /** The offset that the next message gets, also right for what another node has just stored. */
  async head(topicId: string): Promise<number> {
    const [counted, [last]] = await Promise.all([
      this.parts.offsets.nextOffset(topicId),
      this.parts.events.readStream(messagesStream(topicId), { direction: 'backwards', limit: 1 }),
    ]);
    return last ? Math.max(counted, Number(last.revision) + 1) : counted;
  }

  async bounds(topicId: string): Promise<LogBounds> {
    const [max, [first]] = await Promise.all([this.parts.offsets.nextOffset(topicId), this.page(topicId, 0, 1)]);
    return first ? { min: first.offset, max: Math.max(max, first.offset + 1) } : { min: max, max };
  }

  /** Offset of the first message published at or after an instant `YYYY-MM-DDTHH:MM:SS.sssZ`; nothing when there is none. */
  async firstSince(topicId: string, instant: string): Promise<number | undefined> {
    const { min, max } = await this.bounds(topicId);
    let [low, high] = [min, max];
    const slice = new TimeSlice();
    while (low < high) {
      if (slice.isOver) await slice.next(); // messages may be large
      const middle = Math.floor((low + high) / 2);
      const [message] = await this.page(topicId, middle, 1);
      // Later than asked for when that one has expired just now: whatever lies before it is too old.
      if (!message || message.publishTime >= instant) high = middle;
      else low = message.offset + 1;
    }
    return low < max ? low : undefined;
  }
}
