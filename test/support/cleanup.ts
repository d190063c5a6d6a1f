/** What has been started and must end, whatever happens: ended in reverse order. */
export class Cleanup {
  private readonly steps: (() => unknown)[] = [];

  defer(step: () => unknown): void {
    this.steps.push(step);
  }

  /** Runs every step, also after one has failed. @throws the first failure */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
