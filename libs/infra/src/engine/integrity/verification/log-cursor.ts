import { isChained } from '#domain/integrity/chained.js';
import type { Position } from '#domain/shared/events.js';
import type { LogRecord, LogScan } from './log-scan.js';

const positionOf = (record: LogRecord): Position => ('event' in record ? record.event.position : record.unreadable);

/** Goes through the chained events of a log, and the records that cannot be read, one after another. Holds one page. */
export class LogCursor {
  private records: readonly LogRecord[] = [];
  private at = 0;
  private page: string;
  private next: string | null;

  /** @param after records up to this position are passed over */
  constructor(
    private readonly scan: LogScan,
    private readonly after: Position,
  ) {
    this.page = scan.startAfter(after);
    this.next = this.page;
  }

  /** The record that is next, if it is in memory. */
  get buffered(): LogRecord | undefined {
    return this.records[this.at];
  }

  /** The record that is next; `undefined`: the log ends. */
  async peek(): Promise<LogRecord | undefined> {
    while (this.at >= this.records.length && this.next !== null) await this.read(this.next);
    return this.records[this.at];
  }

  shift(): void {
    this.at += 1;
  }

  /** Another cursor that begins with the record that is next here. */
  async fork(): Promise<LogCursor> {
    const fork = new LogCursor(this.scan, this.after);
    await fork.read(this.page);
    fork.at = this.at;
    return fork;
  }

  private async read(from: string): Promise<void> {
    const { records, next } = await this.scan.page(from);
    this.page = from;
    this.next = next;
    this.records = records.filter((record) => positionOf(record) > this.after && (!('event' in record) || isChained(record.event.stream)));
    this.at = 0;
  }
}
