import type { MessagePages } from '#api/messaging/messages/message-log.js';
import type { WireMessage } from '#api/messaging/messages/message-texts.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { HeldAnswer } from './held-answer.js';

/** Bytes of messages that are read at once: some milliseconds. */
const PART = 2 * 1024 * 1024;

const sizeOf = (messages: readonly WireMessage[]): number => messages.reduce((sum, { size }) => sum + size, 0);

/** Whether so few messages came that their size cannot be the reason: in the log each takes less than twice its text. */
const endsWith = (part: readonly WireMessage[], size: number): boolean => 2 * size + 300 * part.length < PART;

/**
 * Pages for one answer, read part by part: in slices, and no more than there is memory for. What is asked for without a bound comes whole; of anything else
 * there may be less, but always the first message. Nothing when the client has gone.
 */
export class AnswerPages implements MessagePages<WireMessage> {
  constructor(
    private readonly pages: MessagePages<WireMessage>,
    private readonly answer: HeldAnswer,
  ) {}

  async page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly WireMessage[]> {
    const most = maxBytes ?? Number.POSITIVE_INFINITY;
    const first = await this.firstPart(topicId, from, limit, most);
    let size = sizeOf(first);
    if (first.length === 0 || first.length >= limit || size >= most || endsWith(first, size)) return first;
    const messages = [...first];
    const slice = new TimeSlice(0);
    for (let last = messages.at(-1); last && messages.length < limit && size < most; last = messages.at(-1)) {
      await slice.next();
      const next = last.offset + 1;
      const part = await this.pages.page(topicId, next, limit - messages.length, Math.min(PART, most - size));
      if (part[0]?.offset !== next) break; // there are no more, or some have just expired
      const added = sizeOf(part);
      if (maxBytes === undefined) this.answer.holdAnyway(added);
      else if (!this.answer.tryHold(added)) break;
      messages.push(...part);
      size += added;
    }
    return messages;
  }

  private async firstPart(topicId: string, from: number, limit: number, most: number): Promise<readonly WireMessage[]> {
    const read = () => this.answer.read(() => this.pages.page(topicId, from, limit, Math.min(PART, most)));
    this.answer.empty();
    if (this.answer.isCrowded && !(await this.answer.hold(PART))) return [];
    const part = await read();
    const size = sizeOf(part);
    this.answer.empty();
    if (this.answer.tryHold(size)) return part;
    if (!(await this.answer.hold(size))) return [];
    const again = await read();
    const fitting: WireMessage[] = [];
    let left = size;
    for (const message of again) {
      left -= message.size;
      if (fitting.length > 0 && left < 0) break;
      fitting.push(message);
    }
    return fitting;
  }
}
