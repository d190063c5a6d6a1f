/** Who wants to know that calls failed so that the server may be another one when they work again. */
export class Interruptions {
  private readonly listeners = new Set<() => void>();

  /** `closing`: from then on calls fail because the store is closed. */
  constructor(private readonly closing: AbortSignal) {}

  /** Returns how to stop. */
  listen(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }

  /** At once: what is read or appended after the failure must find the listeners informed. */
  notify(): void {
    if (this.closing.aborted) return;
    for (const listener of [...this.listeners]) listener();
  }
}
