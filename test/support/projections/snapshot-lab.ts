import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { SNAPSHOTS } from '#infra/engine/stream-processor/snapshots/snapshot-documents.js';
import { Snapshots } from '#infra/engine/stream-processor/snapshots/snapshots.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { Change, ReadStore, StoredDocument } from '#projections/shared/read-store.js';
import { openRestorableLog, type RestorableLog } from '#test/support/event-stores/restorable-log.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { startRedis } from '#test/support/redis/redis.js';
import { type CardCommand, cardEvents, cardIndex } from './card-index.js';
import { contextAt, readAllOf } from './guest-list.js';

/** The stores that go together. */
export const snapshotStores = [
  { log: 'the embedded log', documents: 'embedded documents' },
  { log: 'EventStoreDB', documents: 'Redis' },
] as const;

/** Stream of a {@link cardIndex}. */
export const CARDS = 'test.cards-1';
export const NOON = '2024-05-01T12:00:00.000Z';

/** Counts how often the stream of cards is read, and the events that are read from it. */
class CountingStore extends DelegatingEventStore {
  reads = 0;
  read = 0;
  override async readStream(name: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const events = await super.readStream(name, options);
    if (name === CARDS) {
      this.reads += 1;
      this.read += events.length;
    }
    return events;
  }
}

/** A log and a read store, and processes on them that write a stream of cards. */
export class SnapshotLab {
  private readonly masterKey = randomBytes(32);

  private constructor(
    readonly log: RestorableLog,
    readonly store: ReadStore,
    private readonly cleanUps: (() => unknown)[],
  ) {}

  static async open({ log: kind, documents }: (typeof snapshotStores)[number]): Promise<SnapshotLab> {
    const cleanUps: (() => unknown)[] = [];
    const log = await openRestorableLog(kind);
    cleanUps.push(() => log.dispose());
    const open = async (): Promise<ReadStore> => {
      if (documents === 'Redis') {
        const redis = await startRedis();
        cleanUps.push(() => redis.stop());
        return await openRedisReadStore({ ...redis, timeLimitMs: LONGEST_MS });
      }
      const path = mkdtempSync(join(tmpdir(), 'logbook-snapshots-'));
      cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
      return openDocumentStore({ path });
    };
    const store = await open();
    cleanUps.push(() => store.close());
    return new SnapshotLab(log, store, cleanUps);
  }

  async close(): Promise<void> {
    for (const cleanUp of this.cleanUps.reverse()) await cleanUp();
  }

  /** A process. `ask` answers what a command led to, or the code of its rejection. */
  async start({
    on = this.store,
    decider = cardIndex(),
    now = NOON,
  }: {
    on?: ReadStore;
    decider?: ReturnType<typeof cardIndex>;
    now?: string;
  } = {}) {
    const { masterKey } = this;
    const counting = new CountingStore(this.log.store());
    const keys = await SubjectKeys.open({ store: counting, masterKey });
    const log = { warn: () => undefined };
    const snapshots = new Snapshots({ store: on, masterKey, keys, log, now: () => Date.parse(now), pauseMs: 0 });
    const processor = new StreamProcessor(counting, new EventCodec({ 'test.cards': cardEvents }, keys), { snapshots });
    this.cleanUps.push(() => processor.close());
    const send = (command: CardCommand, key?: string, body = 'body', time = NOON) =>
      processor.execute({ stream: CARDS, decider, command, context: contextAt(time, key === undefined ? undefined : { key, body }) });
    const ask = (command: CardCommand, key?: string, body?: string): Promise<unknown> =>
      send(command, key, body).then(
        ({ events, repeated }) => (repeated ? 'repeated' : events.length),
        (error: { code?: string; name?: string }) => error.code ?? error.name,
      );
    const settled = (): Promise<void> => processor.settled();
    return { counting, keys, snapshots, processor, send, ask, settled };
  }

  documentsOf(collection: string): Promise<readonly StoredDocument[]> {
    return this.store.view(SNAPSHOTS).range(collection, {});
  }

  /** Changes what is kept. */
  async change(...changes: readonly Change[]): Promise<void> {
    const served = await this.store.served(SNAPSHOTS);
    if (!served) throw new Error('nothing is kept');
    const { checkpoint } = await this.store.progress(served);
    await this.store.commit(served, changes, checkpoint, checkpoint);
  }

  async total(): Promise<unknown> {
    return (await readAllOf(this.log.store(), CARDS)).at(-1)?.data.total;
  }
}
