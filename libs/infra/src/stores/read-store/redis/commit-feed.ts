import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { CommitListeners } from '#infra/stores/read-store/commit-listeners.js';
import { type ConnectOptions, connectTo } from '#infra/stores/read-store/redis/connection/connect.js';
import type { RedisConnection } from '#infra/stores/read-store/redis/connection/connection.js';
import type { CommitListener } from '#projections/shared/read-store.js';
import { ProjectionKeys } from './keys.js';
import { readServed } from './meta.js';

const RETRY_MS = 100;

/**
 * Receives notifications of commits on a connection of its own, which is opened for the first listener. After every connection it
 * subscribes and then reads the checkpoints, which makes up for messages published meanwhile. A subscription remains when its listeners are
 * removed.
 */
export class CommitFeed {
  private readonly listeners = new CommitListeners();
  /** By channel. */
  private readonly received = new Map<string, { projection: string; messages: number }>();
  private readonly catchingUp = new Set<string>();
  /** Last state sent to the listeners of each projection. */
  private readonly told = new Map<string, string>();
  private connection: RedisConnection | undefined;
  private closed = false;

  constructor(
    private readonly options: Omit<ConnectOptions, 'onReady' | 'runsScripts'>,
    private readonly keyPrefix: string,
  ) {}

  listen(projection: string, listener: CommitListener): () => void {
    const isFirst = !this.listeners.has(projection);
    const stop = this.listeners.add(projection, listener);
    const onReady = (connection: RedisConnection): void => {
      for (const listened of this.listeners.projections) void this.catchUp(connection, listened);
    };
    if (!this.connection) this.connection = connectTo({ ...this.options, onReady });
    else if (isFirst) void this.catchUp(this.connection, projection);
    return stop;
  }

  /** Notifies listeners of a commit of this process at once: the message from Redis may arrive after its answer is used. */
  notify(projection: string, checkpoint: Position, token: string): void {
    if (this.listeners.has(projection)) this.told.set(projection, `${checkpoint} ${token}`);
    this.listeners.notify(projection, checkpoint, token);
  }

  /** Notifies listeners of a state just read, unless they have it already: the message may arrive after the answer to the read. */
  look(projection: string, checkpoint: Position, token: string): void {
    if (this.told.get(projection) !== `${checkpoint} ${token}`) this.notify(projection, checkpoint, token);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.connection?.close();
  }

  /** Subscribes, then notifies listeners of the current checkpoint. Retries until both succeed on one connection, or none listens. */
  private async catchUp(connection: RedisConnection, projection: string): Promise<void> {
    if (this.catchingUp.has(projection)) return;
    this.catchingUp.add(projection);
    const keys = new ProjectionKeys(this.keyPrefix, projection);
    const received = { projection, messages: 0 };
    this.received.set(keys.channel, received);
    while (!this.closed && this.listeners.has(projection)) {
      const { epoch } = connection;
      try {
        await connection.subscribe(keys.channel, this.hear);
        const served = await readServed(connection, keys);
        // A message received in the meantime is at least as recent.
        if (served && received.messages === 0) this.notify(projection, served.checkpoint, served.token);
        if (epoch === connection.epoch) break;
      } catch {
        await sleep(RETRY_MS, undefined, { ref: false });
      }
      received.messages = 0;
    }
    this.catchingUp.delete(projection);
  }

  private readonly hear = (message: string, channel: string): void => {
    const received = this.received.get(channel);
    if (!received) return;
    received.messages++;
    const [checkpoint = '', token = ''] = message.split(' ');
    this.notify(received.projection, BigInt(checkpoint), token);
  };
}
