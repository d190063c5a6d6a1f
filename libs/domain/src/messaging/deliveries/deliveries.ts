import { cursorIn, type SubscriptionRef, soughtTo, startingCursor } from '#domain/messaging/cursors/cursor.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { DeliveryEvent, WholeDeliveries } from './delivery-events.js';
import { addRange, covers, dropBefore, pairsOf, type Ranges } from './ranges.js';

/** Messages that are leased, wait for their next delivery or for an earlier one of their key, at most. */
export const MOST_HELD = 10_000;
/** Messages that came back after the subscription was moved are remembered beside those that are held. */
const MOST_ATTEMPTS = 2 * MOST_HELD;

/** Changes between two records of the whole state. */
const CHANGES_BETWEEN_RECORDS = 200;

/** An hour: of pulls that deliver nothing, no more is recorded. */
const USED_AGAIN_MS = 3_600_000;

/** Totals of what pulls have delivered. */
export type CursorProgress = Pick<Cursor, 'messages' | 'bytes' | 'lastPull' | 'rate'>;

type State = {
  server: string;
  cursor: Cursor;
  readonly settled: Ranges;
  readonly attempts: Map<number, number>;
  /** Since the whole state was recorded. */
  changes: number;
};

/** `settled`: ranges; `returned`: offsets of messages that came back, each followed by how often they have been delivered. */
export type DeliveryAction =
  /** From now on the process `server` serves the subscription. */
  | Readonly<{ type: 'ServeDeliveries' }>
  /** `seeks`: how often the subscription had been moved when the messages were delivered. */
  | Readonly<{
      type: 'SettleDeliveries';
      settled: readonly number[];
      returned: readonly number[];
      handed: CursorProgress;
      deadLettered?: number;
      seeks?: number;
    }>
  /** `min`, `max`: bounds of the log, inclusive. */
  | Readonly<{ type: 'SeekDeliveries'; offset: number; min: number; max: number; returned: readonly number[]; handed: CursorProgress }>;

export type DeliveryCommand = SubscriptionRef & Readonly<{ server: string }> & DeliveryAction;

const stateAt = (server: string, cursor: Cursor): State => ({ server, cursor, settled: [], attempts: new Map(), changes: 0 });

const stateOf = ({ server, cursor, settled, attempts }: WholeDeliveries): State => ({
  server,
  cursor,
  settled: [...settled],
  attempts: new Map(pairsOf(attempts)),
  changes: 0,
});

/** In the log of the topic that there is now: of one that was created anew, everything is to be delivered, as after a move. */
const stateIn = (state: State, topicId: string | null): State => {
  const cursor = cursorIn(state.cursor, topicId);
  return cursor === state.cursor ? state : stateAt(state.server, { ...cursor, seeks: (cursor.seeks ?? 0) + 1 });
};

/** Where everything before it is settled, once these ranges are. */
const floorWith = ({ cursor, settled }: State, more: readonly number[]): number => {
  const all = [...settled];
  addRange(all, 0, cursor.offset);
  for (const [from, to] of pairsOf(more)) addRange(all, from, to);
  return all[0] === 0 ? (all[1] ?? cursor.offset) : cursor.offset;
};

const isSettled = ({ cursor, settled }: State, from: number, to: number): boolean => covers(settled, Math.max(from, cursor.offset), to);

const attemptsFrom = (attempts: ReadonlyMap<number, number>, returned: readonly number[], offset: number): number[] => {
  const known = new Map(attempts);
  for (const [at, count] of pairsOf(returned)) known.set(at, Math.max(count, known.get(at) ?? 0));
  return [...known]
    .filter(([at]) => at >= offset)
    .sort(([a], [b]) => a - b)
    .slice(0, MOST_ATTEMPTS)
    .flat();
};

const moved = (cursor: Cursor, offset: number, handed: CursorProgress): Cursor => ({ ...cursor, ...handed, offset });

/** Whether it is worth an event that somebody has asked for messages: subscriptions that nobody uses may expire. */
const wasUsedAgain = ({ lastPull: before }: Cursor, { lastPull }: CursorProgress): boolean =>
  lastPull !== null && (before === null || Date.parse(lastPull) - Date.parse(before) >= USED_AGAIN_MS);

type Settling = Extract<DeliveryCommand, { type: 'SettleDeliveries' }>;

const settling = (
  state: State,
  { subscriptionId, projectId, handed, deadLettered = 0, seeks = 0, ...command }: Settling,
): readonly DeliveryEvent[] => {
  const { cursor, server, attempts } = state;
  if (seeks !== (cursor.seeks ?? 0)) throw new DomainError('NOT_SERVED'); // what was delivered before a move is to be delivered again
  const settled = [...pairsOf(command.settled)].filter(([from, to]) => !isSettled(state, from, to)).flat();
  const returned = [...pairsOf(command.returned)]
    .filter(([at, count]) => count > (attempts.get(at) ?? 0) && !isSettled(state, at, at + 1))
    .flat();
  if (settled.length === 0 && returned.length === 0 && !wasUsedAgain(cursor, handed)) return [];
  const ids = { subscriptionId, projectId };
  const next = moved(cursor, floorWith(state, settled), handed);
  const change: DeliveryEvent = {
    type: 'DeliveriesSettled',
    data: { ...ids, cursor: next, settled, attempts: returned, ...(deadLettered > 0 && { deadLettered }) },
  };
  if (state.changes < CHANGES_BETWEEN_RECORDS) return [change];
  const whole = { ...ids, server, cursor, settled: [...state.settled], attempts: [...attempts].flat() };
  return [{ type: 'DeliveriesRecorded', data: whole }, change];
};

/** Forgets the attempts of what is settled. */
const forget = (attempts: Map<number, number>, from: number, to: number): void => {
  if (to - from < attempts.size) for (let offset = from; offset < to; offset++) attempts.delete(offset);
  else for (const offset of attempts.keys()) if (offset >= from && offset < to) attempts.delete(offset);
};

/** Changes the state in place: it may have many ranges. */
const settle = (state: State, { cursor, settled, attempts }: Extract<DeliveryEvent, { type: 'DeliveriesSettled' }>['data']): State => {
  for (const [from, to] of pairsOf(settled)) {
    addRange(state.settled, from, to);
    forget(state.attempts, from, to);
  }
  dropBefore(state.settled, cursor.offset);
  for (const [offset, count] of pairsOf(attempts)) state.attempts.set(offset, count);
  state.cursor = cursor;
  state.changes += 1;
  return state;
};

/**
 * What became of the messages of a subscription: which are settled, and how often those that came back have been delivered. Who holds which message
 * now is not recorded. Only the process that began to serve the subscription last records anything, and of deliveries only what became of those since the
 * last move: all else is rejected with `NOT_SERVED`, and an offset outside of the log with `OFFSET_OUT_OF_BOUNDS`.
 */
export const deliveries: Decider<State | null, DeliveryCommand, DeliveryEvent> = {
  // The whole state is recorded first of all, and at the latest with the command after so many changes.
  window: CHANGES_BETWEEN_RECORDS + 2,
  initialState: () => null,
  decide: (command, known) => {
    const { subscriptionId, projectId, start, topicId, server } = command;
    const ids = { subscriptionId, projectId };
    if (command.type === 'ServeDeliveries') {
      const { cursor, settled, attempts } = known ? stateIn(known, topicId) : stateAt(server, cursorIn(startingCursor(start), topicId));
      return [{ type: 'DeliveriesRecorded', data: { ...ids, server, cursor, settled: [...settled], attempts: [...attempts].flat() } }];
    }
    if (known?.server !== server || stateIn(known, topicId) !== known) throw new DomainError('NOT_SERVED');
    if (command.type === 'SettleDeliveries') return settling(known, command);
    const { offset, min, max, returned, handed } = command;
    if (offset < min || offset > max) throw new DomainError('OFFSET_OUT_OF_BOUNDS');
    const attempts = attemptsFrom(known.attempts, returned, offset);
    const cursor = moved(soughtTo(known.cursor, offset), offset, handed);
    return [{ type: 'DeliveriesSought', data: { ...ids, server, cursor, settled: [], attempts } }];
  },
  evolve: (state, event) => {
    if (event.type !== 'DeliveriesSettled') return stateOf(event.data);
    return state && settle(state, event.data); // before the first record of a window nothing is known
  },
};
