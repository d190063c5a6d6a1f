import { AsyncLocalStorage } from 'node:async_hooks';

/** Code may go on for a moment after its use has ended. */
const REST_MS = 10_000;

/**
 * Values that code finds without being given them, as it runs for one call or another. Some seconds after its last use the storage is switched off: on Node 20
 * it slows down every promise of the process.
 */
export class CallStorage<Value> {
  private readonly storage = new AsyncLocalStorage<Value>();
  private uses = 0;
  private rest: NodeJS.Timeout | undefined;

  get current(): Value | undefined {
    return this.storage.getStore();
  }

  /** Runs something, and all that follows from it, with a value. Only between the begin and the end of a use. */
  run<Result>(value: Value, run: () => Result): Result {
    return this.storage.run(value, run);
  }

  /** Says that a use begins. @returns how to say that it has ended */
  begin(): () => void {
    this.uses += 1;
    clearTimeout(this.rest);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.uses -= 1;
      if (this.uses === 0) this.rest = setTimeout(() => this.storage.disable(), REST_MS).unref();
    };
  }
}
