import type { EventBatch } from '#domain/shared/event-store.js';
import type { Pace } from '#infra/engine/projection-runner/progress/pace.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import { Apply, type Target } from './apply.js';
import type { RunnerDependencies } from './dependencies.js';
import type { Projector } from './projector.js';

/** Parts of the runner used by the code that applies the log. */
export type ServingHost = Readonly<{
  gate: PositionGate;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  pace: Pace;
  signal: AbortSignal;
  /** Called when a batch is applied. */
  onBatch: (batch: EventBatch) => void;
}>;

/** Keeps the served documents of one projection level with the log, as a member of the loop of the process. */
export class Serving {
  private readonly leaving = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projector: Projector,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    private readonly host: ServingHost,
  ) {
    this.signal = AbortSignal.any([host.signal, this.leaving.signal]);
  }

  /**
   * Returns on the signal, or after `leave`.
   * @throws NamespaceGone another build is served
   * @throws CheckpointConflict another runner is active
   * @throws EventStoreUnavailable the log was closed
   */
  async follow(): Promise<void> {
    const { dependencies, projector, projection, namespace } = this;
    const { gate, tracker, retry, signal, onBatch } = this.host;
    const apply = await Apply.open({ ...dependencies, decode: projector.decode, retry }, projection, namespace, this.target());
    tracker.take(apply.known);
    if (apply.processed < gate.position) gate.rewind(apply.processed);
    gate.advance(apply.processed, dependencies.now());
    const rest = async (): Promise<void> => void (await apply.flush(0n));
    const member = {
      categories: projection.categories,
      needed: projection.needed,
      get isFilling() {
        return apply.processed === 0n || apply.isBuilding;
      },
      get processed() {
        return apply.processed;
      },
      take: async (batch: EventBatch) => {
        while (batch.position > apply.processed || (batch.caughtUp && apply.isBuilding)) await apply.take(batch);
        onBatch(batch);
      },
      pass: (position: bigint) => {
        const isPassed = apply.pass(position);
        if (isPassed) gate.advance(position, dependencies.now());
        return isPassed;
      },
      rest,
    };
    await projector.follow(member, this.signal);
    if (signal.aborted) await rest();
    await dependencies.store.flush().catch(() => undefined); // for the next process
  }

  /** Ends `follow` soon, because the documents of this namespace are no longer followed. */
  leave(): void {
    this.leaving.abort();
  }

  private target(): Target {
    const { gate, tracker, pace } = this.host;
    const { now } = this.dependencies;
    return {
      isServed: true,
      setAside: async (known, commit) => {
        tracker.announce(known.token);
        try {
          await commit();
          tracker.take(known);
        } finally {
          tracker.announce(null);
        }
      },
      applied: ({ events, position, slowest, seconds }) => {
        gate.advance(position, now());
        if (events.length === 0) return;
        pace.batchSeconds = seconds;
        pace.add(events, slowest, now());
      },
    };
  }
}
