import { cursorIn, type SubscriptionRef, soughtTo, startingCursor } from '#domain/messaging/cursors/cursor.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { DeliveryEvent, WholeDeliveries } from './delivery-events.js';
import { addRange, addRanges, covers, dropBefore, pairsOf, type Ranges } from './ranges.js';

/** Maximum number of messages that are leased, wait for their next delivery, or wait for an earlier message with their key. */
export const MOST_HELD = 10_000;
/** Maximum number of stored attempts: those of held messages, and as many again from before a move of the subscription. */
const MOST_ATTEMPTS = 2 * MOST_HELD;

/** Maximum number of changes between two records of the whole state. */
const CHANGES_BETWEEN_RECORDS = 200;

/** One hour. Pulls that deliver nothing are recorded at most this often. */
const USED_AGAIN_MS = 3_600_000;

/** Totals of the deliveries by pulls. */
export type CursorProgress = Pick<Cursor, 'messages' | 'bytes' | 'lastPull' | 'rate'>;

type State = {
  server: string;
  cursor: Cursor;
  readonly settled: Ranges;
  readonly attempts: Map<number, number>;
  /** Number of changes since the whole state was recorded. */
  changes: number;
};

/** `settled`: ranges. `returned`: offsets of returned messages, each followed by its number of attempts. */
export type DeliveryAction =
  /** The process `server` serves the subscription from now on. */
  | Readonly<{ type: 'ServeDeliveries' }>
  /** `seeks`: value of the cursor's `seeks` when the messages were delivered. */
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

/** The state in the log of the current topic. All messages of a recreated topic are to be delivered, as after a move. */
const stateIn = (state: State, topicId: string | null): State => {
  const cursor = cursorIn(state.cursor, topicId);
  return cursor === state.cursor ? state : stateAt(state.server, { ...cursor, seeks: (cursor.seeks ?? 0) + 1 });
};

/** The offset before which everything is settled, including these ranges. */
const floorWith = ({ cursor, settled }: State, more: readonly number[]): number => {
  const all = [...settled];
  addRange(all, 0, cursor.offset);
  addRanges(all, more);
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

/** Whether a pull is worth an event. Unused subscriptions may expire, so use must be recorded. */
const wasUsedAgain = ({ lastPull: before }: Cursor, { lastPull }: CursorProgress): boolean =>
  lastPull !== null && (before === null || Date.parse(lastPull) - Date.parse(before) >= USED_AGAIN_MS);

type Settling = Extract<DeliveryCommand, { type: 'SettleDeliveries' }>;

const settling = (
  state: State,
  { subscriptionId, projectId, handed, deadLettered = 0, seeks = 0, ...command }: Settling,
): readonly DeliveryEvent[] => {
  const { cursor, server, attempts } = state;
  if (seeks !== (cursor.seeks ?? 0)) throw new DomainError('NOT_SERVED'); // messages that were delivered before a move will be delivered again
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

/** Removes the attempts of settled messages. */
const forget = (attempts: Map<number, number>, from: number, to: number): void => {
  if (to - from < attempts.size) for (let offset = from; offset < to; offset++) attempts.delete(offset);
  else for (const offset of attempts.keys()) if (offset >= from && offset < to) attempts.delete(offset);
};

/** Changes the state in place, because it may have many ranges. */
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
 * Outcomes of a subscription's messages: which are settled, and how often the returned ones have been delivered. Current leases are not recorded.
 * Only the latest process to serve the subscription may record, and only outcomes of deliveries since the last move; anything else is rejected with
 * `NOT_SERVED`. An offset outside the log is rejected with `OFFSET_OUT_OF_BOUNDS`.
 */
export const deliveries: Decider<State | null, DeliveryCommand, DeliveryEvent> = {
  // The whole state is recorded first, and again with the command after this many changes at the latest.
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
    return state && settle(state, event.data); // unknown before the first whole record in a window
  },
};
