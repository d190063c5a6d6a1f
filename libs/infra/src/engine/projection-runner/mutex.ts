/** Runs one task at a time. The order of waiting tasks is not guaranteed. */
export class Mutex {
  private busy: Promise<void> | null = null;

  get isBusy(): boolean {
    return this.busy !== null;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.busy) await this.busy;
    let free: () => void = () => undefined;
    this.busy = new Promise((resolve) => {
      free = resolve;
    });
    try {
      return await work();
    } finally {
      this.busy = null;
      free();
    }
  }
}
