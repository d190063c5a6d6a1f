import { randomUUID } from 'node:crypto';
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
  /** Milliseconds that processes have to notice that their log was replaced, and to answer. Default 5,000. */
  patienceMs?: number;
  /** Id of this process, for specs. */
  process?: string;
}>;

const TIME_LIMIT_MS = 5_000;
const RETRY_MS = 100;

/** Tells processes of one node name apart: in containers, different ones are often all `logbook-0:1`. */
const PROCESS = randomUUID();

/** A process that Redis shows. Those of releases that had no id show none. */
type Shown = Readonly<{ installation: string; node: string; id: string }>;

/**
 * Shows other processes on the same Redis which installation this process belongs to, as long as it runs. It subscribes to a channel with
 * that name: a subscription ends with the process, and is visible from all database numbers. Only that of a lost machine stays for a while.
 */
export class InstallationPresence {
  private connection: RedisConnection | undefined;
  private shown: string | null = null;
  private isClosed = false;
  private renewing: Promise<void> | undefined;
  private readonly id: string;

  private constructor(private readonly options: PresenceOptions) {
    this.id = options.process ?? PROCESS;
  }

  /**
   * Announces this process, and looks for processes of another installation, or of another copy of an embedded log. If there are any, they
   * are asked to check their log, which may have been replaced like the one of this process, and to answer.
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
        await connection.subscribe(this.channel(`${installation} ${this.options.node} ${this.id}`), this.hear);
        return;
      } catch (error) {
        if (isRefusal(error)) throw error;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  private readonly hear = (): void => {
    void this.connection?.command(['PUBLISH', this.channel('here'), this.id]).catch(() => undefined);
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
    const { keyPrefix, isOnlyProcess, patienceMs = 5_000, report } = this.options;
    const answered = new Set<string>();
    const hearAnswer = (id: string): void => void answered.add(id);
    const isOther = ({ installation, id }: Shown): boolean => installation !== shown || (isOnlyProcess && id !== this.id);
    for (const end = performance.now() + patienceMs; ; await sleep(RETRY_MS)) {
      let others: readonly Shown[];
      try {
        if (isOnlyProcess) await connection.subscribe(this.channel('here'), hearAnswer);
        others = (await this.seen(connection)).filter(isOther);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        report(
          'Redis does not show which processes use it (PUBSUB): two installations with one prefix would not be detected, see docs/running/nodes.md',
        );
        return;
      }
      if (others.length === 0) return;
      if (performance.now() > end) {
        // A process of this log whose machine was lost does not answer.
        const living = others.filter(({ installation, id }) => installation !== shown || answered.has(id));
        return refuse(keyPrefix, living);
      }
      await connection.command(['PUBLISH', this.channel('ask'), '']);
    }
  }

  private async seen(connection: RedisConnection): Promise<readonly Shown[]> {
    const start = this.channel('');
    const found = await connection.commandEach<readonly unknown[]>(['PUBSUB', 'CHANNELS', `${start}*`]);
    return found.flat().flatMap((name) => {
      const [installation = '', node, id = ''] = String(name).slice(start.length).split(' ', 3);
      return node === undefined ? [] : [{ installation, node, id }];
    });
  }
}

/** @throws PrefixInUse there are others */
const refuse = (keyPrefix: string, others: readonly Shown[]): void => {
  const [first] = others;
  if (!first) return;
  const nodes = others.flatMap(({ installation, node }) => (installation === first.installation ? [node] : []));
  throw new PrefixInUse(keyPrefix, first.installation, nodes);
};

/** Redis answered with an error, so this is no outage. */
const isRefusal = (error: unknown): boolean => error instanceof ReadStoreUnavailable && redisCode(error.cause) !== '';
