import type { Deliverable } from '#api/shared/messaging-client.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ScatteredSource } from './pulled-messages.js';
import type { ServedSubscription } from './served-subscription.js';

/** A message with the members that deliveries need; with its key if the subscription is ordered. */
export type Candidate = Deliverable & Readonly<{ orderingKey?: string }>;

/** A message that is leased to the caller. `seeks`: number of calls that had moved the subscription. */
export type Delivered<Message> = Readonly<{ message: Message; attempt: number; seeks: number }>;

type Reading<Message> = Readonly<{
  served: Pick<ServedSubscription, 'leases' | 'seeks' | 'expire'>;
  topicId: string;
  source: ScatteredSource<Message>;
}>;

/** Maximum gap between two wanted messages in one read: reading so many more costs less than a second read of the log. */
const MOST_BETWEEN = 16;
/** Messages of one read. */
const MOST_AT_ONCE = 1_000;

/** Messages found for deliveries. `isWhole`: false if not all were read, because they are too large or memory is short. */
type Read<Message> = Readonly<{ found: readonly Delivered<Message>[]; isWhole: boolean }>;

/** Reads the messages of leased deliveries. Deliveries of expired messages are settled; unread ones are taken back. */
export const readLeased = async <Message extends Candidate>(
  reading: Reading<Message>,
  leased: readonly Delivery[],
  most: number,
  known: Map<number, Message>,
): Promise<Read<Message>> => {
  try {
    return await readAll(reading, leased, most, known);
  } catch (error) {
    reading.served.leases.takeBack(leased);
    throw error;
  }
};

const readAll = async <Message extends Candidate>(
  reading: Reading<Message>,
  leased: readonly Delivery[],
  most: number,
  known: Map<number, Message>,
): Promise<Read<Message>> => {
  const { served, topicId, source } = reading;
  const found: Delivered<Message>[] = [];
  const expired: Delivery[] = [];
  const slice = new TimeSlice();
  const passed = (offset: number): number => source.passed?.(topicId, offset) ?? offset;
  let [at, left] = [0, most];
  while (at < leased.length && left > 0) {
    const run = runAt(leased, at, known, passed);
    const shown = await readRun(reading, run, left, known);
    if (slice.isOver) await slice.next();
    const covered = run.filter(({ offset }) => offset < shown.end);
    if (covered.length === 0) break; // no memory for them, or counters are behind the log
    const messages = new Map(shown.page.map((message) => [message.offset, message]));
    for (const delivery of covered) {
      const message = messages.get(delivery.offset);
      if (message) found.push({ message, attempt: delivery.attempt, seeks: served.seeks });
      else expired.push(delivery);
    }
    left -= shown.page.reduce((sum, { bytes }) => sum + bytes, 0); // of all messages read
    at += covered.length;
  }
  served.leases.takeBack(leased.slice(at));
  if (expired.length > 0) await served.expire(expired);
  return { found, isWhole: at === leased.length };
};

/** A page with the messages of neighbouring deliveries, and the end of the part of the log that it covers. */
const readRun = async <Message extends Candidate>(
  { topicId, source }: Reading<Message>,
  run: readonly Delivery[],
  most: number,
  known: Map<number, Message>,
): Promise<Readonly<{ page: readonly Message[]; end: number }>> => {
  const [from, to] = [run[0]?.offset ?? 0, run.at(-1)?.offset ?? 0];
  const one = known.get(from);
  known.delete(from);
  if (one) return { page: [one], end: from + 1 };
  // A source that passes over messages counts only those that it finds.
  const page = await source.page(topicId, from, source.passed ? run.length : to + 1 - from, most);
  if (page === null) return { page: [], end: from };
  const last = page.at(-1)?.offset;
  if (source.passed) return { page, end: source.passed(topicId, (last ?? from - 1) + 1) };
  return { page, end: last === undefined ? Number.POSITIVE_INFINITY : last + 1 };
};

/** Deliveries of neighbouring messages, to be read together; a single one if its message is already known. */
const runAt = (
  leased: readonly Delivery[],
  at: number,
  known: ReadonlyMap<number, unknown>,
  passed: (offset: number) => number,
): readonly Delivery[] => {
  const first = leased[at];
  if (!first) return [];
  let end = at + 1;
  let read = 1;
  if (!known.has(first.offset))
    for (let last = first, next = leased[end]; next; next = leased[end]) {
      const between = next.offset - passed(last.offset + 1);
      read += between + 1;
      if (between >= MOST_BETWEEN || read > MOST_AT_ONCE || known.has(next.offset)) break;
      last = next;
      end += 1;
    }
  return leased.slice(at, end);
};
