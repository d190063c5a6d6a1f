import type { AppendResult } from '#domain/shared/event-store.js';
import { BATCH_APPEND, BatchAppends } from '#infra/stores/event-store/eventstoredb/appends/batch-appends.js';
import { isOfNode, NotConnected } from '#infra/stores/event-store/eventstoredb/errors.js';
import type { CallListener, Endpoint, GrpcCall } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import type { ConnectionSettings } from '#infra/stores/event-store/eventstoredb/grpc/connection-string.js';
import { findLeader } from '#infra/stores/event-store/eventstoredb/grpc/gossip.js';
import { GrpcSession } from '#infra/stores/event-store/eventstoredb/grpc/session.js';
import type { LogClient, ReadCall, ReadListener, ReadRequest } from '#infra/stores/event-store/eventstoredb/log-client.js';
import { readMessage } from '#infra/stores/event-store/eventstoredb/messages/records.js';
import {
  allRequest,
  type EncodedEvent,
  headRequest,
  lastRequest,
  type SentExpectation,
  streamRequest,
  subscribeRequest,
} from '#infra/stores/event-store/eventstoredb/messages/requests.js';

const READ = '/event_store.client.streams.Streams/Read';

/** Maximum time to find a node, if the caller sets no limit. */
const FIND_MS = 5_000;

/** A client with its own gRPC implementation. */
export class NativeClient implements LogClient {
  private session: Promise<GrpcSession> | undefined;
  private readonly appends = new BatchAppends(this);
  private isEnded = false;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly node: Endpoint | undefined,
    private readonly failed: (client: LogClient, leader: Endpoint | undefined) => void,
  ) {}

  async read(request: ReadRequest, listener: ReadListener): Promise<ReadCall> {
    const message = (bytes: Buffer): void => listener.message(readMessage(bytes));
    const call = (await this.found(FIND_MS)).call(READ, this.watched({ message, ended: listener.ended }));
    call.sendLast(framed(request));
    return call;
  }

  append(stream: string, events: readonly EncodedEvent[], expected: SentExpectation, answerMs: number): Promise<AppendResult> {
    return this.appends.append(stream, events, expected, answerMs);
  }

  /** @throws NotConnected no connection within `connectMs`: nothing was sent */
  async batchAppend(connectMs: number, listener: CallListener): Promise<GrpcCall> {
    const until = performance.now() + connectMs;
    try {
      const session = await this.found(connectMs);
      await session.ready(Math.max(0, until - performance.now()));
      return session.call(BATCH_APPEND, this.watched(listener));
    } catch (error) {
      throw error instanceof NotConnected ? error : new NotConnected('no connection', { cause: error });
    }
  }

  async end(): Promise<void> {
    this.isEnded = true;
    const session = await this.session?.catch(() => undefined);
    await session?.end();
  }

  retire(): void {
    this.isEnded = true;
    this.session?.then(
      (session) => session.retire(),
      () => {},
    );
  }

  private async found(ms: number): Promise<GrpcSession> {
    this.session ??= this.connect(ms);
    const session = await this.session;
    // Finding a node may have taken so long that a connection opened now would never be closed.
    if (this.isEnded) throw new NotConnected('the connection was given up');
    if (!session.isUsable) this.failed(this, undefined);
    return session;
  }

  private async connect(ms: number): Promise<GrpcSession> {
    try {
      const { hosts, discover, session } = this.settings;
      const [first] = hosts;
      const node = this.node ?? (discover ? await findLeader(this.settings, hosts, ms) : first);
      if (!node) throw new NotConnected('the connection string names no host');
      return new GrpcSession(node, session, () => {
        if (!this.isEnded) this.failed(this, undefined);
      });
    } catch (error) {
      this.failed(this, undefined);
      throw error;
    }
  }

  private watched({ message, ended }: CallListener): CallListener {
    return {
      message,
      ended: (error) => {
        if (isOfNode(error)) this.failed(this, error.leader);
        ended(error);
      },
    };
  }
}

const framed = (request: ReadRequest): Buffer => {
  switch (request.of) {
    case 'stream':
      return streamRequest(request.stream, request.from, request.direction, request.count);
    case 'last':
      return lastRequest(request.stream);
    case 'all':
      return allRequest(request.from, request.streamNames, request.count);
    case 'head':
      return headRequest(request.streamNames);
    case 'live':
      return subscribeRequest(request.after, request.streamNames);
  }
};
