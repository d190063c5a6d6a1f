import type { MessageSource } from '#api/messaging/messages/message-log.js';
import type { WireMessage } from '#api/messaging/messages/message-texts.js';
import { type AnswerReservation, LARGEST_READ } from '#api/shared/answers/answer-room.js';
import { TimeSlice } from '#domain/shared/time-slice.js';

/** Size of one read, which takes some milliseconds. */
const PART_BYTES = 2 * 1024 * 1024;

const sizeOf = (messages: readonly WireMessage[]): number => messages.reduce((sum, { size }) => sum + size, 0);

/** Returns whether so few messages came that size cannot be the reason: in the log each takes less than twice its text. */
const isLastPart = (part: readonly WireMessage[], size: number): boolean => 2 * size + 300 * part.length < PART_BYTES;

/**
 * Messages for one answer. They are read part by part, in slices, as far as memory can be reserved. Without `maxBytes` all of them are
 * read; otherwise there may be fewer, but at least the first one. Empty if the client has gone.
 */
export class ReservedMessages<Message extends WireMessage> implements MessageSource<Message> {
  readonly passed?: (topicId: string, offset: number) => number;

  constructor(
    private readonly source: MessageSource<Message>,
    private readonly reservation: AnswerReservation,
  ) {
    if (source.passed) this.passed = source.passed.bind(source);
  }

  async page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly Message[]> {
    const { reservation } = this;
    reservation.release();
    const early = await this.tryPage(topicId, from, limit, maxBytes);
    if (early) return early;
    if (!(await reservation.reserve(LARGEST_READ))) return [];
    const page = (await this.tryPage(topicId, from, limit, maxBytes)) ?? [];
    if (page.length === 0) reservation.release();
    return page;
  }

  /** The same without a wait: `null` if no memory is reserved and none is free for the first part. */
  async tryPage(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly Message[] | null> {
    const most = maxBytes ?? Number.POSITIVE_INFINITY;
    const first = await this.firstPart(topicId, from, limit, most);
    if (!first) return null;
    let size = sizeOf(first);
    if (first.length === 0 || first.length >= limit || size >= most || isLastPart(first, size)) return first;
    const messages = [...first];
    const slice = new TimeSlice(0);
    for (let last = messages.at(-1); last && messages.length < limit && size < most; last = messages.at(-1)) {
      await slice.next();
      const next = last.offset + 1;
      const part = await this.read(topicId, next, limit - messages.length, most - size);
      const [begun] = part;
      if (!begun || (begun.offset !== next && !this.passed)) break; // there are no more, or some have just expired
      const added = sizeOf(part);
      if (maxBytes === undefined) this.reservation.add(added);
      else if (!this.reservation.tryAdd(added)) break;
      messages.push(...part);
      size += added;
    }
    return messages;
  }

  /** `undefined` if its memory has to be waited for. V8 keeps all locals of a function that waits, so this one does not. */
  private async firstPart(topicId: string, from: number, limit: number, most: number): Promise<readonly Message[] | undefined> {
    const { reservation } = this;
    const isReserved = reservation.isHeld;
    // Many calls may wait for their read. Once there is no more memory, what the others read would be dropped.
    const part = await reservation.read(async () =>
      reservation.isContended && !isReserved ? undefined : this.part(topicId, from, limit, most),
    );
    if (!isReserved) return part && reservation.tryHold(sizeOf(part)) ? part : undefined;
    const size = sizeOf(part ?? []);
    if (size > 0 && !reservation.tryHold(size)) reservation.hold(size); // an empty part keeps the memory: the caller may look again
    return part ?? [];
  }

  private async read(topicId: string, from: number, limit: number, most: number): Promise<readonly Message[]> {
    return (await this.reservation.read(() => this.part(topicId, from, limit, most))) ?? [];
  }

  private part(topicId: string, from: number, limit: number, most: number): Promise<readonly Message[]> {
    return this.source.page(topicId, from, limit, Math.min(PART_BYTES, most));
  }
}
