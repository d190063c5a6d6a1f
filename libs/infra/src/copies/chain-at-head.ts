import type { Frontier } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { LeavesLog } from './leaves-log.js';
import { LogWalk } from './log-walk.js';

/** `tree`: over all chained events up to `position`, also over those that the chain's follower has not come to yet. */
export type ChainAtHead = Readonly<{ position: Position; leaves: LeavesLog; tree: Frontier }>;

/** The chain as of the head of the log at this moment. Reads what is not chained yet, no more. @throws DamagedCopy, EventStoreUnavailable */
export const chainAtHead = async (events: Pick<EventStore, 'readAll' | 'readStream' | 'head'>): Promise<ChainAtHead> => {
  const position = await events.head();
  const leaves = await LeavesLog.open(events, position);
  const tree = leaves.frontier();
  const start = await leaves.startBefore(leaves.size);
  for await (const walked of new LogWalk({ events, leaves, upTo: position }, start).walk())
    if (walked.kind === 'chained' && walked.index >= leaves.size) tree.append(walked.hash);
  return { position, leaves, tree };
};
