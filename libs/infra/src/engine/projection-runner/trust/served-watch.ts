import type { ProjectionRunner } from '#infra/engine/projection-runner/projection-runner.js';

/** Lost documents are noticed within a second, whatever the projections have to do. */
const LOOK_MS = 500;
/** Nobody but this process replaces or loses them. */
const LOOK_ALONE_MS = 5_000;

/**
 * Looks for all runners of a process whether the documents that they follow are still served: one exchange with the read store, twice a second. It is
 * the only way to notice that a store which is up has lost everything, because nothing is notified then.
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

  /** Resolves when nothing is looked up any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  /** Looks now. Calls during a look share it. Never throws: an outage says nothing about what is served, and readers notice it by themselves. */
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
