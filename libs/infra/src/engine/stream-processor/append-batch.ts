import { setTimeout as sleep } from 'node:timers/promises';
import type { Decider } from '#domain/shared/decider.js';
import { AppendOutcomeUnknown, type EventStore, type ExpectedRevision, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { DomainEvent, NewEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { rivalPauseMs } from './rival-pause.js';

/** Place of the last event. */
type Written = Readonly<{ kind: 'written'; position: Position; revision: Revision }>;

/** `actual`: the head revision found by a refused append, `null` if the store did not report one. */
type AppendOutcome = Written | Readonly<{ kind: 'overtaken'; actual: Revision | 'no-stream' | null }>;

/**
 * Outcome of an append according to the log. `absent`: the log has nothing in its place. `superseded`: other events are there.
 * `indeterminate`: the log cannot be read, or no longer holds the proof.
 */
type AppendProbe = Written | Readonly<{ kind: 'absent' | 'superseded' | 'indeterminate' }>;

type AppendOptions = Readonly<{
  /** Time to probe for an append, and to resend it if the log does not have it, before giving up. */
  recoveryMilliseconds: number;
  /** Called for each append whose outcome was unknown at first. */
  onUnknown(): void;
}>;

/** The events of one append, decided on the head revision `base` (`null`: an empty stream). `expects`: as of their decider. */
type AppendRequest = Readonly<{
  store: EventStore;
  stream: string;
  events: readonly NewEvent[];
  base: Revision | null;
  expects: Decider<unknown, unknown, DomainEvent>['expects'];
}>;

/** Events read at a time to look for an append that may be anywhere after its base. */
const PAGE = { limit: 500, maxBytes: 4_194_304 } as const;

/**
 * Appends events, and determines the outcome if the store cannot report it.
 *
 * @throws AppendOutcomeUnknown only if the log cannot be read in time, or no longer holds the proof
 * @throws EventStoreUnavailable, InvalidAppend: nothing was written
 */
export const appendBatch = (request: AppendRequest, options: AppendOptions): Promise<AppendOutcome> =>
  new BatchAppend(request, options).run();

class BatchAppend {
  /** The newest failure without a known outcome. */
  private unknown: AppendOutcomeUnknown | undefined;
  private deadline = 0;

  constructor(
    private readonly request: AppendRequest,
    private readonly options: AppendOptions,
  ) {}

  async run(): Promise<AppendOutcome> {
    const { store, stream, events } = this.request;
    for (let sends = 1; ; sends++) {
      try {
        return { kind: 'written', ...(await store.append(stream, events, this.expected())) };
      } catch (error) {
        const outcome = await this.outcomeOf(error, sends);
        if (outcome) return outcome;
      }
    }
  }

  private expected(): ExpectedRevision {
    const { base, expects } = this.request;
    const from = base ?? 'no-stream';
    return expects === 'any' ? { from, sentBefore: this.unknown !== undefined } : from;
  }

  /** Outcome after a failed send; `undefined`: the events are not in the log and must be resent. */
  private async outcomeOf(error: unknown, sends: number): Promise<AppendOutcome | undefined> {
    const actual = error instanceof WrongExpectedRevision ? error.actual : null;
    if (error instanceof AppendOutcomeUnknown) {
      this.deadline ||= performance.now() + this.options.recoveryMilliseconds;
      this.unknown = error;
      this.options.onUnknown();
    }
    // After an unknown outcome even a refusal proves nothing: an earlier send may have arrived.
    if (!this.unknown) {
      if (actual === null) throw error;
      return { kind: 'overtaken', actual };
    }
    const probe = await this.probe();
    if (probe.kind === 'written') return probe;
    if (probe.kind === 'superseded') return { kind: 'overtaken', actual };
    // Refused although the place is empty: the events there were truncated since, and may have been ours.
    if (probe.kind === 'indeterminate' || actual !== null || !(await pauseBefore(this.deadline, sends))) throw this.unknown;
    return undefined;
  }

  /** Reads the place of the events until the log answers; `indeterminate` if it has not by the deadline. */
  private async probe(): Promise<AppendProbe> {
    const { store, stream, events, base, expects } = this.request;
    const first = (base ?? -1n) + 1n;
    for (let attempt = 1; ; attempt++) {
      try {
        if (expects === 'any') return await this.search(first);
        return probeOf(events, first, await store.readStream(stream, { from: first, limit: events.length }));
      } catch {
        if (!(await pauseBefore(this.deadline, attempt))) return { kind: 'indeterminate' };
      }
    }
  }

  /** Looks for the last event after the base: an append is atomic. */
  private async search(first: Revision): Promise<AppendProbe> {
    const { store, stream, events } = this.request;
    const id = events.at(-1)?.id;
    for (let from = first; ; ) {
      const page = await store.readStream(stream, { ...PAGE, from });
      const found = page.find((event) => event.id === id);
      if (found) return { kind: 'written', position: found.position, revision: found.revision };
      const last = page.at(-1);
      if (!last) return { kind: 'absent' };
      from = last.revision + 1n;
    }
  }
}

/** Returns false at once if there is no time for another attempt. */
const pauseBefore = async (deadline: number, attempt: number): Promise<boolean> => {
  const pauseMs = rivalPauseMs(attempt);
  if (performance.now() + pauseMs > deadline) return false;
  await sleep(pauseMs);
  return true;
};

/** Compares the events found in the place with ours. The append named its exact place, so they are nowhere else. */
const probeOf = (events: readonly NewEvent[], first: Revision, found: readonly RecordedEvent[]): AppendProbe => {
  const ours = found.filter(({ id, revision }) => events[Number(revision - first)]?.id === id);
  const last = found.at(-1);
  if (!last) return { kind: 'absent' };
  const end = first + BigInt(events.length) - 1n;
  if (found.some((event) => event.revision <= end && !ours.includes(event))) return { kind: 'superseded' };
  // The leading ones may have expired; the last one is proof, because an append is atomic.
  const proof = ours.find(({ revision }) => revision === end);
  return proof ? { kind: 'written', position: proof.position, revision: proof.revision } : { kind: 'indeterminate' };
};
