import { isChained } from '#domain/integrity/chained.js';
import type { Position } from '#domain/shared/events.js';
import type { LogRecord, LogScan } from './log-scan.js';

const positionOf = (record: LogRecord): Position => ('event' in record ? record.event.position : record.unreadable);

/** Iterates over the chained events and unreadable records of a log. Holds one page. */
export class LogCursor {
  private records: readonly LogRecord[] = [];
  private at = 0;
  private page: string;
  private next: string | null;

  /** @param after records up to this position are skipped */
  constructor(
    private readonly scan: LogScan,
    private readonly after: Position,
  ) {
    this.page = scan.startAfter(after);
    this.next = this.page;
  }

  /** The next record, if it is in memory. */
  get buffered(): LogRecord | undefined {
    return this.records[this.at];
  }

  /** The next record; `undefined` at the end of the log. */
  async peek(): Promise<LogRecord | undefined> {
    while (this.at >= this.records.length && this.next !== null) await this.read(this.next);
    return this.records[this.at];
  }

  shift(): void {
    this.at += 1;
  }

  /** Returns a second cursor at the same record. */
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
