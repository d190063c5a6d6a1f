import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { CommitListeners } from '../commit-listeners.js';
import { type Client, newClient } from './client.js';
import { ProjectionKeys } from './keys.js';

export type FeedOptions = Readonly<{ url: string; name: string; keyPrefix: string; timeLimitMs: number }>;

const RETRY_MS = 100;

/**
 * Hears of commits on a connection of its own, made when somebody first listens. What was published while it was down is made up for:
 * after every (re)connection the checkpoints are read, once the subscriptions are in place.
 */
export class CommitFeed {
  readonly #listeners = new CommitListeners();
  readonly #catchingUp = new Set<string>();
  #client: Client | undefined;
  #closed = false;

  constructor(private readonly options: FeedOptions) {}

  listen(projection: string, listener: (checkpoint: Position) => void): () => void {
    const isFirst = !this.#listeners.has(projection);
    const stop = this.#listeners.add(projection, listener);
    const client = (this.#client ??= this.#connect());
    if (isFirst) void this.#catchUp(client, projection);
    return () => {
      stop();
      if (!this.#listeners.has(projection)) this.#unsubscribe(projection);
    };
  }

  close(): void {
    this.#closed = true;
    this.#client?.destroy();
  }

  #connect(): Client {
    const { url, name, timeLimitMs } = this.options;
    const client = newClient({ url, name, connectTimeoutMs: timeLimitMs });
    client.on('error', () => undefined);
    client.on('ready', () => {
      for (const projection of this.#listeners.projections) void this.#catchUp(client, projection);
    });
    client.connect().catch(() => undefined);
    return client;
  }

  /** Subscribes, then tells the checkpoint as it is now; tries until it has done so or nobody listens any more. */
  async #catchUp(client: Client, projection: string): Promise<void> {
    if (this.#catchingUp.has(projection)) return;
    this.#catchingUp.add(projection);
    try {
      while (!this.#closed && this.#listeners.has(projection)) {
        if (client.isReady && (await this.#subscribe(client, projection))) return;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    } finally {
      this.#catchingUp.delete(projection);
    }
  }

  /** Whether it could. */
  async #subscribe(client: Client, projection: string): Promise<boolean> {
    const keys = new ProjectionKeys(this.options.keyPrefix, projection);
    const epoch = client.socketEpoch;
    try {
      await client.subscribe(keys.channel, this.#hear);
      const checkpoint = await servedCheckpoint(client, keys);
      if (checkpoint !== null) this.#listeners.tell(projection, checkpoint);
      return epoch === client.socketEpoch;
    } catch {
      return false;
    }
  }

  #unsubscribe(projection: string): void {
    const { channel } = new ProjectionKeys(this.options.keyPrefix, projection);
    this.#client?.unsubscribe(channel, this.#hear).catch(() => undefined);
  }
}
