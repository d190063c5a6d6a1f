import {
  AppendOutcomeUnknown,
  type AppendResult,
  type CategoryFilter,
  type EventBatch,
  type EventStore,
  EventStoreReadOnly,
  EventStoreUnavailable,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type Retention,
  type SubscribeOptions,
} from '#domain/shared/event-store.js';
import { categoryOf, type NewEvent, type Position, type RecordedEvent, type Revision } from '#domain/shared/events.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { type Environment, openEnvironment } from '#infra/platform/lmdb/environment.js';
import { announceLost, EnvironmentError, EnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import { ThreadSignal } from '#infra/platform/scheduling/news.js';
import { parseFilter } from '#infra/stores/event-store/category-filter.js';
import { checkCount } from '#infra/stores/event-store/check-count.js';
import { appendInTransaction, resultOf, type WrittenEvent } from './appends/append-transaction.js';
import { checkStreamName, isStreamName, prepareAppend } from './appends/prepare-append.js';
import { TransactionWriter, WriteOutcomeUnknown } from './appends/writer.js';
import { APPEND_TIMEOUT_MS, DEFAULT_RESERVE_BYTES, type EmbeddedEventStoreOptions } from './embedded-options.js';
import { LogReads } from './reads/log-reads.js';
import { headOf, readPage, readStreamPart } from './reads/reading.js';
import { RecentEvents } from './reads/recent-events.js';
import { SeenHead } from './reads/seen-head.js';
import { GrowthSignal, subscribe } from './reads/subscription.js';
import { LogCopies } from './storage/copies.js';
import { DATABASE_COUNT, type Databases, flushRows, LOG_FORMAT, logHead, MAX_POSITION, openDatabases } from './storage/databases.js';
import { DiskRoom, diskUnder } from './storage/disk-room.js';
import { LogInspector } from './storage/log-inspector.js';
import { type ScannedPage, scanBlocks, scanStart } from './storage/log-scan.js';
import { setRetentionInTransaction, skipInTransaction, truncateInTransaction } from './storage/retention.js';
import { collectStats, type EmbeddedLogStats } from './storage/statistics.js';
import { Sweeper } from './sweeper.js';

export type { EmbeddedEventStoreOptions } from './embedded-options.js';

/** Generous estimate of what a block adds to the JSON of its events, including index entries. */
const OVERHEAD_BYTES = 2_048;
/**
 * Opens the event log in a local directory. One process can have it open for appending, once, and any number for reading. Its timers do not
 * keep the process alive; a process that only subscribes must do that itself.
 * @throws EnvironmentError the directory cannot be used, another process appends to it, or its contents are damaged
 * @throws EventStoreUnavailable opened for reading before the first write
 */
export const openEmbeddedEventStore = (options: EmbeddedEventStoreOptions): EmbeddedEventStore => {
  const { path, readOnly = false, inspects = true, report } = options;
  const environment = openEnvironment({
    ...{ path, readOnly, report },
    durability: 'durable',
    maxDbs: DATABASE_COUNT,
    format: LOG_FORMAT,
    ...(inspects && { newInspector: () => new LogInspector() }),
  });
  try {
    return new EmbeddedEventStore(environment, openDatabases(environment.root), options);
  } catch (error) {
    void environment.close();
    throw error instanceof EventStoreUnavailable ? error : new EnvironmentError(path, 'cannot be opened', { cause: error });
  }
};

/** Created by `openEmbeddedEventStore`. */
export class EmbeddedEventStore implements EventStore, ImportTarget {
  private readonly growth = new GrowthSignal();
  private readonly recent = new RecentEvents();
  private readonly news: ThreadSignal;
  private readonly seen = new SeenHead(() => this.read(() => logHead(this.db).position), this.growth);
  private readonly disk: DiskRoom;
  private readonly reads: LogReads;
  private readonly writer: TransactionWriter;
  private readonly sweeper: Sweeper | undefined;
  private readonly copies: LogCopies;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly db: Databases,
    readonly options: EmbeddedEventStoreOptions,
  ) {
    this.news = new ThreadSignal(options.path, () => this.growth.notify()); // also notifies subscriptions of other categories
    this.disk = new DiskRoom(options.disk ?? diskUnder(options.path), options.freeSpaceReserveBytes ?? DEFAULT_RESERVE_BYTES);
    this.reads = new LogReads(environment, options.path, options.onDamage);
    this.copies = new LogCopies(environment.root);
    const failed = () => announceLost(new EnvironmentLost(options.path));
    this.writer = new TransactionWriter(environment.root, () => flushRows(db), this.disk, APPEND_TIMEOUT_MS, failed);
    this.sweeper = options.readOnly ? undefined : new Sweeper(db, this.writer, options.chained === true);
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.appendRecordedAt(stream, events, expected, undefined);
  }

  async appendRecordedAt(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    recordedAt: number | undefined,
  ): Promise<AppendResult> {
    this.assertWritable();
    const preparing = prepareAppend(stream, events);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const bytes = prepared.reduce((sum, { characters }) => sum + characters + OVERHEAD_BYTES, 0);
    this.reads.requireRoom(() => this.disk.obstacle(bytes));
    const written = this.writer.write(
      (beforeWriting) => appendInTransaction(this.db, stream, prepared, { expected, recordedAt }, beforeWriting),
      (outcome) => {
        if (outcome.kind === 'written') this.publish(stream, outcome.events);
      },
    );
    const outcome = await this.explained(written, (cause) => new AppendOutcomeUnknown(stream, { cause }));
    return resultOf(outcome, stream, expected);
  }

  /** Outcome of a transaction. @param unknown makes the error if the transaction may be committed or not */
  private async explained<Result>(written: Promise<Result>, unknown: (cause: Error) => Error): Promise<Result> {
    try {
      return await written;
    } catch (error) {
      this.reads.note(error);
      throw error instanceof WriteOutcomeUnknown ? unknown(error) : error;
    }
  }

  private publish(stream: string, events: readonly WrittenEvent[]): void {
    for (const { event, bytes } of events) this.recent.add(event, bytes);
    this.growth.notifySoon(categoryOf(stream));
    this.news.tell();
  }

  /** Reads are synchronous, so a large page is read in several turns of the event loop, and a loop over pages cannot block it. */
  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    checkCount('limit', options.limit);
    this.assertOpen();
    if (!isStreamName(stream)) return [];
    const page: RecordedEvent[] = [];
    for (let wanted = options; ; ) {
      const { events, isLarge, rest } = this.read(() => readStreamPart(this.db, stream, wanted, Date.now()));
      for (const event of events) page.push(event);
      if (isLarge) await nextTurn();
      if (!rest) return page;
      wanted = rest;
    }
  }

  async readAll(options: ReadAllOptions): Promise<EventBatch> {
    checkCount('limit', options.limit);
    const batch = this.read(() => {
      const head = logHead(this.db).position;
      const page = readPage(this.db, Number(options.after ?? 0n), parseFilter(options.categories), options.limit);
      return { events: page.events, position: BigInt(page.position), caughtUp: page.position >= head };
    });
    await nextTurn();
    return batch;
  }

  /** A page of the stored log, for damage checks: see {@link scanBlocks}. @param from 0, or `next` of the page before */
  async scan(from: number): Promise<ScannedPage> {
    const page = this.read(() => scanBlocks(this.db, from));
    await nextTurn();
    return page;
  }

  /** Start of a scan that covers the event at a position and all later ones. */
  scanStart(position: Position): number {
    return this.read(() => scanStart(this.db, Number(position)));
  }

  async head(categories?: CategoryFilter): Promise<Position> {
    return BigInt(this.read(() => headOf(this.db, parseFilter(categories))));
  }

  async end(): Promise<Position> {
    return this.head();
  }

  onInterruption(): () => void {
    return () => {};
  }

  async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch> {
    if (options.maxBatch !== undefined) checkCount('maxBatch', options.maxBatch);
    this.assertOpen();
    const unwatch = this.seen.watch(options.signal, this.options.readOnly ? this.news.of : undefined);
    const reader = this.recent.reader(Number(options.after));
    try {
      yield* subscribe(
        {
          growth: this.growth,
          isClosed: () => this.closing !== undefined,
          head: () => this.read(() => logHead(this.db).position),
          knownHead: () => Math.max(this.recent.last, this.seen.position),
          page: (after, filter, limit) => {
            const page = this.recent.page(after, filter, limit) ?? this.read(() => readPage(this.db, after, filter, limit));
            this.recent.took(reader, page.position);
            return page;
          },
        },
        options,
      );
    } finally {
      this.recent.remove(reader);
      unwatch();
    }
  }

  async truncate(stream: string, before: Revision): Promise<void> {
    await this.change(stream, () => truncateInTransaction(this.db, stream, Number(before)));
  }

  async skip(stream: string, next: Revision): Promise<void> {
    await this.truncate(stream, next);
    await this.sweeper?.empty(stream, Date.now(), MAX_POSITION);
    await this.change(stream, () => skipInTransaction(this.db, stream, Number(next)));
  }

  async setRetention(stream: string, retention: Retention): Promise<void> {
    for (const [name, value] of Object.entries(retention)) if (value !== null && value !== undefined) checkCount(name, value);
    await this.change(stream, () => setRetentionInTransaction(this.db, stream, retention));
  }

  private async change(stream: string, work: () => void): Promise<void> {
    this.assertWritable();
    checkStreamName(stream);
    const written = this.writer.write((beforeWriting) => {
      beforeWriting();
      work();
    });
    await this.explained(written, (cause) => new EventStoreUnavailable('it may be done or not: do it again', { cause }));
  }

  /** Deletes permanently unreadable events now, instead of within a minute. Returns the number of deleted events. */
  async sweep(): Promise<number> {
    this.assertWritable();
    return (await this.sweeper?.sweep()) ?? 0;
  }

  /**
   * Copies the current log into an empty directory, without deleted events and without a flush. See {@link LogCopies}.
   * @throws EnvironmentNotCopied, EventStoreUnavailable
   */
  async copyTo(directory: string): Promise<void> {
    this.assertOpen();
    await this.copies.make(directory);
  }

  async trouble(): Promise<string | null> {
    const { position } = this.read(() => logHead(this.db));
    if (this.reads.damage) return 'it is damaged: it has to be put back from a backup';
    if (this.options.readOnly) return null;
    if (!this.writer.accepts) return 'its disk has failed: appends are refused until the process is restarted';
    if (position >= MAX_POSITION) return 'it has no positions left';
    return this.disk.obstacle(0) ?? null;
  }

  /** Statistics for operators; cheap. @throws EventStoreUnavailable */
  async stats(): Promise<EmbeddedLogStats> {
    return this.read(() => collectStats(this.db, this.options.path));
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.growth.notify();
    this.news.close();
    await this.sweeper?.stop();
    await this.writer.settled();
    await this.copies.settled();
    const closed = this.environment.close();
    if (this.writer.accepts) await closed;
    else closed.catch(() => {}); // closing a broken environment may fail or never end; the files are not affected
  }

  private assertOpen(): void {
    if (this.closing) throw new EventStoreUnavailable('the embedded log is closed');
  }

  private assertWritable(): void {
    this.assertOpen();
    if (this.options.readOnly) throw new EventStoreReadOnly('the embedded log was opened for reading only');
  }

  private read<Result>(work: () => Result): Result {
    this.assertOpen();
    return this.reads.run(work);
  }
}
