/** Notifies listeners of failed calls after which another server may answer. */
export class Interruptions {
  private readonly listeners = new Set<() => void>();

  /** @param closing aborted when the store closes; calls that fail after that are no interruption */
  constructor(private readonly closing: AbortSignal) {}

  /** Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }

  /** Notifies synchronously: listeners must be notified before anything is read or appended after the failure. */
  notify(): void {
    if (this.closing.aborted) return;
    for (const listener of [...this.listeners]) listener();
  }
}
