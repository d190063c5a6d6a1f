import { setTimeout as sleep } from 'node:timers/promises';
import type { Argument, Script } from '#infra/stores/read-store/redis/script.js';
import { DocumentsLost, ReadModelsUnavailable, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type Client, newClient, reconnectPauseMs, redisCode } from './client.js';
import { ConnectionGone, REFUSALS, Redirected, type RedisConnection, ScriptRefused } from './connection.js';
import { TimeLimits } from './time-limits.js';

const DRAIN_POLL_MS = 5;

/** Redis was restarted, or its scripts were flushed: the script must be sent again. */
class ScriptUnknown extends Error {
  override readonly name = 'ScriptUnknown';
}

/** Finds a server that may change. It is called before every connection, and regularly while connected. */
export type ServerFinder = Readonly<{
  /** URL of the server to use now. @throws ReadStoreUnavailable */
  find(): Promise<string>;
  /** Interval between checks that the server is still the right one, in milliseconds. */
  periodMs: number;
  /** Called when the server is no longer needed. */
  close(): void;
}>;

export type ServerOptions = Readonly<{
  /** `redis://` or `rediss://`, with user and password if needed; or a finder of the server, which must be a master. */
  server: string | ServerFinder;
  /** Shown by `CLIENT LIST`. */
  name: string;
  /** Time limit in milliseconds for a call, and for connecting. */
  timeLimitMs: number;
  /** Called after each connection, including the first one. */
  onReady(connection: ServerConnection): void;
}>;

/**
 * Uses one connection to Redis for many calls at a time. A lost connection is restored in the background; until then, calls fail at once.
 * If calls are waiting but no answer arrives within the time limit, the connection counts as dead and is replaced: TCP alone would wait for
 * a quarter of an hour.
 */
export class ServerConnection implements RedisConnection {
  private client: Client | undefined;
  private ready = false;
  private currentEpoch = 0;
  private receivedAt = 0;
  private lastError: unknown;
  private closed = false;
  /** Attempts since the last connection, if the server must be found. */
  private attempts = 0;
  private usedUrl = '';
  private readonly waiting = new Set<() => void>();
  private readonly limits: TimeLimits;
  private readonly watch: NodeJS.Timeout | undefined;

  /** Connects in the background; see `untilReady`. */
  constructor(private readonly options: ServerOptions) {
    this.limits = new TimeLimits(options.timeLimitMs);
    const { server } = options;
    if (typeof server !== 'string') this.watch = setInterval(() => void this.look(server), server.periodMs).unref();
    this.start();
  }

  get epoch(): number {
    return this.currentEpoch;
  }

  get isReady(): boolean {
    return this.ready && this.client?.isReady === true;
  }

  /** Error of the last connection attempt. */
  get failure(): unknown {
    return this.lastError;
  }

  async untilReady(): Promise<void> {
    if (this.isReady) return;
    await new Promise<void>((resolve, reject) => {
      const arrived = (): void => {
        inTime();
        this.waiting.delete(arrived);
        resolve();
      };
      const inTime = this.limits.start(() => {
        this.waiting.delete(arrived);
        reject(new ReadStoreUnavailable('no connection to Redis', { cause: this.lastError }));
      });
      this.waiting.add(arrived);
    });
  }

  /** @param asking set if the keys are still being moved to this node of a Cluster */
  async run<Reply>(script: Script, keys: readonly string[], args: readonly Argument[], asking = false): Promise<Reply> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.send<Reply>(['EVALSHA', script.sha, ...rest], asking);
    } catch (error) {
      if (!(error instanceof ScriptUnknown)) throw error;
      return this.send<Reply>(['EVAL', script.text, ...rest], asking);
    }
  }

  command<Reply>(args: readonly Argument[], asking = false): Promise<Reply> {
    return this.send<Reply>(args, asking);
  }

  async commandEach<Reply>(args: readonly string[]): Promise<readonly Reply[]> {
    return [await this.send<Reply>(args)];
  }

  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<void> {
    return this.limited((client) => client.subscribe(channel, listener));
  }

  async close(): Promise<void> {
    this.closed = true;
    while (this.isReady && this.limits.size > 0) await sleep(DRAIN_POLL_MS);
    this.abandon();
  }

  /** Ends the connection at once. Calls in progress fail with an unknown outcome. */
  abandon(): void {
    this.closed = true;
    clearInterval(this.watch);
    this.client?.destroy();
    if (typeof this.options.server !== 'string') this.options.server.close();
  }

  /** Fails calls in progress at once, because their server must no longer be used, and connects again. */
  renew(): void {
    if (this.client) this.replace(this.client);
  }

  private send<Reply>(args: readonly Argument[], asking = false): Promise<Reply> {
    return this.limited((client) => {
      // Applies to the next command on the connection, which is ours: no other command can come between.
      if (asking) client.sendCommand(['ASKING']).catch(() => undefined);
      return client.sendCommand<Reply>(args);
    });
  }

  private limited<Reply>(call: (client: Client) => Promise<Reply>): Promise<Reply> {
    if (this.closed) return Promise.reject(new ReadStoreUnavailable('the read store is closed'));
    const { client } = this;
    if (!client || !this.ready) return Promise.reject(lost(this.lastError));
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
          const code = redisCode(error);
          if (code) this.receivedAt = performance.now();
          // It was a master when it was found.
          if (code === 'READONLY' && typeof this.options.server !== 'string') this.replace(client);
          reject(translate(error));
        },
      );
    });
  }

  private start(): void {
    const { server } = this.options;
    if (typeof server === 'string') this.connect(server, true);
    else void this.find(server);
  }

  /** Resolves once a connection has been begun. */
  private async find(finder: ServerFinder): Promise<void> {
    while (!this.closed) {
      if (this.attempts++ > 0) await sleep(reconnectPauseMs(this.attempts - 1), undefined, { ref: false });
      try {
        const url = await finder.find();
        if (!this.closed) this.connect(url, false);
        return;
      } catch (error) {
        this.lastError = error;
      }
    }
  }

  /** Leaves a server that is no longer the one to use, even if it still answers. */
  private async look(finder: ServerFinder): Promise<void> {
    const { client, usedUrl } = this;
    const found = await finder.find().catch(() => usedUrl);
    if (client && this.ready && found !== usedUrl) this.replace(client);
  }

  private connect(url: string, reconnects: boolean): void {
    const { name, timeLimitMs } = this.options;
    const client = newClient({ url, name, connectTimeoutMs: timeLimitMs, reconnects });
    this.client = client;
    this.usedUrl = url;
    // An established connection may lead nowhere: Redis hangs, or a proxy has no server behind it.
    let greeted = (): void => undefined;
    client.on('connect', () => {
      greeted = this.limits.start(() => this.replace(client));
    });
    client.on('ready', () => {
      if (reconnects) {
        greeted();
        this.becomeReady(client);
      } else
        void isMaster(client).then((master) => {
          greeted();
          if (master) this.becomeReady(client);
          else this.replace(client);
        });
    });
    client.on('error', (error) => {
      greeted();
      this.lastError = error;
      if (!reconnects) this.replace(client);
    });
    // The client retries until it is destroyed; failures until then are reported as 'error'.
    client.connect().catch(() => undefined);
  }

  private becomeReady(client: Client): void {
    if (this.closed || client !== this.client) return;
    this.ready = true;
    this.attempts = 0;
    this.currentEpoch++;
    for (const arrived of [...this.waiting]) arrived();
    this.options.onReady(this);
  }

  private replace(client: Client): void {
    if (this.closed || client !== this.client) return;
    this.client = undefined;
    this.ready = false;
    this.start();
    client.destroy();
  }
}

/** Returns false for a server that was just demoted or is about to be promoted. */
const isMaster = (client: Client): Promise<boolean> =>
  client.sendCommand<readonly unknown[]>(['ROLE']).then(
    ([role]) => String(role) === 'master',
    () => false,
  );

const lost = (cause: unknown): Error => new ReadStoreUnavailable('Redis refused a call, or the connection was lost', { cause });

const translate = (error: unknown): Error => {
  const code = redisCode(error);
  const words = error instanceof Error ? error.message.split(' ') : [];
  const refusal = REFUSALS.find((one) => one === code);
  if (refusal) return new ScriptRefused(refusal, words[1] === 'b' ? 'b' : 'a');
  switch (code) {
    case 'GONE':
      return new ConnectionGone();
    case 'NOSCRIPT':
      return new ScriptUnknown();
    case 'LOST':
      return new DocumentsLost();
    case 'BEHIND':
      return new ReadModelsUnavailable('nothing is served, or it shows less than before');
    case 'MOVED':
    case 'ASK':
    case 'TRYAGAIN':
      return new Redirected(code, words[2] ?? '');
    default:
      return lost(error);
  }
};
