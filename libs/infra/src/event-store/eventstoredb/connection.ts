import { readFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { ConnectionOptions } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import parser from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ChannelInterface, Client, ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import { NotConnected } from './errors.js';

const { StreamsClient } = streamsGrpc;

/**
 * The connection of the client library (discovery, TLS, credentials, leader changes) with our own calls on it.
 *
 * The library's appends and reads are not used: `appendToStream` loses promises, keeps the pending appends of all clients of a process in
 * one table, and throws outside of any promise on some answers; `readAll` cannot ask the server to filter.
 */
export class LogClient extends EventStoreDBClient {
  private grpcChannel: ChannelInterface | undefined;
  private isEnded = false;

  read(request: ReadReq): Promise<ClientReadableStream<ReadResp>> {
    return this.GRPCStreamCreator(StreamsClient, 'read', (client) => {
      this.useChannel(client);
      return client.read(request, ...this.callOptions());
    })();
  }

  /** @throws NotConnected no connection within `connectMs`: nothing was sent */
  batchAppend(connectMs: number): Promise<ClientDuplexStream<BatchAppendReq, BatchAppendResp>> {
    return this.GRPCStreamCreator(StreamsClient, 'batchAppend', async (client) => {
      this.useChannel(client);
      await connected(client, connectMs);
      return client.batchAppend(...this.callOptions());
    })();
  }

  /** Cancels all calls and closes the connection, which `dispose` alone leaves open. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.dispose();
    this.grpcChannel?.close();
  }

  /** Finding a node may have taken so long that nobody would close a channel opened now. */
  private useChannel(client: Client): void {
    if (this.isEnded) throw new NotConnected('the connection was given up');
    this.grpcChannel = client.getChannel();
  }

  /** Only the leader certainly shows what was acknowledged. A follower answers with the leader's address, and the client moves there. */
  private callOptions() {
    return this.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY });
  }
}

const connected = (client: Client, ms: number): Promise<void> =>
  new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + ms, (error) => (error ? reject(new NotConnected('no connection', { cause: error })) : resolve()));
  });

/**
 * grpc-js shares one TCP connection between channels with equal options, so a new client would inherit the dead connection of the one it
 * replaces. A keep-alive interval of its own (10 s and some ms) makes the options differ.
 */
const ownKeepAlive = (options: ConnectionOptions, serial: number): number => {
  const interval = options.keepAliveInterval ?? 10_000;
  return interval < 0 ? interval : interval + (serial % 1_000);
};

const file = (path: string | undefined): Buffer | undefined => (path === undefined ? undefined : readFileSync(path));

const openClient = (options: ConnectionOptions, serial: number): LogClient => {
  const { hosts, dnsDiscover, defaultCredentials, tls, tlsCAFile, userCertFile, userKeyFile, ...settings } = options;
  const [endpoint] = hosts;
  if (!endpoint) throw new Error('the connection string names no host');
  const shared = { ...settings, keepAliveInterval: ownKeepAlive(options, serial) };
  const insecure = tls === false;
  const security = insecure
    ? { insecure }
    : { rootCertificate: file(tlsCAFile), userCertFile: file(userCertFile), userKeyFile: file(userKeyFile) };
  if (dnsDiscover) return new LogClient({ ...shared, discover: endpoint }, security, defaultCredentials);
  if (hosts.length > 1) return new LogClient({ ...shared, endpoints: hosts }, security, defaultCredentials);
  return new LogClient({ ...shared, endpoint }, security, defaultCredentials);
};

/** The client knows only the older name of the scheme. Its own parse errors repeat the whole string, password included. */
const parse = (connectionString: string): ConnectionOptions => {
  try {
    return parser.parseConnectionString(connectionString.replace(/^(?:kurrentdb|kurrent|kdb)(\+discover)?:/, 'esdb$1:'));
  } catch {
    throw new Error('EventStoreDB: malformed connection string');
  }
};

/** Holds one client at a time. A broken client is replaced. */
export class Connection {
  /** Clients opened by this process. */
  private static opened = 0;
  private readonly options: ConnectionOptions;
  private readonly ending = new Set<Promise<void>>();
  private current: LogClient | undefined;
  private isClosed = false;

  /** Does not connect yet. @throws Error the connection string is malformed; the message contains no credentials */
  constructor(connectionString: string) {
    this.options = parse(connectionString);
  }

  /** @throws NotConnected after `close` */
  get client(): LogClient {
    if (this.isClosed) throw new NotConnected('the connection is closed');
    this.current ??= openClient(this.options, ++Connection.opened);
    return this.current;
  }

  /** Ends a client and all calls on it, unless it has been replaced already. */
  drop(client: LogClient): void {
    if (client !== this.current) return;
    this.current = undefined;
    const ending = client.end().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.current) this.drop(this.current);
    await Promise.allSettled(this.ending);
  }
}
