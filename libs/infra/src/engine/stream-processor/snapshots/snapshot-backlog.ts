/** A snapshot is due after this many events, unless the decider names another number. */
const EVENTS = 1_000;
/** The larger a state, the rarer it is kept: after at least a tenth as many events as it has values, or bytes of events as four times its text. */
const VALUES_PER_EVENT = 10;
const BYTES = 2_000_000;
const LENGTHS = 4;
/** Limit where only idempotency keys are kept: events may be large there. */
const BYTES_OF_KEYS = 32_000_000;

/** A text of this length is not made between two commands. */
export const LONG_TEXT = BYTES;

/** Amount read or written of a stream since its last snapshot, which decides when the next one is due. */
export class SnapshotBacklog {
  private events = 0;
  private bytes = 0;
  /** Characters of the state when it was kept. */
  length = 0;

  /** `bytes`: of the data, about. */
  add(events: number, bytes = 0): void {
    this.events += events;
    this.bytes += bytes;
  }

  kept(eventsSince: number, length: number): void {
    this.events = Math.max(eventsSince, 0);
    this.bytes = 0;
    this.length = length;
  }

  get areKeysDue(): boolean {
    return this.events >= EVENTS || this.bytes >= BYTES_OF_KEYS;
  }

  /** @param size counts the values of the state */
  isStateDue(every = EVENTS, size: () => number): boolean {
    if (this.bytes >= Math.max(BYTES, LENGTHS * this.length)) return true;
    return this.events >= every && this.events >= size() / VALUES_PER_EVENT;
  }
}
