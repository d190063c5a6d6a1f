import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { Projection } from '#projections/shared/projection.js';
import { NamespaceGone, ReadModelsBehind, ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import { hasNothingAfter, LONGEST_SEARCH_MS } from './progress/newest-event.js';

/** Maximum time that a caller waits for a lagging read model. */
const MAX_WAIT_MS = 2_000;

/**
 * Checks whether read models show the whole log. Required before a final refusal that rests on a missing document, such as an unknown key:
 * the stores may just have been lost or replaced, and a projection with nothing to apply does not notice.
 */
export class Completeness {
  private readonly categories: ReadonlyMap<string, readonly string[]>;
  private readonly running = new Map<string, Promise<void>>();
  private readonly queued = new Map<string, Promise<void>>();
  /** Projections that were behind at the last check. */
  private readonly behind = new Set<string>();

  constructor(
    private readonly dependencies: Readonly<{ events: EventStore; store: ReadStore }>,
    projections: readonly Projection[],
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {
    this.categories = new Map(projections.map(({ name, categories }) => [name, categories]));
  }

  /**
   * Resolves when the served documents of all these projections show everything that the log held at the call; waits two seconds at most.
   * Simultaneous calls share their reads. Look for the document again afterwards.
   * @throws ReadModelsBehind they are served, but do not show the newest events; ReadModelsUnavailable, EventStoreUnavailable,
   * ReadStoreUnavailable
   */
  async require(...projections: readonly string[]): Promise<void> {
    await Promise.all(projections.map((projection) => this.shared(projection)));
  }

  /** Returns whether a projection was behind at its last check. */
  get isBehind(): boolean {
    return this.behind.size > 0;
  }

  /** A check that began before the call does not count: calls during a check share the next one. */
  private shared(projection: string): Promise<void> {
    const running = this.running.get(projection);
    if (!running) return this.look(projection);
    const next = (): Promise<void> => {
      this.queued.delete(projection);
      return this.look(projection);
    };
    return getOrInsert(this.queued, projection, () => running.then(next, next));
  }

  private look(projection: string): Promise<void> {
    const look = this.check(projection)
      .then(
        () => void this.behind.delete(projection),
        (error: unknown) => {
          if (error instanceof ReadModelsBehind) this.behind.add(projection);
          throw error;
        },
      )
      .finally(() => this.running.delete(projection));
    this.running.set(projection, look);
    return look;
  }

  private async check(projection: string): Promise<void> {
    const { events, store } = this.dependencies;
    const signal = AbortSignal.timeout(LONGEST_SEARCH_MS);
    if (await this.isWhole(projection, signal)) return;
    const head = await events.head(this.categories.get(projection), signal);
    let announce: ((checkpoint: Position) => void) | undefined;
    const stop = store.onCommit(projection, (checkpoint) => announce?.(checkpoint));
    try {
      const reached = new Promise<true>((resolve) => {
        announce = (checkpoint) => checkpoint >= head && resolve(true);
      });
      if ((await this.checkpoint(projection)) >= head) return;
      const isReached = await within(this.maxWaitMs, reached, () => false);
      const shown = await this.checkpoint(projection);
      if (shown < 0n) throw new ReadModelsUnavailable(`no documents are served of projection ${projection}`, projection);
      if (!isReached || shown < head) throw new ReadModelsBehind(`projection ${projection} does not show the whole log yet`);
    } finally {
      stop();
    }
  }

  /** Returns whether no event comes after the checkpoint. */
  private async isWhole(projection: string, signal: AbortSignal): Promise<boolean> {
    const after = await this.checkpoint(projection);
    if (after < 0n) return false;
    return hasNothingAfter(this.dependencies.events, this.categories.get(projection), after, signal);
  }

  /** Checkpoint of the served documents; below every position if none are served. */
  private async checkpoint(projection: string): Promise<Position> {
    const { store } = this.dependencies;
    const served = await store.served(projection);
    if (served === null) return -1n;
    try {
      return await store.checkpoint(served);
    } catch (error) {
      if (error instanceof NamespaceGone) return -1n; // replaced between the two reads
      throw error;
    }
  }
}
