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
/** Waits of one delivery: for its turn to read, and for the memory of its messages, which may have become more meanwhile. */
const MOST_WAITS = 2;

type Read = () => Promise<readonly StoredMessage[]>;

/** Memory for the messages of all deliveries in flight. Projects have a share each. */
@Injectable()
export class PushRoom extends ContentRoom {
  constructor() {
    super({ all: PROJECTS * LARGEST_READ, share: LARGEST_READ });
  }
}

/** A page, after waits for its memory. `null` if the delivery has been given up, or there is no memory for a further page. */
export const waitedPage = async (
  source: ScatteredSource<StoredMessage>,
  ...wanted: Parameters<ScatteredSource<StoredMessage>['page']>
): Promise<readonly StoredMessage[] | null> => {
  for (;;) {
    const page = await source.page(...wanted);
    if (page || !(await source.reserve?.())) return page;
  }
};

/**
 * Messages for one delivery. Pages are read by few deliveries at a time. If there is no memory for the first page, it is dropped, to be read
 * again once there is; it is not read while others wait. No page if the delivery has been given up, or there is no memory for it.
 */
export class PushedMessages implements ScatteredSource<StoredMessage> {
  readonly passed?: (topicId: string, offset: number) => number;
  private begun = false;
  /** Bytes that the last page lacked. */
  private lacking = 0;
  /** Waits for the memory of the first page. */
  private waits = 0;

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
    this.waits = 0;
  }

  async page(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly StoredMessage[] | null> {
    const read = () => this.source.page(topicId, from, limit, maxBytes);
    if (this.begun) return this.further(read);
    const found = await this.attempt(read, this.waits === MOST_WAITS);
    this.lacking = typeof found === 'number' ? found : 0;
    if (typeof found === 'number') return null;
    this.waits = 0;
    return found;
  }

  reserve(): Promise<boolean> | undefined {
    if (this.lacking === 0) return undefined;
    this.waits += 1;
    return this.reservation.reserve(this.lacking);
  }

  /** A page that there is memory for, otherwise the number of bytes to wait for. The last attempt takes them, free or not. */
  private async attempt(read: Read, isLast: boolean): Promise<readonly StoredMessage[] | null | number> {
    const { reservation } = this;
    // Once others wait, a page without memory would be dropped.
    const page = await reservation.read(async () => (reservation.isHeld || !reservation.isContended ? read() : LEAST_BYTES));
    if (page === undefined || typeof page === 'number') return page ?? null;
    const bytes = page.length > 0 ? Math.max(LEAST_BYTES, bytesOf(page)) : 0;
    if (isLast) reservation.hold(bytes);
    else if (!reservation.tryHold(bytes)) return bytes;
    this.begun = page.length > 0;
    return page;
  }

  private async further(read: Read): Promise<readonly StoredMessage[] | null> {
    const page = await this.reservation.read(read);
    if (!page || page.length === 0) return page ?? null;
    return this.reservation.tryAdd(Math.max(LEAST_BYTES, bytesOf(page))) ? page : null;
  }
}

const memoryOf = (message: StoredMessage): number => textBytes(message) + ATTRIBUTE_BYTES * Object.keys(message.attributes ?? {}).length;

const bytesOf = (messages: readonly StoredMessage[]): number => messages.reduce((sum, message) => sum + memoryOf(message), 0);
