import { ReservedMessages } from '#api/messaging/cursors/reserved-messages.js';
import type { MessageSource } from '#api/messaging/messages/message-log.js';
import { type WireMessage, wireMessage } from '#api/messaging/messages/message-texts.js';
import { type AnswerReservation, LARGEST_READ } from '#api/shared/answers/answer-room.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';

/** Size of one read while memory is scarce. */
const PART_BYTES = 2 * 1024 * 1024;

/** Source of the messages of a pull, which may be scattered over the log; see {@link MessageSource}. */
export interface ScatteredSource<Message> {
  /** `null` if memory is short, or the client has gone. It does not wait for memory: others need the turn in which it is called. */
  page(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly Message[] | null>;
  passed?(topicId: string, offset: number): number;
  /** Waits for the memory of a first page that was `null`. Resolves with true once the page has it. `undefined` if memory was not the reason. */
  reserve?(): Promise<boolean> | undefined;
  /** Called if no message of the earlier pages is kept: before a wait for messages, and at the end. */
  dropped?(): void;
}

/** A message in the form for consumers; with its ordering key if the subscription is ordered. */
export type OrderedMessage = WireMessage & Readonly<{ orderingKey?: string }>;

/** Messages of a subscription that is ordered by their keys. */
export const ordered = (source: MessageSource<StoredMessage>): MessageSource<OrderedMessage> => ({
  page: async (topicId, from, limit, maxBytes) =>
    (await source.page(topicId, from, limit, maxBytes)).map((message) => {
      const { orderingKey } = message;
      return orderingKey === undefined ? wireMessage(message) : { ...wireMessage(message), orderingKey };
    }),
  ...(source.passed && { passed: source.passed.bind(source) }),
});

/** No page has more than 2 MiB, except for a single larger message. */
export const inParts = (source: MessageSource<StoredMessage>): ScatteredSource<StoredMessage> => ({
  page: (topicId, from, limit, maxBytes) => source.page(topicId, from, limit, Math.min(maxBytes, PART_BYTES)),
  ...(source.passed && { passed: source.passed.bind(source) }),
});

/** Messages for one answer. Only its first page waits for memory: two answers that hold some while waiting could block each other. */
export class PulledMessages implements ScatteredSource<OrderedMessage> {
  readonly passed?: (topicId: string, offset: number) => number;
  private begun = false;
  private isShort = false;

  constructor(
    private readonly source: MessageSource<OrderedMessage>,
    private readonly reservation: AnswerReservation,
    private readonly signal: AbortSignal,
  ) {
    if (source.passed) this.passed = source.passed.bind(source);
  }

  async page(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly OrderedMessage[] | null> {
    if (this.begun) return this.further(topicId, from, limit, Math.min(maxBytes, PART_BYTES));
    const messages = await new ReservedMessages(this.source, this.reservation).tryPage(topicId, from, limit, maxBytes);
    this.isShort = messages === null;
    this.begun = messages !== null && messages.length > 0;
    return this.signal.aborted ? null : messages;
  }

  reserve(): Promise<boolean> | undefined {
    return this.isShort ? this.reservation.reserve(LARGEST_READ) : undefined;
  }

  dropped(): void {
    this.reservation.release();
    this.begun = false;
  }

  private async further(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly OrderedMessage[] | null> {
    const messages = await this.reservation.read(() => this.source.page(topicId, from, limit, maxBytes));
    const size = messages?.reduce((sum, message) => sum + message.size, 0) ?? 0;
    return messages && this.reservation.tryAdd(size) ? messages : null;
  }
}
