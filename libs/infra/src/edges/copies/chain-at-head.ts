import type { Frontier } from '#domain/integrity/merkle.js';
import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { DELIVERIES_CATEGORY } from '#domain/messaging/deliveries/delivery-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { LeavesLog } from './leaves-log.js';
import { LogWalk } from './log-walk.js';

/**
 * `tree`: covers all chained events up to `position`, including those that the chain's follower has not reached. `waiting`: those events of
 * cursors and deliveries that are not chained yet; a log in use loses them within seconds once they are.
 */
type ChainAtHead = Readonly<{ position: Position; leaves: LeavesLog; tree: Frontier; waiting: readonly RecordedEvent[] }>;

/** Categories whose streams keep only a few events. */
const LOST_SOON: readonly string[] = [CURSORS_CATEGORY, DELIVERIES_CATEGORY];
/** In a log without a chain, no event has a leaf, and none is lost. */
const MAX_WAITING = 10_000;

/** The chain as of the current head of the log. Reads only what is not chained yet. @throws DamagedCopy, EventStoreUnavailable */
export const chainAtHead = async (events: Pick<EventStore, 'readAll' | 'readStream' | 'head'>): Promise<ChainAtHead> => {
  const position = await events.head();
  const leaves = await LeavesLog.open(events, position);
  const tree = leaves.frontier();
  const start = await leaves.startBefore(leaves.size);
  const waiting: RecordedEvent[] = [];
  for await (const walked of new LogWalk({ events, leaves, upTo: position }, start).walk()) {
    if (walked.kind !== 'chained' || walked.index < leaves.size) continue;
    tree.append(walked.hash);
    if (LOST_SOON.includes(categoryOf(walked.event.stream)) && waiting.length < MAX_WAITING) waiting.push(walked.event);
  }
  return { position, leaves, tree, waiting };
};
