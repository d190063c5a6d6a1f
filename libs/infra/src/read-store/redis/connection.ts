import { setTimeout as sleep } from 'node:timers/promises';
import { ReadModelsUnavailable, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type Client, newClient, redisCode } from './client.js';
import type { Argument } from './commit-arguments.js';
import type { Script } from './scripts.js';
import { TimeLimits } from './time-limits.js';

const DRAIN_POLL_MS = 5;

/** The namespace that a script should work on does not exist any more. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

/** Redis was restarted, or its scripts were flushed: the script has to be sent again. */
class ScriptUnknown extends Error {
  override readonly name = 'ScriptUnknown';
}

export type ConnectionOptions = Readonly<{
  /** `redis://` or `rediss://`, with user and password if need be. */
  url: string;
  /** Shown by `CLIENT LIST`. */
  name: string;
  /** Time limit in milliseconds for a call, and for connecting. */
  timeLimitMs: number;
  /** Called after each connection, the first one included. */
  onReady(connection: RedisConnection): void;
}>;

/**
 * Uses one connection to Redis for many calls at a time. A lost connection is restored in the background; while there is none, calls fail
 * at once. A connection without any answer for the time limit, although something was asked, counts as dead and is replaced: TCP alone
 * would wait for a quarter of an hour.
 */
export class RedisConnection {
  private client: Client;
  private currentEpoch = 0;
  private receivedAt = 0;
  private lastError: unknown;
  private closed = false;
  private readonly limits: TimeLimits;

  /** Returns at once; see `untilReady`. */
  constructor(private readonly options: ConnectionOptions) {
    this.limits = new TimeLimits(options.timeLimitMs);
    this.client = this.connect();
  }

  /** A different number for each connection, `0` before the first one. */
  get epoch(): number {
    return this.currentEpoch;
  }

  /** @throws ReadStoreUnavailable no connection within the time limit */
  async untilReady(): Promise<void> {
    const client = this.client;
    if (client.isReady) return;
    await new Promise<void>((resolve, reject) => {
      const inTime = this.limits.start(() => reject(new ReadStoreUnavailable('no connection to Redis', { cause: this.lastError })));
      client.once('ready', () => {
        inTime();
        resolve();
      });
    });
  }

  /**
   * @throws Gone
   * @throws ReadModelsUnavailable what is served is behind the floor of the read
   * @throws ReadStoreUnavailable it is unknown whether the script ran
   */
  async run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.command<Reply>(['EVALSHA', script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof ScriptUnknown)) throw error;
      return this.command<Reply>(['EVAL', script.text, ...rest]);
    }
  }

  /** Takes one list of arguments: there may be more than a call has room for on the stack. @throws ReadStoreUnavailable */
  command<Reply>(args: readonly Argument[]): Promise<Reply> {
    return this.limited((client) => client.sendCommand<Reply>(args));
  }

  /**
   * The subscription lasts until the connection ends. After a lost connection it may or may not come back by itself, so subscribe again in
   * `onReady`.
   * @throws ReadStoreUnavailable
   */
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void> {
    return this.limited((client) => client.subscribe(channel, listener));
  }

  /** Waits for the answers to calls in progress; later calls fail. */
  async close(): Promise<void> {
    this.closed = true;
    while (this.client.isReady && this.limits.size > 0) await sleep(DRAIN_POLL_MS);
    this.client.destroy();
  }

  private limited<Reply>(call: (client: Client) => Promise<Reply>): Promise<Reply> {
    if (this.closed) return Promise.reject(new ReadStoreUnavailable('the read store is closed'));
    const client = this.client;
    const since = performance.now();
    return new Promise<Reply>((resolve, reject) => {
      const settled = this.limits.start(() => {
        reject(new ReadStoreUnavailable(`Redis did not answer within ${this.options.timeLimitMs} ms`));
        if (this.receivedAt < since) this.replace(client);
      });
      call(client).then(
        (reply) => {
          settled();
          this.receivedAt = performance.now();
          resolve(reply);
        },
        (error) => {
          settled();
          if (redisCode(error)) this.receivedAt = performance.now();
          reject(translate(error));
        },
      );
    });
  }

  private connect(): Client {
    const { url, name, timeLimitMs } = this.options;
    const client = newClient({ url, name, connectTimeoutMs: timeLimitMs });
    // A connection may be established and lead no further: Redis hangs, or a proxy has nobody to pass it on to.
    let greeted = (): void => undefined;
    client.on('connect', () => {
      greeted = this.limits.start(() => this.replace(client));
    });
    client.on('ready', () => {
      greeted();
      this.currentEpoch++;
      this.options.onReady(this);
    });
    client.on('error', (error) => {
      greeted();
      this.lastError = error;
    });
    // It keeps trying until it is destroyed; failures until then are reported as 'error'.
    client.connect().catch(() => undefined);
    return client;
  }

  private replace(client: Client): void {
    if (this.closed || client !== this.client) return;
    this.client = this.connect();
    client.destroy();
  }
}

const translate = (error: unknown): Error => {
  switch (redisCode(error)) {
    case 'GONE':
      return new Gone();
    case 'NOSCRIPT':
      return new ScriptUnknown();
    case 'BEHIND':
      return new ReadModelsUnavailable('nothing is served, or it shows less than before');
    default:
      return new ReadStoreUnavailable('Redis refused a call, or the connection was lost', { cause: error });
  }
};
