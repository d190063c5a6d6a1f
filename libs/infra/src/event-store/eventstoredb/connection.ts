import { NotConnected } from './errors.js';
import { CallFailed, type CallListener, type Endpoint, type GrpcCall, GrpcCode } from './grpc/call.js';
import { type ConnectionSettings, parseConnectionString } from './grpc/connection-string.js';
import { findLeader } from './grpc/gossip.js';
import { GrpcSession } from './grpc/session.js';

const READ = '/event_store.client.streams.Streams/Read';
const BATCH_APPEND = '/event_store.client.streams.Streams/BatchAppend';

/** Longest time for finding a node, where the caller sets no limit. */
const FIND_MS = 5_000;

/** The connection to one node, which is found and connected to with the first call. */
export class LogClient {
  private session: Promise<GrpcSession> | undefined;
  private isEnded = false;

  constructor(
    private readonly settings: ConnectionSettings,
    /** The node to connect to; default: the one of the settings, or the leader of the cluster. */
    private readonly node: Endpoint | undefined,
    /** Called when calls to this node are of no use: it is gone (also while there are no calls), not ready, or not the leader. */
    private readonly failed: (client: LogClient, leader: Endpoint | undefined) => void,
  ) {}

  /** @throws NotConnected, CallFailed no node was found, or the connection is closed */
  async read(request: Buffer, listener: CallListener): Promise<GrpcCall> {
    const call = (await this.found(FIND_MS)).call(READ, this.watched(listener));
    call.sendLast(request);
    return call;
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

  /** Ends all calls, and closes the connection. */
  async end(): Promise<void> {
    this.isEnded = true;
    const session = await this.session?.catch(() => undefined);
    await session?.end();
  }

  /** Calls that are under way go on; the connection is closed after the last. */
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
    // Finding a node may have taken so long that nobody would close a connection made now.
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
        if (error instanceof CallFailed && isOfNode(error)) this.failed(this, error.leader);
        ended(error);
      },
    };
  }
}

const isOfNode = ({ code, leader }: CallFailed): boolean =>
  code === GrpcCode.unavailable || code === GrpcCode.cancelled || leader !== undefined;

/** Holds one client at a time. A client whose node fails is replaced. */
export class Connection {
  private readonly settings: ConnectionSettings;
  private readonly ending = new Set<Promise<void>>();
  private current: LogClient | undefined;
  /** Where the last node said that the leader is. */
  private leader: Endpoint | undefined;
  private isClosed = false;

  /**
   * Does not connect yet.
   * @param onReplaced called when the next calls go over another connection: whoever answers there may have another log
   * @throws Error the connection string is malformed; the message contains no credentials
   */
  constructor(
    connectionString: string,
    private readonly onReplaced: () => void,
  ) {
    this.settings = parseConnectionString(connectionString);
  }

  /** @throws NotConnected after `close` */
  get client(): LogClient {
    if (this.isClosed) throw new NotConnected('the connection is closed');
    this.current ??= new LogClient(this.settings, this.leader, (client, leader) => this.replace(client, leader));
    return this.current;
  }

  /** Ends a client and all calls on it. The next one looks for the node anew, unless that has happened already. */
  drop(client: LogClient): void {
    if (client === this.current) {
      this.current = undefined;
      this.leader = undefined;
    }
    const ending = client.end().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.current) this.drop(this.current);
    await Promise.allSettled(this.ending);
  }

  private replace(client: LogClient, leader: Endpoint | undefined): void {
    if (client !== this.current) return;
    this.current = undefined;
    this.leader = leader;
    client.retire();
    this.onReplaced();
  }
}
