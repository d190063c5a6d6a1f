import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import type { Seat } from '#infra/coordination/seats/seats.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';
import type { ProjectorHost } from './projector-host.js';

/** A seat that is free is taken sooner than that: then there is nothing to watch. */
const FREE_SEAT_MS = 25;
/** How often a process that stands by looks whether it has caught up, in memory. */
const LOOK_MS = 50;

/** What a standby needs from the runner it works for. */
export type StandbyHost = Pick<ProjectorHost, 'gate' | 'retry' | 'signal'> &
  Readonly<{
    /** Called now and then until the documents show what was in the log at the beginning, then once more with `true`. */
    onLook: (caughtUp: boolean) => void;
    /** Called when the documents stand still although the log has more: nobody applies it now. */
    onStill: () => void;
  }>;

/**
 * Follows documents that another process keeps up to date: by its commits, without reading the log. Until this process has the seat to do it itself, for
 * ever where it never does.
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

  /** Ends `follow` soon: the documents of this namespace are no longer those to follow. */
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
    const { store, events, now } = this.dependencies;
    const { gate, retry } = this.host;
    ended.throwIfAborted();
    const stored = await retry.retryUntilAvailable(() => store.checkpoint(this.namespace));
    ended.throwIfAborted();
    if (stored < gate.position) gate.rewind(stored);
    gate.advance(stored, now());
    const head = await retry.retryUntilAvailable(() => events.head(this.projection.categories));
    await this.untilReached(head, ended);
    return await new Promise((_resolve, reject) => {
      const end = (): void => reject(ended.reason);
      if (ended.aborted) end();
      else ended.addEventListener('abort', end, { once: true });
    });
  }

  private async untilReached(head: Position, ended: AbortSignal): Promise<void> {
    const { gate, onLook, onStill } = this.host;
    let [seen, since] = [gate.position, performance.now()];
    for (;;) {
      ended.throwIfAborted();
      const { position } = gate;
      onLook(position >= head);
      if (position >= head) return;
      if (position > seen) [seen, since] = [position, performance.now()];
      else if (performance.now() - since >= this.dependencies.timing.takeoverMs) onStill();
      await sleep(LOOK_MS, undefined, { signal: ended });
    }
  }
}
