import type { ProjectionRunner } from '#infra/engine/projection-runner/projection-runner.js';

/** Detects lost documents within a second, even if the projections are idle. */
const LOOK_MS = 500;
/** Interval if no other process can replace or lose them. */
const LOOK_ALONE_MS = 5_000;

/**
 * Checks, for all runners of a process, whether the documents that they follow are still served: one exchange with the read store, twice a
 * second. That is the only way to detect that a running store has lost everything, because it sends no notification then.
 */
export class ServedWatch {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  /** @param isAlone whether this node works alone with its read store */
  constructor(
    private readonly runners: () => Iterable<Pick<ProjectionRunner, 'look'>>,
    private readonly isAlone: boolean,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => void this.look(), this.isAlone ? LOOK_ALONE_MS : LOOK_MS);
  }

  /** Resolves when no check is in progress. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Checks now. Calls during a check share it. Never throws: an outage proves nothing, and readers notice it themselves. */
  look(): Promise<void> {
    this.looking ??= this.lookAtAll().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookAtAll(): Promise<void> {
    await Promise.allSettled([...this.runners()].map((runner) => runner.look()));
  }
}
