import { ReadModelsUnavailable } from '#projections/shared/read-store.js';

/** Whether requests may read the documents of a projection. Closed until they are known to come from the log. */
export class ReadGate {
  private why: string | null = 'it is not known yet whether they come from this log';
  private readonly listeners = new Set<() => void>();
  private settle: () => void = () => {};
  /** Resolves when the gate is opened or closed for the first time. */
  readonly settled = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  constructor(private readonly projection: string) {}

  /** The error for a reader; `undefined`: it may read. */
  refusal(): ReadModelsUnavailable | undefined {
    return this.why === null ? undefined : new ReadModelsUnavailable(`the documents of ${this.projection} are withheld: ${this.why}`);
  }

  open(): void {
    this.why = null;
    this.settle();
  }

  /** Closes the gate, and notifies those who cache documents to drop them. */
  close(why: string): void {
    this.why = why;
    this.settle();
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls `listener` whenever the gate closes. Returns how to stop. */
  onClose(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }
}
