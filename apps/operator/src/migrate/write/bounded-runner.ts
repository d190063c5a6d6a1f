/** Runs tasks with bounded concurrency; the first failure stops the rest. */
export class BoundedRunner {
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | undefined;

  /** @param width 1 runs tasks one after another */
  constructor(private readonly width: number) {}

  /** Resolves when there is capacity for more. @throws the first failure of any task */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.width === 1) return work();
    const started: Promise<void> = work()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.running.delete(started));
    this.running.add(started);
    if (this.running.size >= this.width) await Promise.race(this.running);
    if (this.failure) await this.end(); // nothing is written after the error
    this.check();
  }

  /** Waits for all running tasks; never fails. */
  async end(): Promise<void> {
    await Promise.all(this.running);
  }

  /** @throws the first failure */
  check(): void {
    if (this.failure) throw this.failure.error;
  }
}
