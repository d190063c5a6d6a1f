import type { RecordRef } from '#test/faults/history.js';
import type { Random } from '#test/faults/random.js';

/** Records that clients know to be there, for others to work with; only the newest, so that they meet. */
export class Pool {
  private records: RecordRef[] = [];

  constructor(private readonly size: number) {}

  add(record: RecordRef | undefined): void {
    if (record === undefined) return;
    this.records.push(record);
    if (this.records.length > this.size) this.records.shift();
  }

  drop(record: RecordRef): void {
    this.records = this.records.filter((one) => one !== record);
  }

  pick(random: Random): RecordRef | undefined {
    return this.records.length === 0 ? undefined : random.pick(this.records);
  }
}

/** What follows the colon of a reference: the id that the service gave. */
export const idIn = (record: RecordRef): string => record.slice(record.indexOf(':') + 1);

/** A name that others ask for at the same time: it changes every so many milliseconds. */
export const contendedName = (prefix: string, everyMs: number): string => `${prefix}-${Math.floor(performance.now() / everyMs)}`;
