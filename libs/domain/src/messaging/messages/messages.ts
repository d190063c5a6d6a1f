import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { Message, MessagePublished } from './message-events.js';

/**
 * Deduplication ids that the topic has got: `offsets` are those of the messages that have one of the ids asked for, of the last ten minutes, as far as
 * `upTo`, exclusive.
 */
export type KnownIds = Readonly<{ offsets: ReadonlyMap<string, number>; upTo: number }>;

/**
 * One publish call: all of it is stored, or nothing, but for messages whose deduplication id the topic has got already. `now`:
 * `YYYY-MM-DDTHH:MM:SS.sssZ`. `known` is needed where messages have such ids.
 */
type PublishMessages = Readonly<{
  type: 'PublishMessages';
  projectId: string;
  messages: readonly Message[];
  now: string;
  known?: KnownIds;
}>;

/** How long a deduplication id counts. */
export const DEDUPLICATION_MS = 600_000;
/** Ids that a state remembers, the newest; what came before is looked up. */
const MOST_IDS = 1_000;

/**
 * What is known of the newest messages. `last`: instant of the newest one, `null` when none is left. `ids`: all deduplication ids, oldest first, of the
 * messages from offset `from` on, `null` before the first.
 */
type Recent = { last: string | null; from: number | null; readonly ids: Map<string, Readonly<{ offset: number; time: number }>> };

/** Ids that are among those of the state, or known from before it. @throws DomainError `IDS_UNKNOWN` where there is a gap between the two */
const repeatedIds = ({ from, ids }: Recent, { messages, known }: PublishMessages, now: string): ReadonlySet<string> => {
  const repeated = new Set<string>();
  const since = Date.parse(now) - DEDUPLICATION_MS;
  for (const { deduplicationId: id } of messages) {
    if (id === undefined) continue;
    if (from !== null && (known === undefined || known.upTo < from)) throw new DomainError('IDS_UNKNOWN', { from });
    const recent = ids.get(id);
    if (recent ? recent.time > since : known?.offsets.has(id)) repeated.add(id);
  }
  return repeated;
};

/** The messages of a call without those that repeat an id, of before or of the call itself. */
const withoutRepeated = (messages: readonly Message[], repeated: ReadonlySet<string>): readonly Message[] => {
  const seen = new Set(repeated);
  return messages.filter(({ deduplicationId: id }) => id === undefined || (!seen.has(id) && seen.add(id)));
};

/**
 * Messages are independent facts; what is known of the newest ones keeps the times in the order of the ids, whatever the clocks of the nodes say (that
 * order is what a message is searched for by time with), and finds what is published twice. Rejects with `IDS_UNKNOWN` (details `from`) if the ids before
 * that offset have to be looked up.
 */
export const messages: Decider<Recent, PublishMessages, MessagePublished> = {
  window: 1,
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

/** Bytes of UTF-8; base64 has as many as characters. */
export const sizeOf = (text: string): number => Buffer.byteLength(text);

/** A rate (messaging contract 4.10): how many a second since the time before, both `YYYY-MM-DDTHH:MM:SS.sssZ`; the first time counts as a second. */
export const rateOf = (count: number, before: string | null, now: string): number => count / secondsBetween(before, now);

/** At least a millisecond, so that it can be divided by. */
export const secondsBetween = (before: string | null, now: string): number =>
  before === null ? 1 : Math.max(Date.parse(now) - Date.parse(before), 1) / 1_000;
