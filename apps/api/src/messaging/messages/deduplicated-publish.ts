import { setTimeout as pause } from 'node:timers/promises';
import * as errors from '#api/messaging/errors.js';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import type { Message, MessagePublished } from '#domain/messaging/messages/message-events.js';
import type { KnownIds } from '#domain/messaging/messages/messages.js';
import { DomainError } from '#domain/shared/decider.js';
import type { OffsetQueries } from '#projections/messaging/traffic/queries.js';

type Topic = Readonly<{ projectId: string; topicId: string }>;

/** Maximum wait for read models to catch up with the latest messages. */
const LONGEST_WAIT_MS = 5_000;
const PAUSE_MS = 20;

const isBehind = (error: unknown): boolean => error instanceof DomainError && error.code === 'IDS_UNKNOWN';

/** Deduplication ids of messages, without duplicates. */
export const deduplicationIds = (messages: readonly Message[]): readonly string[] => [
  ...new Set(messages.flatMap(({ deduplicationId }) => deduplicationId ?? [])),
];

/**
 * Publishes with the known deduplication ids. Repeats that while the read models have not reached the ids stored meanwhile. @throws
 * MessagingError the read models are too far behind
 */
export const withKnownIds = async (
  offsets: OffsetQueries,
  topic: Topic,
  ids: readonly string[],
  publish: (known: KnownIds) => Promise<Outcome<MessagePublished>>,
  clock: () => number,
): Promise<Outcome<MessagePublished>> => {
  for (const end = performance.now() + LONGEST_WAIT_MS; ; ) {
    const known = await offsets.knownIds(topic, ids, clock());
    try {
      return await publish(known);
    } catch (error) {
      if (!isBehind(error)) throw error;
      if (performance.now() > end) throw errors.notReady();
      await pause(PAUSE_MS);
    }
  }
};

/**
 * Ids of the messages of a call: those of its own events, and those of earlier messages with the same deduplication id.
 * @param lookUp the offsets of earlier messages
 * @throws MessagingError an earlier message cannot be found yet
 */
export const messageIdsOf = async (
  messages: readonly Message[],
  { events }: Pick<Outcome<MessagePublished>, 'events'>,
  lookUp: (ids: readonly string[]) => Promise<KnownIds>,
): Promise<readonly string[]> => {
  const own = new Map<string, string>();
  const found: (string | undefined)[] = [];
  let next = 0;
  for (const { deduplicationId: id } of messages) {
    const event = events[next];
    const repeats = id !== undefined && (own.has(id) || event?.data.deduplicationId !== id);
    if (!repeats) {
      next += 1;
      if (id !== undefined && event) own.set(id, String(event.revision));
    }
    found.push(repeats ? own.get(id) : event && String(event.revision));
  }
  const missing = messages.flatMap(({ deduplicationId: id }, index) => (found[index] === undefined && id !== undefined ? [id] : []));
  const { offsets } = missing.length > 0 ? await lookUp([...new Set(missing)]) : { offsets: new Map<string, number>() };
  return messages.map(({ deduplicationId: id = '' }, index) => {
    const messageId = found[index] ?? offsets.get(id)?.toString();
    if (messageId === undefined) throw errors.notReady();
    return messageId;
  });
};
