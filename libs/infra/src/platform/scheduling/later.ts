/** Does something once, some time after it was asked for. */
export class DelayedTask {
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly milliseconds: number,
    private readonly work: () => void,
  ) {}

  ask(): void {
    if (this.isClosed) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.work();
    }, this.milliseconds).unref();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}
