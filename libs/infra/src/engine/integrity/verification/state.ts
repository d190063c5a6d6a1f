import { mayExpire } from '#domain/integrity/expiring.js';
import { ANCHORS_STREAM, type Anchor, leavesIn } from '#domain/integrity/integrity-events.js';
import { Frontier } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { unlessDamaged } from './damage.js';
import { chainSize, type LeafRecord, leafEntries, leafEntriesBefore, revisionWithLeaf } from './leaf-records.js';
import type { ChainProblem } from './problem.js';

type Streams = Pick<EventStore, 'readStream'>;
type Store = Streams & Pick<EventStore, 'end'>;

/** Progress of a verification, as JSON, from which another process can continue. */
export type VerificationState = Readonly<{
  /** Size of the anchor where it began. */
  from: number;
  /** Number of leaves when it began. It ends there, even if more are appended. */
  end: number;
  /** End of the log when it began. */
  head: string;
  /** Id of the newest opening of the log when it began, `null` if there was none. Absent: unknown, as its record is damaged. */
  opened?: string | null | undefined;
  /** Size of the newest anchor of the log when it began. */
  newestAnchor: number;
  /** Number of verified leaves. */
  size: number;
  /** Frontier of the tree over them; `null` if unknown because leaves are lost. */
  frontier: string | null;
  /** Log time after them; `null` if unknown. */
  time: string | null;
  /** Position of the last processed record of the log. */
  after: string;
  expired: number;
  problem: ChainProblem | null;
  /** Set after an unreadable record until the next readable event. */
  isBehindDamage: boolean;
}>;

/** Public state (operations contract 3). `root`: lower-case hex, over the leaves up to `verifiedTo`; `null` if leaves are lost. */
export type VerificationDetails = Readonly<{
  processed: number;
  total: number;
  verifiedTo: number;
  root: string | null;
  expired: number;
  /** `null` while it is running and has found nothing. */
  intact: boolean | null;
  problem: ChainProblem | null;
}>;

export const detailsOf = ({ from, end, size, frontier, expired, problem }: VerificationState, isDone: boolean): VerificationDetails => ({
  processed: size - from,
  total: end - from,
  verifiedTo: size,
  root: frontier === null ? null : Frontier.decode(size, frontier).root().toString('hex'),
  expired,
  intact: problem ? false : isDone || null,
  problem,
});

/** `gone`: by stream, the highest revision of events before the start that have expired. The log may still contain them. */
type WalkBack = Readonly<{ gone: Map<string, number>; signal: AbortSignal }>;

/** @param signal default: the walk is never cancelled */
export const walkBack = (signal = new AbortController().signal): WalkBack => ({ gone: new Map(), signal });

/**
 * @param from 0, or the size of an anchor: earlier events are not verified
 * @param back gets what a verification in this process would have to look for once more. Default: it looks itself
 * @throws EventStoreUnavailable; the reason of the signal
 */
export const beginVerification = async (store: Store, from: number, back = walkBack()): Promise<VerificationState> => {
  // The order of these reads ensures leaves up to the anchor, and events up to the leaves, even if more are appended meanwhile.
  const newestAnchor = await newestAnchorSize(store);
  const end = Math.max(await chainSize(store), from);
  const head = `${await store.end()}`;
  const start = from === 0 ? { frontier: '', time: '', after: '0' } : await startAt(store, from, back);
  return { from, end, head, newestAnchor, size: from, ...start, expired: 0, problem: null, isBehindDamage: false };
};

const newestAnchorSize = async (store: Store): Promise<number> => {
  const [event] = await unlessDamaged(() => store.readStream(ANCHORS_STREAM, { direction: 'backwards', limit: 1 }), []);
  return event ? (event.data as Anchor).size : 0;
};

const startAt = async (store: Store, from: number, back: WalkBack): Promise<Pick<VerificationState, 'frontier' | 'time' | 'after'>> => {
  const after = `${await positionBefore(store, from, back)}`;
  const revision = await revisionWithLeaf(store, from - 1);
  let before: LeafRecord | undefined;
  for await (const entry of leafEntries(store, Math.max(0, revision - 1))) {
    if (!('data' in entry) || entry.data.from >= from) break;
    if (entry.data.from + entry.data.count >= from) return { frontier: frontierAt(entry, before, from), time: null, after };
    before = entry;
  }
  return { frontier: null, time: null, after };
};

/** Frontier of the tree of size `from`, which ends within a record or at its end. */
const frontierAt = (record: LeafRecord, before: LeafRecord | undefined, from: number): string | null => {
  const isContinued = before ? before.data.from + before.data.count === record.data.from : record.data.from === 0;
  if (!isContinued) return null;
  try {
    const frontier = Frontier.decode(record.data.from, before?.data.frontier ?? '');
    for (const leaf of leavesIn(record.data)) if (leaf.index < from) frontier.append(Buffer.from(leaf.hash));
    return frontier.encode();
  } catch {
    return null;
  }
};

/** Position of the newest event before a leaf that is still in its stream; 0 if there is none. `gone` gets the streams of the leaves behind it. */
export const positionBefore = async (store: Streams, from: number, { gone, signal }: WalkBack): Promise<Position> => {
  const slice = new TimeSlice();
  const turn = async (): Promise<void> => {
    if (slice.isOver) await slice.next();
    signal.throwIfAborted();
  };
  for await (const { data } of leafEntriesBefore(store, await revisionWithLeaf(store, from - 1))) {
    const leaves = [...leavesIn(data)].filter(({ index }) => index < from);
    for (const { stream, revision: wanted } of leaves.reverse()) {
      await turn();
      if ((gone.get(stream) ?? -1) >= wanted) continue;
      const position = await positionOf(store, stream, wanted);
      if (position !== undefined) return position;
      if (mayExpire(stream)) gone.set(stream, wanted);
    }
  }
  return 0n;
};

const positionOf = async (store: Streams, stream: string, revision: number): Promise<Position | undefined> => {
  const [event] = await unlessDamaged(() => store.readStream(stream, { from: BigInt(revision), limit: 1 }), []);
  return event && Number(event.revision) === revision ? event.position : undefined;
};
