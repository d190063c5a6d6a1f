import { setMaxListeners } from 'node:events';
import type {
  AppendResult,
  CategoryFilter,
  EventBatch,
  ExpectedRevision,
  InterruptedCalls,
  ReadAllOptions,
  ReadStreamOptions,
  Retention,
  SubscribeOptions,
} from '#domain/shared/event-store.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { NewEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import type { EventStoreClient } from '#infra/platform/config/event-store-clients.js';
import { checkCount } from '#infra/stores/event-store/check-count.js';
import { ExactAppends } from './appends/exact-appends.js';
import { LogAppends } from './appends/log-appends.js';
import { LogConnection } from './connection.js';
import { fillUpTo } from './filling.js';
import { type ForeignMembers, ForeignMetadata } from './foreign-metadata.js';
import { parseConnectionString } from './grpc/connection-string.js';
import { Interruptions } from './interruptions.js';
import { DEFAULT_LIMITS, type EventStoreDbLimits } from './limits.js';
import type { OpenClient } from './log-client.js';
import { LogReads } from './log-reads.js';
import { ForeignEvents, type OwnStreams } from './messages/foreign-events.js';
import { checkStream } from './messages/new-events.js';
import { NativeClient } from './native/native-client.js';
import { officialClients } from './official/official-client.js';
import { Payloads, PayloadWriter } from './payloads.js';
import { Reader } from './reader.js';
import { StreamMetadata } from './stream-metadata.js';
import { CatchUpPages } from './subscriptions/catch-up-pages.js';
import { LogSubscription } from './subscriptions/subscription.js';

export type EventStoreDbOptions = Readonly<{
  /**
   * `esdb://` or `kurrentdb://`, `+discover` for clusters. It also holds the TLS settings (on unless `tls=false`, `tlsCAFile`, user
   * certificates) and the credentials.
   */
  connectionString: string;
  /** The client to use. Default `native`. */
  client?: EventStoreClient;
  /** Default: see `EventStoreDbLimits`. */
  limits?: Partial<EventStoreDbLimits>;
  /** Streams to read if other programs write to the same server. Default: all but the server's own. */
  own?: OwnStreams;
}>;

/** The log, and the operations for a server that other programs may write to as well. */
export type EventStoreDbLog = ImportTarget &
  Readonly<{
    /**
     * Metadata of our streams that other programs have set. The first call searches the whole log, later ones only new events.
     * @throws EventStoreUnavailable also when `signal` is aborted
     */
    foreignMetadata(signal: AbortSignal): Promise<ForeignMembers>;
  }>;

/**
 * The event log on EventStoreDB or KurrentDB, 21.10 and newer. It connects on first use.
 * @throws Error the connection string is malformed
 */
export const openEventStoreDb = ({ connectionString, client, limits, own }: EventStoreDbOptions): EventStoreDbLog =>
  new EventStoreDb(clientsOf(connectionString, client), { ...DEFAULT_LIMITS, ...limits }, own);

const clientsOf = (connectionString: string, client: EventStoreClient = 'native'): OpenClient => {
  const settings = parseConnectionString(connectionString);
  return client === 'official' ? officialClients(settings) : (node, failed) => new NativeClient(settings, node, failed);
};

class EventStoreDb implements EventStoreDbLog {
  private readonly closing = new AbortController();
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly readInterruptions: Interruptions;
  private readonly appendInterruptions: Interruptions;
  /** Read that checks the connection of reads after a failed append. */
  private asking: Promise<unknown> | undefined;
  private readonly connections: readonly LogConnection[];
  private readonly reads: LogReads;
  private readonly pages: CatchUpPages;
  private readonly appends: LogAppends;
  private readonly metadata: StreamMetadata;
  private readonly foreign: ForeignMetadata;

  constructor(open: OpenClient, limits: EventStoreDbLimits, own: OwnStreams | undefined) {
    const { signal } = this.closing;
    setMaxListeners(0, signal); // one for each search under way
    this.readInterruptions = new Interruptions(signal);
    this.appendInterruptions = new Interruptions(signal);
    this.appendInterruptions.listen(() => this.askByRead());
    // Two connections, because a broken append call is repaired by ending all calls of its client.
    const forReads = new LogConnection(open, () => this.readInterruptions.notify());
    const forAppends = new LogConnection(open, () => this.appendInterruptions.notify());
    this.connections = [forReads, forAppends];
    const reader = new Reader(forReads, limits, signal, this.readInterruptions);
    this.reads = new LogReads(reader, new Payloads(reader), new ForeignEvents(own));
    this.pages = new CatchUpPages(this.reads);
    const exact = new ExactAppends(forAppends, this.reads, limits, signal, this.appendInterruptions);
    this.metadata = new StreamMetadata(reader, exact);
    this.foreign = new ForeignMetadata(reader, own ?? { categories: new Set() });
    this.appends = new LogAppends(exact, new PayloadWriter(exact, limits.appendBytes));
  }

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.run(() => this.appends.append(stream, events, expected));
  }

  appendRecordedAt(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.append(stream, events, expected);
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    checkCount('limit', options.limit);
    return this.run(() => this.reads.readStream(stream, options));
  }

  async readAll(options: ReadAllOptions): Promise<EventBatch> {
    checkCount('limit', options.limit);
    return this.run(() => this.reads.readAll(options));
  }

  head(categories?: CategoryFilter, signal?: AbortSignal): Promise<Position> {
    return this.run(() => this.reads.head(categories, signal));
  }

  end(): Promise<Position> {
    return this.run(() => this.reads.end());
  }

  onInterruption(listener: () => void, of: InterruptedCalls = 'calls'): () => void {
    const stops = [this.readInterruptions.listen(listener)];
    if (of === 'calls') stops.push(this.appendInterruptions.listen(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  async *subscribeAll(options: SubscribeOptions): AsyncGenerator<EventBatch, void, void> {
    if (options.maxBatch !== undefined) checkCount('maxBatch', options.maxBatch);
    this.assertOpen();
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    yield* new LogSubscription(this.reads, this.pages, options, signal).batches();
  }

  async truncate(stream: string, before: Revision): Promise<void> {
    checkStream(stream);
    return this.run(() => this.metadata.truncate(stream, before));
  }

  async skip(stream: string, next: Revision): Promise<void> {
    await this.truncate(stream, next); // first, so that no reader of the stream sees the filling events
    return this.run(() => fillUpTo(this.appends.exact, stream, next));
  }

  async setRetention(stream: string, retention: Retention): Promise<void> {
    checkStream(stream);
    for (const [name, value] of Object.entries(retention)) if (value !== null && value !== undefined) checkCount(name, value);
    return this.run(() => this.metadata.setRetention(stream, retention));
  }

  foreignMetadata(signal: AbortSignal): Promise<ForeignMembers> {
    return this.run(() => this.foreign.look(AbortSignal.any([signal, this.closing.signal])));
  }

  /** @throws EventStoreUnavailable reads or appends get no answer */
  async trouble(): Promise<string | null> {
    await Promise.all([this.end(), this.run(() => this.appends.exact.probe())]);
    return null;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled(this.underWay);
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  /** On close, searches of the log end, other calls in progress finish their current attempt, and new ones are refused. */
  private async run<Result>(call: () => Promise<Result>): Promise<Result> {
    this.assertOpen();
    const running = call();
    this.underWay.add(running);
    try {
      return await running;
    } finally {
      this.underWay.delete(running);
    }
  }

  /** A half-open connection of reads looks idle until something is read. */
  private askByRead(): void {
    this.asking ??= this.end()
      .catch(() => undefined) // it has notified the listeners
      .finally(() => {
        this.asking = undefined;
      });
  }

  private assertOpen(): void {
    if (this.closing.signal.aborted) throw new EventStoreUnavailable('the event store is closed');
  }
}
