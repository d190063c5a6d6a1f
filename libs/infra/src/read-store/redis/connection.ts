import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type Client, newClient, redisCode } from './client.js';
import type { Argument } from './commit-arguments.js';
import { SCRIPTS, type Script } from './scripts.js';
import { TimeLimits } from './time-limits.js';

/** The namespace that a script was asked to work on is not there any more. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

export type ConnectionOptions = Readonly<{ url: string; name: string; timeLimitMs: number }>;

/**
 * Runs scripts on one connection, many at a time. A lost connection is made again in the background; while there is none, calls fail at once.
 * A connection on which nothing was heard for the time limit, although something was asked, is taken for dead and replaced: TCP alone
 * would wait for a quarter of an hour.
 */
export class RedisConnection {
  #client: Client;
  #heardAt = 0;
  #lastError: unknown;
  #closed = false;
  readonly #limits: TimeLimits;

  private constructor(private readonly options: ConnectionOptions) {
    this.#limits = new TimeLimits(options.timeLimitMs);
    this.#client = this.#connect();
  }

  /** Resolves when there is a connection. @throws ReadStoreUnavailable when there is none within the time limit */
  static async open(options: ConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    try {
      await connection.#untilReady();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /**
   * @throws Gone
   * @throws ReadStoreUnavailable whether the script ran is unknown
   */
  async run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    try {
      return await this.#send<Reply>(['EVALSHA', script.sha, String(keys.length), ...keys, ...args]);
    } catch (error) {
      if (redisCode(error) !== 'NOSCRIPT') throw failure(error);
    }
    try {
      return await this.#send<Reply>(['EVAL', script.text, String(keys.length), ...keys, ...args]);
    } catch (error) {
      throw failure(error);
    }
  }

  /** @throws ReadStoreUnavailable */
  async command<Reply>(...args: readonly Argument[]): Promise<Reply> {
    try {
      return await this.#send<Reply>(args);
    } catch (error) {
      throw failure(error);
    }
  }

  /** Calls under way fail. */
  close(): void {
    this.#closed = true;
    this.#client.destroy();
  }

  #send<Reply>(args: readonly Argument[]): Promise<Reply> {
    const client = this.#client;
    const since = performance.now();
    return new Promise<Reply>((resolve, reject) => {
      const settled = this.#limits.start(() => {
        reject(new Error(`no answer within ${this.options.timeLimitMs} ms`));
        if (this.#heardAt < since) this.#replace(client);
      });
      client.sendCommand<Reply>(args).then(
        (reply) => {
          settled();
          this.#heardAt = performance.now();
          resolve(reply);
        },
        (error) => {
          settled();
          if (redisCode(error)) this.#heardAt = performance.now();
          reject(error);
        },
      );
    });
  }

  #connect(): Client {
    const { url, name, timeLimitMs } = this.options;
    const client = newClient({ url, name, connectTimeoutMs: timeLimitMs });
    // Redis accepts connections that it does not serve yet or any more: one that gets no further than that is replaced as well.
    let handshake: () => void = () => {};
    client.on('connect', () => {
      handshake = this.#limits.start(() => this.#replace(client));
    });
    client.on('ready', () => {
      handshake();
      for (const { text } of SCRIPTS) client.sendCommand(['SCRIPT', 'LOAD', text]).catch(() => undefined);
    });
    client.on('error', (error) => {
      handshake();
      this.#lastError = error;
    });
    // It goes on trying until it is destroyed; what goes wrong until then comes as 'error'.
    client.connect().catch(() => undefined);
    return client;
  }

  #replace(client: Client): void {
    if (this.#closed || client !== this.#client) return;
    this.#client = this.#connect();
    client.destroy();
  }

  #untilReady(): Promise<void> {
    const client = this.#client;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new ReadStoreUnavailable('no connection to Redis', { cause: this.#lastError }));
      }, this.options.timeLimitMs);
      client.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

const failure = (error: unknown): Error =>
  redisCode(error) === 'GONE' ? new Gone() : new ReadStoreUnavailable('Redis did not answer the call', { cause: error });
