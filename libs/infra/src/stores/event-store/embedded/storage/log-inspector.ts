import { bufferToKeyValue } from 'lmdb';
import { categoryOf } from '#domain/shared/events.js';
import { checkedText } from '#infra/platform/lmdb/checksum.js';
import { Damage } from '#infra/platform/lmdb/data-file.js';
import type { Inspector } from '#infra/platform/lmdb/inspection.js';
import { readBlockPlace } from './block.js';
import { type CategoryCounts, type LogHead, NAMES, type StreamHead } from './databases.js';
import { RowSum } from './row-sum.js';

declare module 'lmdb' {
  /** Returns the key as it was passed to lmdb. lmdb's types omit this function. */
  function bufferToKeyValue(key: Buffer): unknown;
}

/** Compares expected rows with the rows found. */
class Comparison {
  readonly expected = new RowSum();
  readonly found = new RowSum();

  check(what: string): void {
    if (!this.found.equals(this.expected)) throw new Damage(`has ${what} that does not fit its events`);
  }
}

type Stretch = Readonly<{ stream: string; first: number; last: number }>;

/** Checks every row of a log: each row by its checksum, and the indexes and counts against the events that they describe. */
export class LogInspector implements Inspector {
  private readonly streams = new Comparison();
  private readonly categories = new Comparison();
  private readonly heads = new Comparison();
  private readonly counts = new Comparison();
  private readonly events = new Map<string, number>();
  /** Streams with events and limits that are missing from the sweep's list. */
  private readonly limited = new Set<string>();
  private lastPosition = 0;
  private logHead = 0;
  private stretch: Stretch | undefined;

  private readonly visitors: Readonly<Record<string, (key: Buffer, value: Buffer) => void>> = {
    [NAMES.blocks]: (key, value) => this.visitBlock(key.readUInt32LE(0), value),
    [NAMES.wideBlocks]: (key, value) => this.visitBlock(keyOf<number>(key), value),
    [NAMES.streams]: (key, value) => this.visitStream(keyOf(key), parse(value)),
    [NAMES.categories]: (key, value) => this.visitCategory(keyOf(key), parse(value)),
    [NAMES.heads]: (key, value) => this.visitHead(keyOf(key), checkedRow(keyOf(key), value)),
    [NAMES.counts]: (key, value) => this.visitCounts(keyOf(key), parse(value)),
    [NAMES.log]: (key, value) => {
      this.logHead = checkedRow<LogHead>(keyOf(key), value).position;
    },
    [NAMES.retained]: (key) => this.limited.delete(keyOf(key)),
  };

  visit(database: string, key: Buffer, value: Buffer): void {
    try {
      this.visitors[database]?.(key, value);
    } catch (error) {
      throw error instanceof Damage ? error : new Damage(`has a damaged row in ${database}`);
    }
  }

  finish(): void {
    this.endStretch();
    for (const [category, count] of this.events) this.counts.expected.add(category, count);
    this.streams.check('an index of streams');
    this.categories.check('an index of categories');
    this.heads.check('heads of streams');
    this.counts.check('counts');
    if (this.limited.size > 0) throw new Damage('has lost the limits of streams');
    if (this.lastPosition > this.logHead) throw new Damage(`has events beyond its head ${this.logHead}`);
  }

  private visitBlock(position: number, record: Buffer): void {
    const place = readBlockPlace(position, record);
    if (!place) throw new Damage(`has a damaged event at position ${position}`);
    const { stream, revision, recordedAt, count } = place;
    const last = position + count - 1;
    this.lastPosition = Math.max(this.lastPosition, last);
    this.streams.expected.add(stream, revision + count - 1, position, count, recordedAt);
    this.categories.expected.add(categoryOf(stream), last, count);
  }

  private visitStream([stream, last]: readonly [string, number], [position, count, recordedAt]: readonly [number, number, number]): void {
    this.streams.found.add(stream, last, position, count, recordedAt);
    const first = last + 1 - count;
    if (this.stretch?.stream !== stream) this.endStretch();
    else if (first !== this.stretch.last + 1) throw new Damage(`has lost events of stream ${stream} before revision ${first}`);
    this.stretch = { stream, first: this.stretch?.first ?? first, last };
  }

  private endStretch(): void {
    if (this.stretch) this.heads.expected.add(this.stretch.stream, this.stretch.first, this.stretch.last);
    this.stretch = undefined;
  }

  private visitCategory([category, last]: readonly [string, number], count: number): void {
    this.categories.found.add(category, last, count);
    this.events.set(category, (this.events.get(category) ?? 0) + count);
  }

  private visitCounts(category: string, { events }: CategoryCounts): void {
    if (events > 0) this.counts.found.add(category, events);
  }

  private visitHead(stream: string, { revision, first, maxAgeSeconds, maxCount }: StreamHead): void {
    if (first > revision) return;
    this.heads.found.add(stream, first, revision);
    if (maxAgeSeconds || maxCount) this.limited.add(stream);
  }
}

const keyOf = <Key>(key: Buffer): Key => bufferToKeyValue(key) as Key;

const parse = <Value>(value: Buffer): Value => JSON.parse(value.toString());

const checkedRow = <Value>(key: string, value: Buffer): Value => {
  const text = checkedText(key, value.toString());
  if (text === undefined) throw new Damage(`has a damaged head of ${key}`);
  return JSON.parse(text);
};
