import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ChannelCredentialOptions, convertToCommandError, EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type Channel, connectivityState, Metadata, type MetadataValue } from '@grpc/grpc-js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { BATCH_APPEND, type BatchCall } from '#infra/stores/event-store/eventstoredb/appends/batch-appends.js';
import type { CallListener, Endpoint } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import type { ConnectionSettings } from '#infra/stores/event-store/eventstoredb/grpc/connection-string.js';
import { FRAME_HEAD } from '#infra/stores/event-store/eventstoredb/grpc/frames.js';
import type { SessionOptions } from '#infra/stores/event-store/eventstoredb/grpc/session.js';
import { keepBytes } from './conversions.js';

// The only file that needs the code of `@eventstore/db-client`. It is imported when the first client is opened.

/**
 * The vendor's client with its connection managed here. By itself it reconnects with the previous connection's back-off, ends connections
 * on which calls are about to begin (an exception that cannot be caught), and keeps one open for half an hour after `dispose`.
 */
export class VendorClient extends EventStoreDBClient {
  private channel: Channel | undefined;
  private closing: Promise<void> | undefined;

  protected override handleError = async (): Promise<void> => {
    // The caller gets the error and replaces this client.
  };

  /**
   * Finds the node.
   * @param lost called once when an established connection ends, even while there are no calls
   * @throws Error no node was found
   */
  async find(lost: () => void): Promise<this> {
    const open = this.GRPCStreamCreator;
    this.GRPCStreamCreator = (Client, name, create, cache) => open(Client, name, (client) => keepingBytes(create(client)), cache);
    const withArguments = this.callArguments;
    this.callArguments = (...of) => {
      const [metadata, options] = withArguments(...of);
      return [new Uncompressed(metadata.getOptions()).with(metadata), options];
    };
    const channel = await this.getChannel();
    const look = (before: connectivityState): void => {
      const state = channel.getConnectivityState(false);
      if (before === connectivityState.READY && state !== before) lost();
      else if (state !== connectivityState.SHUTDOWN) channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => look(state));
    };
    this.channel = channel;
    look(connectivityState.IDLE);
    return this;
  }

  /** Opens a call for any number of appends. It ends with {@link close}, or with an error. */
  async batchAppend({ message, ended }: CallListener): Promise<BatchCall> {
    const [metadata, options] = this.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY });
    const open = this.GRPCStreamCreator(StreamsClient, 'batchAppend', (client) =>
      client.makeBidiStreamRequest(BATCH_APPEND, unframed, asReceived, metadata, options),
    );
    const stream = await open();
    let isOver = false;
    const end = (error: unknown): void => {
      if (isOver) return;
      isOver = true;
      ended(error);
    };
    stream.on('data', (received) => {
      try {
        message(received);
      } catch (error) {
        end(error);
        stream.cancel();
      }
    });
    stream.on('error', (error) => end(convertToCommandError(error)));
    stream.on('end', () => {
      stream.end(); // ended by the server alone, it would keep `dispose` waiting
      end(undefined);
    });
    return {
      get isOver() {
        return isOver;
      },
      send: (framed) => void stream.write(framed),
    };
  }

  /** Ends all calls at once. Every append that gets no answer calls it; a second `dispose` would only add listeners to all streams. */
  close(): Promise<void> {
    if (!this.closing) {
      this.retire();
      this.closing = this.dispose();
    }
    return this.closing;
  }

  /** Calls in progress continue, and so does a call that the client is about to begin in this turn of the event loop. */
  retire(): void {
    setImmediate(() => this.channel?.close());
  }
}

/**
 * Headers of a call that accept no compression. `@grpc/grpc-js` sets a copy of them to accept gzip in every call, and newer servers then compress each
 * event and each answer by itself: 2 to 5 times the processor time.
 */
class Uncompressed extends Metadata {
  override set(key: string, value: MetadataValue): void {
    super.set(key, key === 'grpc-accept-encoding' ? 'identity' : value);
  }

  override clone(): Metadata {
    return new Uncompressed(this.getOptions()).with(this);
  }

  with(other: Metadata): this {
    this.merge(other);
    return this;
  }
}

/** The client frames messages itself. */
const unframed = (framed: Buffer): Buffer => framed.subarray(FRAME_HEAD);
const asReceived = (message: Buffer): Buffer => message;

/** Wraps the stream of a call, so that events of reads keep the form of {@link keepBytes}. */
const keepingBytes = <T>(stream: T): T => {
  if (!(stream instanceof Readable)) return stream;
  const push = stream.push.bind(stream);
  stream.push = (response: unknown, encoding) => {
    if (response instanceof streams.ReadResp) keepBytes(response);
    return push(response, encoding);
  };
  return stream;
};

/** Limit on the client's search for the leader, in seconds. It asks one node after another, and a frozen one delays it this long. */
const MAX_GOSSIP_SECONDS = 2;

const OPTIONS_THAT_DIFFER = 1_000;

/**
 * @param node default: the one of the settings, or the leader of the cluster
 * @param lost as in {@link VendorClient.find}
 * @throws Error no node was found
 */
export const openVendorClient = (settings: ConnectionSettings, node: Endpoint | undefined, lost: () => void): Promise<VendorClient> => {
  const { hosts, discover, session, credentials, gossipTimeoutMs } = settings;
  const { keepAliveMs, keepAliveTimeoutMs, headers } = session;
  const common = {
    connectionName: headers['connection-name'] ?? '',
    keepAliveInterval: keepAliveMs < 0 ? LONGEST_TIMER_MS : keepAliveMs,
    // Connections of a process with the same options are shared, including a back-off of up to two minutes: new ones get different options.
    keepAliveTimeout: Math.min(keepAliveTimeoutMs, LONGEST_TIMER_MS - OPTIONS_THAT_DIFFER) + randomInt(OPTIONS_THAT_DIFFER),
  };
  const channel = channelOptions(session);
  const known = node ?? (discover ? undefined : hosts[0]);
  if (known) return new VendorClient({ endpoint: addressOf(known), ...common }, channel, credentials).find(lost);
  const gossipTimeout = Math.min(MAX_GOSSIP_SECONDS, gossipTimeoutMs / 1_000);
  return new VendorClient({ endpoints: hosts.map(addressOf), maxDiscoverAttempts: 1, gossipTimeout, ...common }, channel, credentials).find(
    lost,
  );
};

const addressOf = ({ host, port }: Endpoint) => ({ address: host.includes(':') ? `[${host}]` : host, port });

const channelOptions = ({ secure }: SessionOptions): ChannelCredentialOptions => {
  if (!secure) return { insecure: true };
  const { ca, cert, key } = secure;
  return { insecure: false, ...(ca && { rootCertificate: ca }), ...(cert && key && { userCertFile: cert, userKeyFile: key }) };
};
