import { Inject, Injectable } from '@nestjs/common';
import type { Deliverable, StoredMessage } from '#api/shared/messaging-client.js';
import { DECODE, EVENT_STORE, READS_ONLY } from '#api/shared/tokens.js';
import { type MessagePublished, messagesStream } from '#domain/messaging/messages/message-events.js';
import { sizeOf } from '#domain/messaging/messages/messages.js';
import { causeOf } from '#domain/shared/causation.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Actor } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type DecodeEvents, readableEvents } from '#infra/stores/event-codec/readable-events.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';

/** Source of the messages of topics, in some form. */
export interface MessageSource<Message extends Deliverable> {
  /**
   * Messages from an offset on, in order; later ones if that one has expired. At least one if there is any. The page ends with the message
   * that reaches `maxBytes`; default no bound.
   */
  page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly Message[]>;
  /**
   * For a source that passes over messages: the first offset from this one on that may have another, as far as it searched. If a page has
   * fewer messages than requested, the source has searched long enough, or there are no more.
   */
  passed?(topicId: string, offset: number): number;
}

/** `min`: offset of the oldest stored message. `max`: offset that the next message will get. Equal if there are no messages. */
type LogBounds = Readonly<{ min: number; max: number }>;

/** A message with its publisher. */
export type AuthoredMessage = Readonly<{ message: StoredMessage; author: Actor }>;

type AuthoredRead = Readonly<{ from: number; direction: 'forwards' | 'backwards'; limit: number; maxBytes?: number }>;

/** Bytes of all texts of a message that are delivered; `bytes` are those of its data only. Less than those of its JSON. */
export const textBytes = ({ bytes, attributes = {}, orderingKey = '' }: StoredMessage): number => {
  let sum = bytes + sizeOf(orderingKey);
  for (const [key, value] of Object.entries(attributes)) sum += sizeOf(key) + sizeOf(value);
  return sum;
};

/** Empty for an event that another program wrote in place of a message. */
const messageIn = (event: ProjectedEvent): readonly StoredMessage[] => {
  const message = event.data as MessagePublished['data'];
  const isMessage = typeof message.data === 'string' && typeof message.publishTime === 'string';
  return isMessage ? [{ ...message, offset: Number(event.revision), bytes: sizeOf(message.data), cause: causeOf(event) }] : [];
};

/** Messages of topics, read directly from the log (messaging contract 4.2). Topics are given by id. */
@Injectable()
export class MessageLog implements MessageSource<StoredMessage> {
  constructor(
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(DECODE) private readonly decode: DecodeEvents,
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'nextOffset'>,
    @Inject(READS_ONLY) private readonly readsOnly = false,
  ) {}

  async page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly StoredMessage[]> {
    const found = await this.events.readStream(messagesStream(topicId), { from: BigInt(from), limit, ...(maxBytes && { maxBytes }) });
    const messages = (await readableEvents(this.decode, found)).flatMap((event) => (event ? messageIn(event) : []));
    const last = found.at(-1);
    return last && messages.length === 0 ? this.page(topicId, Number(last.revision) + 1, limit, maxBytes) : messages;
  }

  /** Messages in either direction from an offset on, each with its publisher. Bounds as for {@link page}. */
  async authored(topicId: string, { from, ...options }: AuthoredRead): Promise<readonly AuthoredMessage[]> {
    const found = await this.events.readStream(messagesStream(topicId), { from: BigInt(from), ...options });
    const readable = await readableEvents(this.decode, found);
    return found.flatMap(({ metadata: { actor } }, at) => {
      const event = readable[at];
      return event ? messageIn(event).map((message) => ({ message, author: actor })) : [];
    });
  }

  /** Publisher of a message; `undefined` if there is none at this offset. */
  async author(topicId: string, offset: number): Promise<Actor | undefined> {
    const [found] = await this.events.readStream(messagesStream(topicId), { from: BigInt(offset), limit: 1 });
    return Number(found?.revision) === offset ? found?.metadata.actor : undefined;
  }

  /** The offset that the next message will get. It includes messages that another node has just stored. */
  async head(topicId: string): Promise<number> {
    const [counted, [last]] = await Promise.all([
      this.offsets.nextOffset(topicId),
      this.events.readStream(messagesStream(topicId), { direction: 'backwards', limit: 1 }),
    ]);
    return last ? Math.max(counted, Number(last.revision) + 1) : counted;
  }

  /** @param topicId `null` if there is no topic, which means an empty log */
  async bounds(topicId: string | null): Promise<LogBounds> {
    if (topicId === null) return { min: 0, max: 0 };
    // First: a message that is published meanwhile must not count as expired. The past does not change, and is read forwards only.
    const max = await (this.readsOnly ? this.offsets.nextOffset(topicId) : this.head(topicId));
    const [first] = await this.page(topicId, 0, 1);
    return first ? { min: first.offset, max: Math.max(max, first.offset + 1) } : { min: max, max };
  }

  /** Offset of the first message published at or after `instant`, `YYYY-MM-DDTHH:MM:SS.sssZ`; `undefined` if there is none. */
  async firstSince(topicId: string, instant: string): Promise<number | undefined> {
    const { offset, end } = await this.search(topicId, instant);
    return offset < end ? offset : undefined;
  }

  /** Like {@link firstSince}. If there is none, the end of the log before the search: messages published meanwhile are not before it. */
  async placeSince(topicId: string, instant: string): Promise<number> {
    return (await this.search(topicId, instant)).offset;
  }

  private async search(topicId: string, instant: string): Promise<Readonly<{ offset: number; end: number }>> {
    const { min, max } = await this.bounds(topicId);
    let [low, high] = [min, max];
    const slice = new TimeSlice();
    while (low < high) {
      if (slice.isOver) await slice.next(); // messages may be large
      const middle = Math.floor((low + high) / 2);
      const [message] = await this.page(topicId, middle, 1);
      // A later one if that one has just expired: everything before it is too old.
      if (!message || message.publishTime >= instant) high = middle;
      else low = message.offset + 1;
    }
    return { offset: low, end: max };
  }
}
