import type { Position } from '#domain/shared/events.js';
import { type Environment, openEnvironment } from '#infra/platform/lmdb/environment.js';
import { NewestTransaction } from '#infra/platform/lmdb/newest-transaction.js';
import {
  type Change,
  type CommitListener,
  type MarksChange,
  type Namespace,
  type Progress,
  ReadModelsUnavailable,
  type ReadStore,
  ReadStoreUnavailable,
  type Standing,
} from '#projections/shared/read-store.js';
import { BuildWriter, gone } from './build-writer.js';
import { CommitWatch } from './commit-watch.js';
import { Condition, type ReadModelDamage } from './condition.js';
import { Databases, MAX_DATABASES, READ_MODEL_FORMAT, type Slot } from './databases.js';
import { collectionsIn, type Documents } from './documents.js';
import { type Build, Namespaces } from './namespaces.js';
import type { PendingCommits } from './pending-commits.js';
import { inspectReadModels } from './read-model-inspector.js';
import { type Found, LmdbView } from './view.js';

/**
 * Opens read models in an LMDB environment of their own in the directory `path`, which is created if missing. Commits survive a killed
 * process, those by `commitSoon` once they are written, but not a loss of power: then the environment goes back to its last restore point. Several
 * processes may open it at once; what another process has written is noticed within about 25 ms. One process should open it once: lmdb opens
 * synchronously, and waits for ever for a transaction of the same process.
 * @throws EnvironmentError the directory cannot be used
 */
export const openLmdbReadStore = ({ path, readOnly = false, report, onDamage = () => {} }: LmdbReadStoreOptions): ReadStore => {
  const environment = openEnvironment({
    path,
    durability: 'replayable',
    readOnly,
    maxDbs: MAX_DATABASES,
    format: READ_MODEL_FORMAT,
    newInspector: inspectReadModels,
    ...(report && { report }),
  });
  return new LmdbReadStore(environment, new NewestTransaction(path), readOnly, onDamage);
};

export type LmdbReadStoreOptions = Readonly<{
  path: string;
  /** Opens read models that are there, beside a process that writes them. Default false. */
  readOnly?: boolean;
  /** Receives, as a sentence, why the read models were emptied when they were opened. Default: `process.emitWarning`. */
  report?: (message: string) => void;
  /** Called when damage is found later, once for each projection. Its documents are not read any more until they have been rebuilt. */
  onDamage?: (damage: ReadModelDamage) => void;
}>;

class LmdbReadStore implements ReadStore {
  private readonly databases: Databases;
  /** The builds as they are on disk: only for transactions, and for what is not committed to. */
  private readonly namespaces: Namespaces;
  private readonly writer: BuildWriter;
  private readonly pending: PendingCommits;
  private readonly watch: CommitWatch;
  private readonly condition: Condition;
  private closed = false;

  constructor(
    private readonly environment: Environment,
    private readonly newest: NewestTransaction,
    readOnly: boolean,
    onDamage: (damage: ReadModelDamage) => void,
  ) {
    this.databases = new Databases(environment.root, readOnly);
    this.namespaces = new Namespaces(this.databases.meta);
    const generationIn = (projection: string, slot: Slot) => this.namespaces.build(projection, slot)?.generation;
    this.condition = new Condition(generationIn, (damage) => {
      environment.distrust();
      onDamage(damage);
    });
    const { databases, namespaces, condition } = this;
    this.writer = new BuildWriter({ environment, databases, namespaces, condition });
    this.pending = this.writer.pending;
    this.watch = new CommitWatch(this.writer, () => this.lastTransaction());
  }

  get isFlushed(): boolean {
    return this.pending.isEmpty;
  }

  view(projection: string, floor?: () => Position): LmdbView {
    return new LmdbView(this.databases, projection, this.condition, () => {
      this.checkOpen();
      const slot = this.namespaces.servedSlot(projection);
      if (floor) this.checkFloor(projection, slot, floor);
      return slot && this.found(projection, slot);
    });
  }

  documents(namespace: Namespace): LmdbView {
    const { projection, slot } = namespace;
    return new LmdbView(this.databases, projection, this.condition, () => {
      this.checkOpen();
      if (!this.pending.buildOf(namespace)) throw gone(namespace);
      return this.found(projection, slot);
    });
  }

  async collections(namespace: Namespace): Promise<readonly string[]> {
    return this.documents(namespace).read(collectionsIn, []);
  }

  async served(projection: string): Promise<Namespace | null> {
    return (await this.standing(projection))?.namespace ?? null;
  }

  async standing(projection: string): Promise<Standing | null> {
    return this.read(() => {
      const slot = this.namespaces.servedSlot(projection);
      const build = slot && this.pending.build(projection, slot);
      if (!slot || !build) return null;
      const { version, generation, checkpoint } = build;
      return { namespace: { projection, version, slot, generation }, checkpoint };
    });
  }

  async prepare(projection: string, version: number): Promise<Namespace> {
    this.checkOpen();
    return await this.writer.prepare(projection, version);
  }

  async serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    this.checkOpen();
    await this.writer.serve(namespace, instead);
    this.watch.look(namespace.projection);
  }

  async checkpoint(namespace: Namespace): Promise<Position> {
    return (await this.progress(namespace)).checkpoint;
  }

  async progress(namespace: Namespace): Promise<Progress> {
    const { checkpoint, origin } = this.build(namespace);
    this.watch.look(namespace.projection);
    return { checkpoint, origin };
  }

  async marks(namespace: Namespace): Promise<string> {
    return this.build(namespace).marks;
  }

  async commit(
    namespace: Namespace,
    changes: readonly Change[],
    from: Position,
    to: Position,
    origin?: string,
    marks?: MarksChange,
  ): Promise<void> {
    this.checkOpen();
    await this.writer.commit(namespace, changes, { from, to, origin }, marks);
    this.watch.look(namespace.projection);
  }

  async commitSoon(...[namespace, changes, from, to, origin, marks]: Parameters<ReadStore['commitSoon']>): Promise<void> {
    this.checkOpen();
    await this.writer.commitSoon(namespace, changes, { from, to, origin }, marks);
    this.watch.look(namespace.projection);
  }

  async flush(): Promise<void> {
    this.checkOpen();
    await this.pending.flush();
  }

  async mark(namespace: Namespace, changes: readonly Change[], marks: MarksChange): Promise<void> {
    this.checkOpen();
    await this.writer.commit(namespace, changes, undefined, marks);
    this.watch.look(namespace.projection);
  }

  onCommit(projection: string, listener: CommitListener): () => void {
    return this.read(() => this.watch.listen(projection, listener));
  }

  look(): void {
    this.watch.poll(true);
  }

  async size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>> {
    await this.flush().catch(() => undefined); // then it is a little less exact
    return this.view(projection).read(sizeOf, { documents: 0, bytes: 0 });
  }

  async trouble(): Promise<string | null> {
    const damaged = this.read(() => this.condition.damaged);
    return damaged.length === 0 ? null : `damaged documents are being built anew: ${damaged.join(', ')}`;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.watch.close();
    await this.pending.close();
    await this.environment.close();
    this.newest.close();
  }

  /** @throws NamespaceGone */
  private build(namespace: Namespace): Build {
    const build = this.read(() => this.pending.buildOf(namespace));
    if (!build) throw gone(namespace);
    return build;
  }

  private read<Found>(read: () => Found): Found {
    this.checkOpen();
    try {
      return read();
    } catch (error) {
      throw this.condition.explain(error);
    }
  }

  /** What is read after it shows it. `undefined`: it cannot be told. */
  private lastTransaction(): bigint | undefined {
    try {
      const last = this.newest.read();
      this.environment.root.resetReadTxn();
      return last;
    } catch {
      return undefined;
    }
  }

  private found(projection: string, slot: Slot): Found {
    return { slot, layer: this.pending.of(projection, slot)?.layer };
  }

  /** What is served is replaced only by what shows as much, so that nothing needs to be compared unless commits were dropped. */
  private checkFloor(projection: string, slot: Slot | undefined, floor: () => Position): void {
    if (!slot) throw new ReadModelsUnavailable('nothing is served');
    if (!this.pending.mayRecede(projection, slot)) return;
    const build = this.pending.build(projection, slot);
    if (!build || build.checkpoint < floor()) throw new ReadModelsUnavailable('what is served shows less than it did');
    this.pending.recovered(projection);
  }

  private checkOpen(): void {
    if (this.closed) throw new ReadStoreUnavailable('the read store is closed');
    this.condition.check();
  }
}

/** Pages are counted whole, so `bytes` is the space that the documents take on disk. O(1). */
const sizeOf = ({ db }: Documents): Readonly<{ documents: number; bytes: number }> => {
  const stats: Partial<Record<string, unknown>> = db.getStats();
  const figure = (name: string): number => Number(stats[name]);
  const pages = figure('treeBranchPageCount') + figure('treeLeafPageCount') + figure('overflowPages');
  return { documents: figure('entryCount'), bytes: pages * figure('pageSize') };
};
