import type { Decider } from '#domain/shared/decider.js';
import type { Message, MessagePublished } from './message-events.js';

/** One publish call: all of it is stored, or nothing. `now`: `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type PublishMessages = Readonly<{ type: 'PublishMessages'; projectId: string; messages: readonly Message[]; now: string }>;

/** Instant of the newest message, `null` when none is left. */
type LastPublish = string | null;

/**
 * Messages are independent facts; what is known of the newest one only keeps the times in the order of the ids, whatever the clocks of the
 * nodes say: that order is what a message is searched for by time with.
 */
export const messages: Decider<LastPublish, PublishMessages, MessagePublished> = {
  window: 1,
  initialState: () => null,
  decide: (command, last) => {
    const { projectId, now } = command;
    const publishTime = last !== null && last > now ? last : now;
    return command.messages.map(({ data, attributes }) => ({
      type: 'MessagePublished',
      data: { projectId, publishTime, data, ...(attributes === undefined ? {} : { attributes }) },
    }));
  },
  evolve: (_last, { data }) => data.publishTime,
};

const encoder = new TextEncoder();
/** Where texts are encoded only to be measured. */
const measure = new Uint8Array(64 * 1024);

/** Characters that are measured at once: a UTF-16 unit is at most 3 bytes. */
const MEASURED = Math.floor(measure.length / 3);

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Bytes of UTF-8; base64 has as many as characters. */
export const sizeOf = (text: string): number => {
  if (text.length <= MEASURED) return encoder.encodeInto(text, measure).written;
  let size = 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + MEASURED, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    size += encoder.encodeInto(text.slice(at, end), measure).written;
    at = end;
  }
  return size;
};

/** A rate (messaging contract 4.10): how many a second since the time before, both `YYYY-MM-DDTHH:MM:SS.sssZ`; the first time counts as a second. */
export const rateOf = (count: number, before: string | null, now: string): number => count / secondsBetween(before, now);

/** At least a millisecond, so that it can be divided by. */
export const secondsBetween = (before: string | null, now: string): number =>
  before === null ? 1 : Math.max(Date.parse(now) - Date.parse(before), 1) / 1_000;
