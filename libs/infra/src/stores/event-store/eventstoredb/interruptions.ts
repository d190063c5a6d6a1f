/** Notifies listeners of failed calls after which another server may answer. */
export class Interruptions {
  private readonly listeners = new Set<() => void>();

  /** @param closing aborted when the store closes: from then on calls fail for that reason */
  constructor(private readonly closing: AbortSignal) {}

  /** Returns how to stop. */
  listen(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }

  /** Notifies at once: what is read or appended after the failure must find the listeners informed. */
  notify(): void {
    if (this.closing.aborted) return;
    for (const listener of [...this.listeners]) listener();
  }
}
