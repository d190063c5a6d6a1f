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
 * Receives notifications of commits on a connection of its own, opened for the first listener. Messages published while it was down are
 * made up for: after every connection the checkpoints are read, once the subscriptions are in place. A subscription stays when its
 * listeners go.
 */
export class CommitFeed {
  private readonly listeners = new CommitListeners();
  /** By channel. */
  private readonly received = new Map<string, { projection: string; messages: number }>();
  private readonly catchingUp = new Set<string>();
  /** Last notification of the listeners of each projection. */
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

  /** Notifies of a commit of this process at once: the message from Redis arrives after its answer may be acted on. */
  notify(projection: string, checkpoint: Position, marks: string): void {
    if (this.listeners.has(projection)) this.told.set(projection, `${checkpoint} ${marks}`);
    this.listeners.notify(projection, checkpoint, marks);
  }

  /** Notifies of what was just read, unless listeners know it: its message may come later than the answer to the read. */
  look(projection: string, checkpoint: Position, marks: string): void {
    if (this.told.get(projection) !== `${checkpoint} ${marks}`) this.notify(projection, checkpoint, marks);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.connection?.close();
  }

  /** Subscribes, then notifies of the current checkpoint. Tries until both were done on one connection, or nobody listens any more. */
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
        // A message received in the meantime is as new or newer.
        if (served && received.messages === 0) this.notify(projection, served.checkpoint, served.marks);
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
    const [checkpoint = '', marks = ''] = message.split(' ');
    this.notify(received.projection, BigInt(checkpoint), marks);
  };
}
