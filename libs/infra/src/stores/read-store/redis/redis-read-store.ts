import { randomInt } from 'node:crypto';
import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { checkChanges } from '#infra/stores/read-store/keys.js';
import { CLEAR, PREPARE, SERVE } from '#infra/stores/read-store/redis/commits/commit-scripts.js';
import { Committer } from '#infra/stores/read-store/redis/commits/committer.js';
import { Unfinished } from '#infra/stores/read-store/redis/commits/unfinished.js';
import { redisCode } from '#infra/stores/read-store/redis/connection/client.js';
import { connectTo } from '#infra/stores/read-store/redis/connection/connect.js';
import { ConnectionGone, type RedisConnection } from '#infra/stores/read-store/redis/connection/connection.js';
import { infosOf, usageIn } from '#infra/stores/read-store/redis/connection/redis-info.js';
import { parseRedisUrl } from '#infra/stores/read-store/redis/connection/redis-url.js';
import { assertSuitable } from '#infra/stores/read-store/redis/connection/suitable-redis.js';
import {
  CheckpointConflict,
  type CommitListener,
  DocumentsLost,
  type Namespace,
  NamespaceGone,
  ReadModelsUnavailable,
  type ReadStore,
  ReadStoreUnavailable,
  type ReadView,
  type ServedBuild,
  type StoreUsage,
} from '#projections/shared/read-store.js';
import { CommitFeed } from './commit-feed.js';
import { ProjectionKeys } from './keys.js';
import { readBuilds, readServed, type StoredBuild } from './meta.js';
import type { Argument, Script } from './script.js';
import { RedisView } from './view.js';

export type RedisReadStoreOptions = Readonly<{
  /** One server, Sentinels or a Cluster: see {@link parseRedisUrl}. */
  url: string;
  /** Prefix of every key, followed by a colon. Default `logbook`. */
  keyPrefix?: string;
  /** Milliseconds after which a call counts as lost. Default 5,000. */
  timeLimitMs?: number;
  /** Called with settings of Redis that should be changed. Default: no callback. */
  report?: (message: string) => void;
  /** Called with the name of a projection whose documents are found to be gone. Default: no callback. */
  onLost?: (projection: string) => void;
}>;

/**
 * Opens read models in Redis 6.2 or newer, whose `maxmemory-policy` must be `noeviction`. Any number of processes can share them. A Redis
 * that lost all its data serves nothing, and one that lost its last second has earlier checkpoints: both catch up from the log. All keys of
 * a projection share a hash tag and every script names its keys, as Redis Cluster requires. A lost connection is restored in the
 * background; until then every call that needs it fails at once.
 * @throws ReadStoreUnavailable no connection within the time limit
 * @throws RangeError the URL is malformed
 * @throws UnsuitableRedis
 */
export const openRedisReadStore = async ({
  url,
  keyPrefix = 'logbook',
  timeLimitMs = 5_000,
  report = () => undefined,
  onLost = () => undefined,
}: RedisReadStoreOptions): Promise<ReadStore> => {
  const options = { place: parseRedisUrl(url), name: 'logbook-read-store', timeLimitMs };
  const connection = connectTo({ ...options, runsScripts: true });
  try {
    await connection.untilReady();
    await assertSuitable(connection, report);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return new RedisReadStore(
    connection,
    new CommitFeed({ ...options, name: 'logbook-commit-feed' }, keyPrefix),
    keyPrefix,
    timeLimitMs,
    onLost,
  );
};

class RedisReadStore implements ReadStore {
  /** By projection. */
  private readonly unfinishedOf = new Map<string, Unfinished>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly feed: CommitFeed,
    private readonly keyPrefix: string,
    private readonly timeLimitMs: number,
    private readonly onLost: (projection: string) => void,
  ) {}

  view(projection: string, floor?: () => Position): ReadView {
    return this.reads(projection, undefined, floor);
  }

  documents(namespace: Namespace): ReadView {
    return this.reads(namespace.projection, namespace);
  }

  private reads(projection: string, namespace: Namespace | undefined, floor?: () => Position): ReadView {
    const run = <Reply>(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> =>
      this.connection.run<Reply>(script, keys, args).catch((error: unknown) => {
        if (error instanceof DocumentsLost) this.onLost(projection);
        if (error instanceof ReadModelsUnavailable) error.projection = projection;
        throw namespace ? explained(error, namespace) : error;
      });
    const { timeLimitMs } = this;
    const reading = { run, onLost: () => this.onLost(projection), unfinished: this.unfinished(projection), timeLimitMs };
    return new RedisView(reading, this.keys(projection), namespace, floor);
  }

  async collections(namespace: Namespace): Promise<readonly string[]> {
    const { projection, slot } = namespace;
    const names = await this.connection.command<readonly Buffer[]>(['SMEMBERS', this.keys(projection).collections(slot)]);
    await this.build(namespace); // checks that they belong to this namespace
    return names.map(String);
  }

  async served(projection: string): Promise<Namespace | null> {
    return (await this.standing(projection))?.namespace ?? null;
  }

  async standing(projection: string): Promise<ServedBuild | null> {
    const served = await readServed(this.connection, this.keys(projection));
    if (!served) return null;
    const { version, slot, generation, checkpoint } = served;
    return { namespace: { projection, version, slot, generation }, checkpoint };
  }

  async prepare(projection: string, version: number): Promise<Namespace> {
    const keys = this.keys(projection);
    const [slotName, generation, leftOver] = await this.connection.run<readonly [Buffer, number, readonly Buffer[]]>(
      PREPARE,
      [keys.meta, keys.collections('a'), keys.collections('b'), keys.unfinished('a'), keys.unfinished('b')],
      [String(version), String(randomInt(2 ** 31))],
    );
    const slot = slotName.toString() === 'a' ? 'a' : 'b';
    await this.clear(keys, slot, String(generation), leftOver);
    return { projection, version, slot, generation };
  }

  async serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    const { projection, slot, generation } = namespace;
    const keys = this.keys(projection);
    const other = slot === 'a' ? 'b' : 'a';
    const args = [slot, String(generation), other, keys.channel, instead ? String(instead.generation) : ''];
    const [mine, theirs, leftOver] = await this.connection
      .run<readonly [Buffer | null, Buffer | null, readonly Buffer[]]>(
        SERVE,
        [keys.meta, keys.collections(other), keys.unfinished(other)],
        args,
      )
      .catch((error: unknown) => {
        throw explained(error, namespace);
      });
    if (mine && theirs) throw new CheckpointConflict(projection, BigInt(mine.toString()), BigInt(theirs.toString()));
    await this.clear(keys, other, '', leftOver);
  }

  async checkpoint(namespace: Namespace): Promise<Position> {
    return (await this.progress(namespace)).checkpoint;
  }

  async progress(namespace: Namespace): ReturnType<ReadStore['progress']> {
    const { isServed, checkpoint, origin, token } = await this.build(namespace);
    if (isServed) this.feed.look(namespace.projection, checkpoint, token);
    return { checkpoint, origin, token };
  }

  async commit(...[namespace, changes, from, to, origin = '', token]: Parameters<ReadStore['commit']>): Promise<void> {
    checkChanges(changes);
    const { projection } = namespace;
    const committer = new Committer(this.connection, this.keys(projection), this.unfinished(projection), this.timeLimitMs);
    const head = { from: String(from), to: String(to), origin, token: token === undefined ? '' : `=${token}` };
    const reply = await committer.commit(namespace, changes, head).catch((error: unknown) => {
      throw explained(error, namespace);
    });
    if (reply instanceof Buffer) throw new CheckpointConflict(projection, from, BigInt(reply.toString()));
    const [checkpoint, shown] = reply ?? [];
    if (checkpoint && shown) this.feed.notify(projection, BigInt(checkpoint.toString()), shown.toString());
  }

  /** Same as a commit, because Redis decides itself when to write to disk. */
  commitSoon(...commit: Parameters<ReadStore['commitSoon']>): Promise<void> {
    return this.commit(...commit);
  }

  async flush(): Promise<void> {}

  onCommit(projection: string, listener: CommitListener): () => void {
    return this.feed.listen(projection, listener);
  }

  async size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>> {
    const served = await readServed(this.connection, this.keys(projection));
    if (!served?.isUnfinished) return { documents: served?.documents ?? 0, bytes: null };
    const unfinished = this.unfinished(projection);
    await unfinished.load(served.slot);
    await unfinished.finish();
    return this.size(projection);
  }

  async usage(): Promise<StoreUsage | null> {
    try {
      return usageIn(await infosOf(this.connection));
    } catch (error) {
      if (error instanceof ReadStoreUnavailable && redisCode(error.cause) !== '') return null; // it may not be asked
      throw error;
    }
  }

  async trouble(): Promise<string | null> {
    await this.served('');
    return null;
  }

  async close(): Promise<void> {
    await Promise.all([this.feed.close(), this.connection.close()]);
  }

  /** @throws NamespaceGone */
  private async build(namespace: Namespace): Promise<StoredBuild> {
    const { projection, slot, generation } = namespace;
    const found = (await readBuilds(this.connection, this.keys(projection))).find((one) => one.slot === slot);
    if (found?.generation !== generation) throw gone(namespace);
    return found;
  }

  /** Removes the documents of a slot, unless the slot holds another generation meanwhile. */
  private async clear(keys: ProjectionKeys, slot: Namespace['slot'], generation: string, collections: readonly Buffer[]): Promise<void> {
    if (collections.length === 0) return;
    const names = collections.map(String);
    const ofCollections = names.flatMap((name) => [keys.documents(slot, name), keys.index(slot, name)]);
    await this.connection.run(CLEAR, [keys.meta, keys.collections(slot), ...ofCollections], [slot, generation]);
  }

  private unfinished(projection: string): Unfinished {
    return getOrInsert(this.unfinishedOf, projection, () => new Unfinished(this.connection, this.keys(projection)));
  }

  private keys(projection: string): ProjectionKeys {
    return new ProjectionKeys(this.keyPrefix, projection);
  }
}

const explained = (error: unknown, namespace: Namespace): unknown => (error instanceof ConnectionGone ? gone(namespace) : error);

const gone = ({ projection, generation }: Namespace): NamespaceGone =>
  new NamespaceGone(`projection ${projection}: generation ${generation} was replaced by a newer build`);
