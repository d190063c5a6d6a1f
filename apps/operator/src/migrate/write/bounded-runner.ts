/** Runs tasks with bounded concurrency; the first failure stops the rest. */
export class BoundedRunner {
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | undefined;

  /** @param width 1: one after another */
  constructor(private readonly width: number) {}

  /** Returns when there is room for more. @throws the first failure of any work */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.width === 1) return work();
    const started: Promise<void> = work()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.running.delete(started));
    this.running.add(started);
    if (this.running.size >= this.width) await Promise.race(this.running);
    this.check();
  }

  /** Waits for all that is under way; fails never. */
  async end(): Promise<void> {
    await Promise.all(this.running);
  }

  /** @throws the first failure */
  check(): void {
    if (this.failure) throw this.failure.error;
  }
}
