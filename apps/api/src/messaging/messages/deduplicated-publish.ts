import * as errors from '#api/messaging/errors.js';
import { whileBehind } from '#api/messaging/while-behind.js';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import type { Message, MessagePublished } from '#domain/messaging/messages/message-events.js';
import type { KnownIds } from '#domain/messaging/messages/messages.js';

/** Deduplication ids of messages, without duplicates. */
export const deduplicationIds = (messages: readonly Message[]): readonly string[] => [
  ...new Set(messages.flatMap(({ deduplicationId }) => deduplicationId ?? [])),
];

/**
 * Publishes with the known deduplication ids. Repeats that while the read models have not reached the ids stored meanwhile. @throws
 * MessagingError the read models are too far behind
 */
export const withKnownIds = (
  lookUp: () => Promise<KnownIds>,
  publish: (known: KnownIds) => Promise<Outcome<MessagePublished>>,
): Promise<Outcome<MessagePublished>> => whileBehind('IDS_UNKNOWN', async () => publish(await lookUp()));

/** `skipped`: offsets of the earlier messages that the command found; none if it was a repeat under an idempotency key. */
type Published = Outcome<MessagePublished> & Readonly<{ skipped: ReadonlyMap<string, number> }>;

/**
 * Ids of the messages of a call: those of its own events, and those of earlier messages with the same deduplication id. In a repeat under an
 * idempotency key the id of an earlier message is empty if it is no longer known.
 * @param lookUp the offsets of earlier messages; `before`: offset of the first message of the call, or after it
 * @throws MessagingError the read models do not show the call of which this is a repeat yet
 */
export const messageIdsOf = async (
  messages: readonly Message[],
  { events, readable, next, skipped }: Published,
  lookUp: (ids: readonly string[], before: number) => Promise<ReadonlyMap<string, number>>,
): Promise<readonly string[]> => {
  const found = idsIn(messages, { events, skipped });
  const missing = messages.flatMap(({ deduplicationId: id }, index) => (found[index] === undefined && id !== undefined ? [id] : []));
  if (missing.length === 0) return found.map((id = '') => id);
  if (!readable) throw errors.notReady();
  const earlier = await lookUp([...new Set(missing)], Number(events[0]?.revision ?? next ?? Number.POSITIVE_INFINITY));
  return messages.map(({ deduplicationId: id = '' }, index) => found[index] ?? earlier.get(id)?.toString() ?? '');
};

/** `undefined` for repeated messages that the command did not find. */
const idsIn = (
  messages: readonly Message[],
  { events, skipped }: Pick<Published, 'events' | 'skipped'>,
): readonly (string | undefined)[] => {
  const own = new Map<string, string>();
  let next = 0;
  return messages.map(({ deduplicationId: id }) => {
    const event = events[next];
    if (id !== undefined && (own.has(id) || event?.data.deduplicationId !== id)) return own.get(id) ?? skipped.get(id)?.toString();
    next += 1;
    if (id !== undefined && event) own.set(id, String(event.revision));
    return event && String(event.revision);
  });
};
