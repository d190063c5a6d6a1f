import { setTimeout as sleep } from 'node:timers/promises';
import { AppendOutcomeUnknown, type EventStore, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { NewEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { backOff } from './back-off.js';

/** `position`: of its last event. `actual`: the head found by a refused append, `null` if the store did not tell. */
export type AppendOutcome = Readonly<
  { kind: 'written'; position: Position } | { kind: 'overtaken'; actual: Revision | 'no-stream' | null }
>;

type Fate = Readonly<{ kind: 'landed'; position: Position } | { kind: 'absent' | 'lost' | 'unknowable' }>;

export type AppendOptions = Readonly<{
  /** How long to look for the fate of an append, and to send it again where the log does not have it, before giving up. */
  recoveryMilliseconds: number;
  /** Called for each append whose outcome was unknown at first. */
  onUnknown(): void;
}>;

/**
 * Appends events that were decided on the head revision `base`, and finds out what became of them when the store cannot tell.
 *
 * @throws AppendOutcomeUnknown only when the log cannot be read in time, or no longer holds what would tell
 * @throws EventStoreUnavailable, InvalidAppend: nothing was written
 */
export const appendBatch = async (
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  base: Revision | null,
  { recoveryMilliseconds, onUnknown }: AppendOptions,
): Promise<AppendOutcome> => {
  let doubt: AppendOutcomeUnknown | undefined;
  let deadline = 0;
  for (let sends = 1; ; sends++) {
    try {
      const { position } = await store.append(stream, events, base ?? 'no-stream');
      return { kind: 'written', position };
    } catch (error) {
      const actual = error instanceof WrongExpectedRevision ? error.actual : null;
      if (error instanceof AppendOutcomeUnknown) {
        deadline ||= performance.now() + recoveryMilliseconds;
        doubt = error;
        onUnknown();
      }
      if (!doubt && actual !== null) return { kind: 'overtaken', actual };
      // Once in doubt, even a refusal says nothing: an earlier send may have arrived.
      if (!doubt) throw error;
      const fate = await findOut(store, stream, events, base, deadline);
      if (fate.kind === 'landed') return { kind: 'written', position: fate.position };
      if (fate.kind === 'lost') return { kind: 'overtaken', actual };
      // Refused, and yet nothing stands in its way: what did has been truncated since, and it may have been ours.
      if (fate.kind === 'unknowable' || actual !== null || !(await pauseBefore(deadline, sends))) throw doubt;
    }
  }
};

/** Asks the log until it answers; `unknowable` when it has not by the deadline. */
const findOut = async (
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  base: Revision | null,
  deadline: number,
): Promise<Fate> => {
  const first = (base ?? -1n) + 1n;
  for (let attempt = 1; ; attempt++) {
    try {
      return fateOf(events, first, await store.readStream(stream, { from: first, limit: events.length }));
    } catch {
      if (!(await pauseBefore(deadline, attempt))) return { kind: 'unknowable' };
    }
  }
};

/** False, at once, when there is no time for another attempt. */
const pauseBefore = async (deadline: number, attempt: number): Promise<boolean> => {
  const pause = backOff(attempt);
  if (performance.now() + pause > deadline) return false;
  await sleep(pause);
  return true;
};

/** What stands in the places meant for our events. The append named its exact place, so they are nowhere else. */
const fateOf = (events: readonly NewEvent[], first: Revision, found: readonly RecordedEvent[]): Fate => {
  const ours = found.filter(({ id, revision }) => events[Number(revision - first)]?.id === id);
  const last = found.at(-1);
  if (!last) return { kind: 'absent' };
  const end = first + BigInt(events.length) - 1n;
  if (found.some((event) => event.revision <= end && !ours.includes(event))) return { kind: 'lost' };
  // The leading ones may have aged out; the last one is proof, because an append is atomic.
  const proof = ours.find(({ revision }) => revision === end);
  return proof ? { kind: 'landed', position: proof.position } : { kind: 'unknowable' };
};
