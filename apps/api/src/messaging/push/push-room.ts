import { Injectable } from '@nestjs/common';
import type { ScatteredSource } from '#api/messaging/deliveries/pulled-messages.js';
import { type MessageSource, textBytes } from '#api/messaging/messages/message-log.js';
import { type AnswerReservation, ContentRoom, LARGEST_READ } from '#api/shared/answers/answer-room.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';

/** Bytes of data after which a delivery ends; it has at least one message. */
export const MOST_BYTES = 1024 * 1024;
/** Smaller deliveries are counted as this many bytes: their connections need memory, too. */
const LEAST_BYTES = 32 * 1024;
/** Approximate overhead of an attribute: a message may have many, each of a few letters. */
const ATTRIBUTE_BYTES = 64;
/** Projects that can have a largest delivery in flight at the same time. */
const PROJECTS = 4;

/** Memory for the messages of all deliveries in flight. Projects have a share each. */
@Injectable()
export class PushRoom extends ContentRoom {
  constructor() {
    super({ all: PROJECTS * LARGEST_READ, share: LARGEST_READ });
  }
}

/**
 * Messages for one delivery. Pages are read by few deliveries at a time. If there is no memory for the first page, it is dropped, and read
 * again once there is. No page if the delivery has been given up, or there is no memory for a further one.
 */
export class PushedMessages implements ScatteredSource<StoredMessage> {
  readonly passed?: (topicId: string, offset: number) => number;
  private begun = false;

  constructor(
    private readonly source: MessageSource<StoredMessage>,
    private readonly reservation: AnswerReservation,
  ) {
    if (source.passed) this.passed = source.passed.bind(source);
  }

  /** Returns the memory of pages without a delivered message. */
  dropped(): void {
    this.reservation.release();
    this.begun = false;
  }

  async page(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly StoredMessage[] | null> {
    const { reservation } = this;
    const read = () => reservation.read(() => this.source.page(topicId, from, limit, maxBytes));
    const early = await read();
    if (!early || early.length === 0) return early ?? null;
    const bytes = Math.max(LEAST_BYTES, bytesOf(early));
    if (this.begun) return reservation.tryAdd(bytes) ? early : null;
    if (reservation.tryHold(bytes)) {
      this.begun = true;
      return early;
    }
    return (await reservation.reserve(bytes)) ? this.again(read) : null;
  }

  private async again(read: () => Promise<readonly StoredMessage[] | undefined>): Promise<readonly StoredMessage[] | null> {
    const page = await read();
    this.begun = page !== undefined && page.length > 0;
    this.reservation.hold(page && this.begun ? Math.max(LEAST_BYTES, bytesOf(page)) : 0);
    return page ?? null;
  }
}

const memoryOf = (message: StoredMessage): number => textBytes(message) + ATTRIBUTE_BYTES * Object.keys(message.attributes ?? {}).length;

const bytesOf = (messages: readonly StoredMessage[]): number => messages.reduce((sum, message) => sum + memoryOf(message), 0);
