import { count } from '../../parts/figures.js';

/** Counts at a moment (`at`: milliseconds), by name: published to topics, handed out of subscriptions. */
export type Counts = Readonly<{ at: number; published: ReadonlyMap<string, number>; delivered: ReadonlyMap<string, number> }>;

export const HOUR = 3_600_000;
const MINUTE = 60_000;

/** What rates of the last hour are since: the newest counts that are an hour old, or else the oldest there are. @param counts oldest first */
export const baseOf = (counts: readonly Counts[], now: number): Counts | undefined =>
  counts.findLast(({ at }) => at <= now - HOUR) ?? counts[0];

/** With those of now, a minute after the ones before; without those that no rate is since any more. @param counts oldest first */
export const withCounts = (counts: readonly Counts[], now: Counts): readonly Counts[] => {
  const base = baseOf(counts, now.at);
  const kept = base ? counts.slice(counts.indexOf(base)) : counts;
  return now.at - (kept.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= MINUTE ? [...kept, now] : kept;
};

/** How much came since. What is less than before was created anew, and all of it came since. */
export const grown = (before: number, now: number): number => (now < before ? now : now - before);

type Waiting = Readonly<{ ackMode: string; backlog: number; exact: boolean; outstanding: number | null }>;

/** What waits, with what is leased of it, as far as the node that answered knows. */
export const backlogText = ({ ackMode, backlog, exact, outstanding }: Waiting): string => {
  const waiting = `${exact ? '' : '≤ '}${count(backlog)}`;
  if (outstanding === null) return ackMode === 'message' ? `${waiting}, leases not known here` : waiting;
  return outstanding > 0 ? `${waiting}, ${count(outstanding)} leased` : waiting;
};
