import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Seat } from '#infra/platform/coordination/seats/seats.js';
import type { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';
import { hasNothingAfter } from './progress/newest-event.js';
import type { PositionGate } from './progress/position-gate.js';

/** A free seat is taken within this time; then there is nothing to watch. */
const FREE_SEAT_MS = 25;
/** Interval between checks, in memory, whether a standby has caught up. */
const LOOK_MS = 50;

/** Dependencies of a standby on its runner. */
type StandbyHost = Readonly<{
  gate: PositionGate;
  retry: OutageRetry;
  signal: AbortSignal;
  /** Passed by searches of the log, one at a time for all standbys of the process: they are left to the server beside what catches up. */
  searches: Turnstile;
  /** Called repeatedly until the documents show all events that were in the log at the beginning, then once more with `true`. */
  onLook: (caughtUp: boolean) => void;
  /** Called when the documents stand still although the log has more events: no process applies it. */
  onStill: () => void;
}>;

/**
 * Follows documents that another process keeps up to date, through its commits and without reading the log, until this process gets the
 * seat to do so itself. A process that takes no seats follows them for ever.
 */
export class Standby {
  private readonly leaving = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    private readonly host: StandbyHost,
  ) {
    this.signal = AbortSignal.any([host.signal, this.leaving.signal]);
  }

  /** Ends `follow` soon, because the documents of this namespace are no longer followed. */
  leave(): void {
    this.leaving.abort();
  }

  /**
   * Returns the seat of this process; `null` on the signal, or after `leave`.
   * @throws NamespaceGone another build is served
   */
  async follow(): Promise<Seat | null> {
    const over = new AbortController();
    const ended = AbortSignal.any([this.signal, over.signal]);
    const taken: Seat[] = [];
    const waiting = this.dependencies.seats?.take(this.projection.name, ended).then(
      (seat) => {
        taken.push(seat);
        over.abort();
      },
      () => undefined,
    );
    let failure: unknown;
    try {
      if (waiting) await Promise.race([waiting, sleep(FREE_SEAT_MS)]);
      await this.watch(ended);
    } catch (error) {
      if (!ended.aborted) failure = error;
    }
    over.abort();
    await waiting;
    const [seat = null] = taken;
    if (failure === undefined && !this.signal.aborted) return seat;
    seat?.release();
    if (failure !== undefined) throw failure;
    return null;
  }

  /** Never returns. @throws the reason of the signal; NamespaceGone */
  private async watch(ended: AbortSignal): Promise<never> {
    const { store, now } = this.dependencies;
    const { gate, retry } = this.host;
    ended.throwIfAborted();
    const stored = await retry.retryUntilAvailable(() => store.checkpoint(this.namespace));
    ended.throwIfAborted();
    if (stored < gate.position) gate.rewind(stored);
    gate.advance(stored, now());
    const aborted = whenAborted(ended);
    await Promise.race([this.untilReached(ended), aborted]); // a search of the log must not delay the seat
    return await aborted;
  }

  /**
   * Returns once the documents show all events that were in the log at the beginning, or all of their categories: the log may go on with
   * events of others, which their checkpoint need not reach. The newest of their events is not searched for, because that may take a scan
   * of the whole log. A search from their position may, too, while they are filled: it delays nothing, and ends when they have reached the end.
   */
  private async untilReached(ended: AbortSignal): Promise<void> {
    const { events, timing } = this.dependencies;
    const { gate, retry, onLook, onStill } = this.host;
    const end = await retry.retryUntilAvailable(() => events.end());
    let [seen, since] = [gate.position, performance.now()];
    const over = new AbortController();
    const rest = new RestSearch(() => this.showsAll(over.signal));
    try {
      for (;;) {
        ended.throwIfAborted();
        const { position } = gate;
        if (position > seen) [seen, since] = [position, performance.now()];
        const stillMs = performance.now() - since;
        const caughtUp = position >= end || (await rest.showsAll(position, stillMs >= timing.idleCommitMs));
        ended.throwIfAborted();
        onLook(caughtUp);
        if (caughtUp) return;
        if (stillMs >= timing.takeoverMs) onStill();
        await sleep(LOOK_MS, undefined, { signal: ended });
      }
    } finally {
      over.abort();
    }
  }

  /** `false` also if it is ended by `over`. */
  private showsAll(over: AbortSignal): Promise<boolean> {
    const { gate, retry, searches } = this.host;
    const search = async (signal: AbortSignal): Promise<boolean> => {
      if (over.aborted) return false;
      try {
        return await hasNothingAfter(this.dependencies.events, this.projection.categories, gate.position, AbortSignal.any([signal, over]));
      } catch (error) {
        if (over.aborted) return false;
        throw error;
      }
    };
    return searches.within('standbys', () => retry.retryUntilAvailable(search));
  }
}

/**
 * Searches the rest of the log for events that documents do not show: from the first position that they have, and again where they stand still behind
 * it. One search at a time, which nobody waits for longer than for a look.
 */
class RestSearch {
  private from: Position = 0n;
  private underWay: Promise<void> | undefined;
  private found = false;

  constructor(private readonly search: () => Promise<boolean>) {}

  async showsAll(position: Position, isStill: boolean): Promise<boolean> {
    if (!this.underWay && position > this.from && (this.from === 0n || isStill)) {
      this.from = position;
      this.underWay = this.search().then((found) => {
        [this.underWay, this.found] = [undefined, found];
      });
    }
    if (this.underWay) await Promise.race([this.underWay, sleep(LOOK_MS)]);
    return this.found;
  }
}

/** Rejects with the reason of the signal. */
const whenAborted = (signal: AbortSignal): Promise<never> => {
  const aborted = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return awaitedLater(aborted); // perhaps never
};
