/** Default number of events after which a snapshot is due, unless the decider names another. */
const EVENTS = 1_000;
/** A large state is stored less often: after events numbering a tenth of its values, or four times its text in bytes. */
const VALUES_PER_EVENT = 10;
const BYTES = 2_000_000;
const LENGTHS = 4;
/** Limit if only idempotency keys are stored, because events may then be large. */
const BYTES_OF_KEYS = 32_000_000;

/** A longer text is not made between two commands. */
export const LONG_TEXT = BYTES;

/** Amount read or written of a stream since its last snapshot, which decides when the next one is due. */
export class SnapshotBacklog {
  private events = 0;
  private bytes = 0;
  /** Characters of the state in its last snapshot. */
  length = 0;

  /** `bytes`: approximate size of the data. */
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

  /** @param size number of values of the state */
  isStateDue(every = EVENTS, size: number): boolean {
    if (this.bytes >= Math.max(BYTES, LENGTHS * this.length)) return true;
    return this.events >= every && this.events >= size / VALUES_PER_EVENT;
  }
}
