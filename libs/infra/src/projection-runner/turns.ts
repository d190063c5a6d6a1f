/** Lets one piece of work be under way at a time, in no guaranteed order. */
export class Turns {
  private busy: Promise<void> | null = null;

  async take<T>(work: () => Promise<T>): Promise<T> {
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
