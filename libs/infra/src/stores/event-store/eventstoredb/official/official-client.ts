import type { AppendResult } from '#domain/shared/event-store.js';
import { within } from '#infra/platform/scheduling/within.js';
import { BatchAppends, type BatchCall } from '#infra/stores/event-store/eventstoredb/appends/batch-appends.js';
import { CallRefused, isDenied, isOfNode, NotConnected } from '#infra/stores/event-store/eventstoredb/errors.js';
import { type CallFailed, type CallListener, type Endpoint, unavailable } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import { type ConnectionSettings, MalformedConnectionString } from '#infra/stores/event-store/eventstoredb/grpc/connection-string.js';
import type { LogClient, OpenClient, ReadCall, ReadListener, ReadRequest } from '#infra/stores/event-store/eventstoredb/log-client.js';
import type { EncodedEvent, SentExpectation } from '#infra/stores/event-store/eventstoredb/messages/requests.js';
import { callFailure } from './conversions.js';
import { OfficialRead } from './official-read.js';
import type { VendorClient } from './vendor-client.js';

/**
 * Uses the public API of `@eventstore/db-client`, except for appends: its shared call rejects the appends of all clients of a process when
 * one fails, and a late answer becomes an exception that cannot be caught. Each client here has an append call of its own.
 */
class OfficialClient implements LogClient {
  private opening: Promise<VendorClient> | undefined;
  private connecting: Promise<void> | undefined;
  private isConnected = false;
  private readonly reads = new Set<OfficialRead>();
  private readonly appends = new BatchAppends(this);
  /** True once it has failed or was closed; new calls are refused. */
  private isOver = false;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly node: Endpoint | undefined,
    private readonly failed: (client: LogClient, leader: Endpoint | undefined) => void,
  ) {}

  async read(request: ReadRequest, listener: ReadListener): Promise<ReadCall> {
    const client = await this.opened();
    return this.start(client, request, listener);
  }

  append(stream: string, events: readonly EncodedEvent[], expected: SentExpectation, answerMs: number): Promise<AppendResult> {
    return this.appends.append(stream, events, expected, answerMs);
  }

  /** @throws NotConnected no connection within `connectMs`: nothing was sent */
  async batchAppend(connectMs: number, { message, ended }: CallListener): Promise<BatchCall> {
    const client = await this.connected(connectMs);
    return client.batchAppend({ message, ended: (error) => ended(error && this.noted(error)) });
  }

  retire(): void {
    this.isOver = true;
    this.opening?.then(
      (client) => client.retire(),
      () => {},
    );
  }

  async end(): Promise<void> {
    this.isOver = true;
    // The client would end them as if they were complete.
    for (const read of [...this.reads]) read.fail(unavailable('the connection was given up'));
    const client = await this.opening?.catch(() => undefined);
    await client?.close();
  }

  /** @throws NotConnected, CallFailed */
  private async opened(): Promise<VendorClient> {
    this.assertUsable();
    this.opening ??= this.open();
    const client = await this.opening;
    this.assertUsable();
    return client;
  }

  private assertUsable(): void {
    if (this.isOver) throw new NotConnected('the connection was given up');
  }

  /** Loads the package when the first client is opened. */
  private async open(): Promise<VendorClient> {
    const { openVendorClient } = await import('./vendor-client.js');
    try {
      return await openVendorClient(this.settings, this.node, () => this.giveUp());
    } catch (error) {
      throw this.noted(error);
    }
  }

  /**
   * Waits for the first answer of the server: until then nothing was sent.
   * @throws NotConnected, Refused
   */
  private async connected(ms: number): Promise<VendorClient> {
    try {
      const opening = this.opened();
      if (this.isConnected) return await opening;
      const asking = opening.then((client) => this.ask(client));
      await within(ms, asking, () => {
        throw new NotConnected('no connection in time');
      });
      return await opening;
    } catch (error) {
      if (isDenied(error)) throw new CallRefused('the server refused the credentials', { cause: error });
      throw error instanceof NotConnected ? error : new NotConnected('no connection', { cause: error });
    }
  }

  private ask(client: VendorClient): Promise<void> {
    this.connecting ??= new Promise<void>((resolve, reject) => {
      const ended = (error: unknown) => (error ? reject(error) : resolve());
      this.start(client, { of: 'head' }, { message: () => {}, ended });
    }).then(
      () => {
        this.isConnected = true;
      },
      (error: unknown) => {
        this.connecting = undefined;
        throw error;
      },
    );
    return this.connecting;
  }

  private start(client: VendorClient, request: ReadRequest, listener: ReadListener): OfficialRead {
    const read = new OfficialRead(client, request, listener, {
      failed: (error) => this.noted(error),
      over: (one) => this.reads.delete(one),
    });
    this.reads.add(read);
    return read;
  }

  private noted(error: unknown): CallFailed {
    const failure = callFailure(error);
    if (isOfNode(failure)) this.giveUp(failure.leader);
    return failure;
  }

  private giveUp(leader?: Endpoint): void {
    if (this.isOver) return;
    this.isOver = true;
    this.failed(this, leader);
  }
}

/** @throws MalformedConnectionString the client could not be used safely */
export const officialClients = (settings: ConnectionSettings): OpenClient => {
  if (settings.session.secure && !settings.credentials)
    throw new MalformedConnectionString(
      'EventStoreDB: with TLS, LOGBOOK_EVENTSTORE_CLIENT=official needs a user and a password in the connection string',
    );
  return (node, failed) => new OfficialClient(settings, node, failed);
};
