import type { Position } from '#domain/shared/events.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';

const BEYOND_EVERY_LOG: Position = 2n ** 64n - 1n;

/** Time that readers wait for a check, in milliseconds. A check takes some reads of the log. */
const PATIENCE_MS = 1_000;

/**
 * Decides whether requests may read the documents of a projection, and how much these must show. It is closed until the documents are known
 * to come from the log and to show all of it. It is held while that is checked again: readers then wait for a moment.
 */
export class ReadGate {
  private why: string | null = 'it is not known yet whether they come from this log, and show all of it';
  private lowest: Position = 0n;
  private isHeld = false;
  private examination: Promise<void> | undefined;
  private endExamination: () => void = () => {};
  private readonly listeners = new Set<() => void>();
  private settle: () => void = () => {};
  private admit: () => void = () => {};
  /** Resolves when the gate is opened or closed for the first time. */
  readonly settled = new Promise<void>((resolve) => {
    this.settle = resolve;
  });
  /** Resolves when the gate is opened for the first time. */
  readonly opened = new Promise<void>((resolve) => {
    this.admit = resolve;
  });

  constructor(private readonly projection: string) {}

  /** The error for a reader; `undefined` if it may read. @param secondsLeft until it may, if that is known */
  refusal(secondsLeft: (projection: string) => number | null = () => null): ReadModelsUnavailable | undefined {
    const { why, projection } = this;
    if (why === null) return undefined;
    return new ReadModelsUnavailable(`the documents of ${projection} are withheld: ${why}`, projection, secondsLeft(projection));
  }

  /** Documents below it are refused. While the gate is closed, all are. */
  get floor(): Position {
    return this.why === null ? this.lowest : BEYOND_EVERY_LOG;
  }

  /** Highest position shown to readers of this process. */
  get shown(): Position {
    return this.lowest;
  }

  get isOpen(): boolean {
    return this.why === null;
  }

  /** Resolves when the gate is no longer held, or has been held for a second. Resolves at once if it is not held. */
  async known(): Promise<void> {
    await this.examination;
  }

  /** Records that the documents show everything up to `position`. Ignores smaller ones, because commits may be reported late. */
  raise(position: Position): void {
    if (position > this.lowest) this.lowest = position;
  }

  /** Accepts documents that show less than before, because the log has changed. */
  lower(position: Position): void {
    this.lowest = position;
  }

  open(): void {
    this.release();
    this.why = null;
    this.settle();
    this.admit();
  }

  /** Closes the gate, and notifies caches of documents. */
  close(why: string): void {
    this.release();
    this.why = why;
    this.settle();
    for (const listener of [...this.listeners]) listener();
  }

  /** Closes an open gate until `resume`. `close` closes it permanently. */
  hold(why: string): void {
    if (!this.isOpen) return;
    this.close(why);
    this.isHeld = true;
    this.examination = new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      timer.unref();
      this.endExamination = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Opens the gate again if it is held. */
  resume(): void {
    if (this.isHeld) this.open();
  }

  private release(): void {
    this.isHeld = false;
    this.examination = undefined;
    this.endExamination();
  }

  /** Calls `listener` whenever the gate closes. Returns a function that removes it. */
  onClose(listener: () => void): () => void {
    const added = (): void => listener();
    this.listeners.add(added);
    return () => this.listeners.delete(added);
  }
}
