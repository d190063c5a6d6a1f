import { setTimeout as sleep } from 'node:timers/promises';
import { PrefixInUse } from '#infra/stores/store-access/prefix-in-use.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { redisCode } from './connection/client.js';
import { connectTo } from './connection/connect.js';
import type { RedisConnection } from './connection/connection.js';
import { parseRedisUrl } from './connection/redis-url.js';

export type PresenceOptions = Readonly<{
  /** One server, Sentinels or a Cluster: see {@link parseRedisUrl}. */
  url: string;
  keyPrefix: string;
  /** Name of this process, shown to people. */
  node: string;
  /** Returns the installation of the current log; `null`: none yet. @throws EventStoreUnavailable */
  installation: () => Promise<string | null>;
  /** No other process can use this log, because it is embedded: processes of the same installation have copies of it. */
  isOnlyProcess: boolean;
  /** Called with a sentence if Redis does not allow the check. */
  report: (message: string) => void;
  /** Milliseconds that processes have to notice that their log was replaced. Default 5,000. */
  patienceMs?: number;
}>;

const TIME_LIMIT_MS = 5_000;
const RETRY_MS = 100;

/**
 * Shows other processes on the same Redis which installation this process belongs to, as long as it runs. It subscribes to a channel with
 * that name: a subscription ends with the process in every case, and is visible from all database numbers. If the machine was lost, Redis
 * closes the connection when the restarted machine refuses the next question.
 */
export class InstallationPresence {
  private connection: RedisConnection | undefined;
  private shown: string | null = null;
  private isClosed = false;
  private renewing: Promise<void> | undefined;

  private constructor(private readonly options: PresenceOptions) {}

  /**
   * Announces this process, and looks for processes of another installation, or of another copy of an embedded log. If there are any, they
   * are asked to check their log: it may have been replaced, like the one of this process.
   * @throws PrefixInUse
   * @throws ReadStoreUnavailable, EventStoreUnavailable
   */
  static async announce(options: PresenceOptions): Promise<InstallationPresence> {
    const presence = new InstallationPresence(options);
    try {
      await presence.show(await options.installation());
      await presence.refuseOthers();
      return presence;
    } catch (error) {
      await presence.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.renewing;
    await this.connection?.close();
  }

  private channel(name: string): string {
    return `${this.options.keyPrefix}:{installation}:${name}`;
  }

  private async show(installation: string | null): Promise<void> {
    if (installation === null) return;
    const place = parseRedisUrl(this.options.url);
    const before = this.connection;
    const onReady = (ready: RedisConnection): void => void this.subscribe(ready, installation).catch(() => undefined);
    const connection = connectTo({ place, name: 'logbook-installation', timeLimitMs: TIME_LIMIT_MS, onReady });
    this.connection = connection;
    this.shown = installation;
    try {
      await connection.untilReady();
      await this.subscribe(connection, installation);
    } finally {
      await before?.close();
    }
  }

  /** Retries until it succeeds or the connection is no longer the current one. @throws ReadStoreUnavailable Redis refuses it */
  private async subscribe(connection: RedisConnection, installation: string): Promise<void> {
    while (!this.isClosed && connection === this.connection) {
      try {
        await connection.subscribe(this.channel('ask'), this.hear);
        await connection.subscribe(this.channel(`${installation} ${this.options.node}`), this.hear);
        return;
      } catch (error) {
        if (isRefusal(error)) throw error;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  private readonly hear = (): void => {
    this.renewing ??= this.renew()
      .catch(() => undefined) // the request is repeated
      .finally(() => {
        this.renewing = undefined;
      });
  };

  private async renew(): Promise<void> {
    const installation = await this.options.installation();
    if (installation !== null && installation !== this.shown && !this.isClosed) await this.show(installation);
  }

  /** Looks repeatedly as long as there are others, because they may be about to change. @throws PrefixInUse, ReadStoreUnavailable */
  private async refuseOthers(): Promise<void> {
    const { connection, shown } = this;
    if (!connection || shown === null) return;
    const { keyPrefix, node: own, isOnlyProcess, patienceMs = 5_000, report } = this.options;
    const isOther = (installation: string, node: string): boolean => installation !== shown || (isOnlyProcess && node !== own);
    for (const end = performance.now() + patienceMs; ; await sleep(RETRY_MS)) {
      let others: readonly (readonly [installation: string, node: string])[];
      try {
        others = (await this.seen(connection)).filter(([installation, node]) => isOther(installation, node));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        report(
          'Redis does not show which processes use it (PUBSUB): two installations with one prefix would not be detected, see docs/running/nodes.md',
        );
        return;
      }
      const [first] = others;
      if (!first) return;
      const nodes = others.flatMap(([installation, node]) => (installation === first[0] ? [node] : []));
      if (performance.now() > end) throw new PrefixInUse(keyPrefix, first[0], nodes);
      const ask = this.channel('ask');
      await connection.command(['PUBLISH', ask, '']);
    }
  }

  private async seen(connection: RedisConnection): Promise<readonly (readonly [installation: string, node: string])[]> {
    const start = this.channel('');
    const found = await connection.commandEach<readonly unknown[]>(['PUBSUB', 'CHANNELS', `${start}*`]);
    return found.flat().flatMap((name) => {
      const [installation = '', node] = String(name).slice(start.length).split(' ', 2);
      return node === undefined ? [] : [[installation, node] as const];
    });
  }
}

/** Redis answered with an error, so this is no outage. */
const isRefusal = (error: unknown): boolean => error instanceof ReadStoreUnavailable && redisCode(error.cause) !== '';
