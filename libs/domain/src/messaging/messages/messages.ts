import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { Message, MessagePublished } from './message-events.js';

/**
 * Deduplication ids already used in the topic. `offsets`: offset of the message with each requested id, among those of the last ten minutes before
 * offset `upTo` (exclusive).
 */
export type KnownIds = Readonly<{ offsets: ReadonlyMap<string, number>; upTo: number }>;

/** `skipped`: the decision puts the offsets of the earlier messages there whose ids are repeated. */
export type PublishedIds = Readonly<{ known?: KnownIds; skipped?: Map<string, number> }>;

/**
 * One publish call. All messages are stored, or none, except that messages with a repeated deduplication id are skipped. `now`:
 * `YYYY-MM-DDTHH:MM:SS.sssZ`. `known`: required if messages have deduplication ids.
 */
type PublishMessages = Readonly<{
  type: 'PublishMessages';
  projectId: string;
  messages: readonly Message[];
  now: string;
}> &
  PublishedIds;

/** Validity of a deduplication id. */
export const DEDUPLICATION_MS = 600_000;
/** Maximum number of ids in a state, the newest ones. Older ids are looked up. */
const MOST_IDS = 1_000;

/**
 * State of the newest messages. `last`: instant of the newest one, `null` if there is none. `ids`: all deduplication ids of the messages from offset
 * `from` on, oldest first. `from`: `null` before the first.
 */
type Recent = { last: string | null; from: number | null; readonly ids: Map<string, Readonly<{ offset: number; time: number }>> };

/** Offsets of the ids that the state or the lookup contains. @throws DomainError `IDS_UNKNOWN` if there is a gap between the two */
const repeatedIds = (
  { from, ids }: Recent,
  { messages, known, skipped: repeated = new Map() }: PublishMessages,
  now: string,
): ReadonlyMap<string, number> => {
  repeated.clear(); // a command may be decided again
  const since = Date.parse(now) - DEDUPLICATION_MS;
  for (const { deduplicationId: id } of messages) {
    if (id === undefined) continue;
    if (from !== null && (known === undefined || known.upTo < from)) throw new DomainError('IDS_UNKNOWN', { from });
    const recent = ids.get(id);
    const offset = recent ? (recent.time > since ? recent.offset : undefined) : known?.offsets.get(id);
    if (offset !== undefined) repeated.set(id, offset);
  }
  return repeated;
};

/** The messages of a call without those that repeat an id of an earlier message or of the call itself. */
const withoutRepeated = (messages: readonly Message[], repeated: ReadonlyMap<string, number>): readonly Message[] => {
  const seen = new Set(repeated.keys());
  return messages.filter(({ deduplicationId: id }) => id === undefined || (!seen.has(id) && seen.add(id)));
};

/**
 * Messages are independent facts. The state keeps publish times in the order of the offsets, even if the clocks of the nodes differ (searching by
 * time relies on that order), and detects repeated messages. Rejects with `IDS_UNKNOWN` (details `from`) if ids before that offset have to be looked
 * up.
 */
export const messages: Decider<Recent, PublishMessages, MessagePublished> = {
  window: 1,
  keepsKeys: true,
  weigh: ({ ids }) => 4 * ids.size,
  initialState: () => ({ last: null, from: null, ids: new Map() }),
  decide: (command, state) => {
    const { projectId, now } = command;
    const publishTime = state.last !== null && state.last > now ? state.last : now;
    const isPlain = command.messages.every(({ deduplicationId }) => deduplicationId === undefined);
    const fresh = isPlain ? command.messages : withoutRepeated(command.messages, repeatedIds(state, command, publishTime));
    return fresh.map(({ data, attributes, orderingKey, deduplicationId }) => ({
      type: 'MessagePublished',
      data: {
        projectId,
        publishTime,
        data,
        ...(attributes === undefined ? {} : { attributes }),
        ...(orderingKey === undefined ? {} : { orderingKey }),
        ...(deduplicationId === undefined ? {} : { deduplicationId }),
      },
    }));
  },
  evolve: (state, { data: { publishTime, deduplicationId: id } }, revision = 0n) => {
    state.last = publishTime;
    state.from ??= Number(revision);
    if (id !== undefined) {
      state.ids.delete(id);
      state.ids.set(id, { offset: Number(revision), time: Date.parse(publishTime) });
      forgetOldest(state);
    }
    return state;
  },
};

const forgetOldest = (state: Recent): void => {
  const { ids } = state;
  if (ids.size <= MOST_IDS) return;
  const [oldest] = ids;
  if (!oldest) return;
  const [id, { offset }] = oldest;
  ids.delete(id);
  state.from = Math.max(state.from ?? 0, offset + 1);
};

/** Bytes in UTF-8. For base64 this is the number of characters. */
export const sizeOf = (text: string): number => Buffer.byteLength(text);

/** A rate (messaging contract 4.10): messages per second since `before`, one second by default. Both times are `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export const rateOf = (count: number, before: string | null, now: string): number => count / secondsBetween(before, now);

/** At least a millisecond, to avoid division by zero. */
export const secondsBetween = (before: string | null, now: string): number =>
  before === null ? 1 : Math.max(Date.parse(now) - Date.parse(before), 1) / 1_000;
