import type { Position } from '#domain/shared/events.js';
import { type Environment, openEnvironment } from '#infra/lmdb/environment.js';
import { checkChanges } from '#infra/read-store/keys.js';
import {
  type Change,
  CheckpointConflict,
  type CommitListener,
  type MarksChange,
  MarksConflict,
  type Namespace,
  NamespaceGone,
  type Progress,
  ReadModelsUnavailable,
  type ReadStore,
  ReadStoreUnavailable,
  type Standing,
} from '#projections/shared/read-store.js';
import { CommitWatch } from './commit-watch.js';
import { Condition, type ReadModelDamage } from './condition.js';
import { Databases, type DocumentDatabase, MAX_DATABASES, READ_MODEL_FORMAT, type Slots } from './databases.js';
import { applyChange, collectionsIn, encodeChange } from './documents.js';
import { type Build, Namespaces, otherSlot } from './namespaces.js';
import { inspectReadModels } from './read-model-inspector.js';
import { LmdbView } from './view.js';
import { write } from './writer.js';

/**
 * Opens read models in an LMDB environment of their own in the directory `path`, which is created if missing. Commits survive a killed
 * process but not a power cut: then the environment is emptied at the next open, and the read models are rebuilt from the log. Several
 * processes may open it at once; commits of another process are noticed within about 25 ms. One process should open it once: lmdb opens
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
  return new LmdbReadStore(environment, readOnly, onDamage);
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
/** A move of the checkpoint. */
type Move = Readonly<{ from: Position; to: Position; origin: string | undefined }>;

class LmdbReadStore implements ReadStore {
  private readonly databases: Databases;
  private readonly namespaces: Namespaces;
  private readonly watch: CommitWatch;
  private readonly condition: Condition;
  private closed = false;

  constructor(
    private readonly environment: Environment,
    readOnly: boolean,
    onDamage: (damage: ReadModelDamage) => void,
  ) {
    this.databases = new Databases(environment.root, readOnly);
    this.namespaces = new Namespaces(this.databases.meta);
    this.watch = new CommitWatch(this.namespaces);
    const generationIn = (projection: string, slot: 'a' | 'b') => this.namespaces.build(projection, slot)?.generation;
    this.condition = new Condition(generationIn, (damage) => {
      environment.distrust();
      onDamage(damage);
    });
  }

  /** What is served is replaced only by what shows as much, so that a floor needs no comparison. */
  view(projection: string, floor?: () => Position): LmdbView {
    return new LmdbView(this.databases, projection, this.condition, () => {
      this.checkOpen();
      const slot = this.namespaces.servedSlot(projection);
      if (floor && !slot) throw new ReadModelsUnavailable('nothing is served');
      return slot;
    });
  }

  documents(namespace: Namespace): LmdbView {
    return new LmdbView(this.databases, namespace.projection, this.condition, () => {
      this.checkOpen();
      if (!this.namespaces.buildOf(namespace)) throw gone(namespace);
      return namespace.slot;
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
      const build = slot && this.namespaces.build(projection, slot);
      if (!slot || !build) return null;
      const { version, generation, checkpoint } = build;
      return { namespace: { projection, version, slot, generation }, checkpoint };
    });
  }

  async prepare(projection: string, version: number): Promise<Namespace> {
    const slots = await this.open(projection);
    return this.write(() => {
      const served = this.namespaces.servedSlot(projection);
      const slot = served ? otherSlot(served) : 'a';
      const generation = this.namespaces.nextGeneration(projection);
      clear(slots[slot]);
      this.namespaces.setBuild(projection, slot, { generation, version, checkpoint: 0n, origin: null, marks: '' });
      return { projection, version, slot, generation };
    });
  }

  async serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    const { projection, slot } = namespace;
    const slots = await this.open(projection);
    const refusal = await this.write(() => {
      const build = this.namespaces.buildOf(namespace);
      if (!build) return gone(namespace);
      const servedSlot = this.namespaces.servedSlot(projection);
      const served = servedSlot && this.namespaces.build(projection, servedSlot);
      const isAhead = served !== undefined && served.checkpoint > build.checkpoint && served.generation !== instead?.generation;
      if (isAhead) return new CheckpointConflict(projection, build.checkpoint, served.checkpoint);
      this.namespaces.setServed(projection, slot);
      if (servedSlot === undefined || servedSlot === slot) return undefined;
      this.namespaces.removeBuild(projection, servedSlot);
      clear(slots[servedSlot]);
      return undefined;
    });
    if (refusal) throw refusal;
    this.watch.look(projection);
  }

  async checkpoint(namespace: Namespace): Promise<Position> {
    return this.build(namespace).checkpoint;
  }

  async progress(namespace: Namespace): Promise<Progress> {
    const { checkpoint, origin } = this.build(namespace);
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
    await this.apply(namespace, changes, { from, to, origin }, marks);
  }

  async mark(namespace: Namespace, changes: readonly Change[], marks: MarksChange): Promise<void> {
    await this.apply(namespace, changes, undefined, marks);
  }

  onCommit(projection: string, listener: CommitListener): () => void {
    return this.read(() => this.watch.listen(projection, listener));
  }

  async size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>> {
    return this.view(projection).read(sizeOf, { documents: 0, bytes: 0 });
  }

  async trouble(): Promise<string | null> {
    const damaged = this.read(() => this.condition.damaged);
    return damaged.length === 0 ? null : `damaged documents are being built anew: ${damaged.join(', ')}`;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.watch.close();
    await this.environment.close();
  }

  /** @throws NamespaceGone */
  private build(namespace: Namespace): Build {
    const build = this.read(() => this.namespaces.buildOf(namespace));
    if (!build) throw gone(namespace);
    return build;
  }

  private async apply(
    namespace: Namespace,
    changes: readonly Change[],
    move: Move | undefined,
    marks: MarksChange | undefined,
  ): Promise<void> {
    checkChanges(changes);
    const { projection, slot } = namespace;
    const encoded = changes.map(encodeChange);
    const db = (await this.open(projection))[slot];
    const refusal = await this.write(() => {
      const build = this.namespaces.buildOf(namespace);
      if (!build) return gone(namespace);
      if (move && build.checkpoint !== move.from) return new CheckpointConflict(projection, move.from, build.checkpoint);
      if (marks && build.marks !== marks.from) return new MarksConflict(projection, marks.from, build.marks);
      for (const change of encoded) applyChange(db, change);
      const after = {
        ...build,
        checkpoint: move?.to ?? build.checkpoint,
        origin: move?.origin ?? build.origin,
        marks: marks?.to ?? build.marks,
      };
      this.namespaces.setBuild(projection, slot, after);
      return undefined;
    });
    if (refusal) throw refusal;
    this.watch.look(projection);
  }

  private async open(projection: string): Promise<Slots> {
    this.checkOpen();
    return await this.databases.open(projection);
  }

  private read<Found>(read: () => Found): Found {
    this.checkOpen();
    try {
      return read();
    } catch (error) {
      throw this.condition.explain(error);
    }
  }

  private async write<Result>(work: () => Result): Promise<Result> {
    this.checkOpen();
    try {
      this.environment.requireRoom();
      return await write(this.environment.root, work);
    } catch (error) {
      throw this.condition.explain(error instanceof ReadStoreUnavailable ? error.cause : error);
    }
  }

  private checkOpen(): void {
    if (this.closed) throw new ReadStoreUnavailable('the read store is closed');
    this.condition.check();
  }
}

/** Inside a transaction the database is cleared when it returns. */
const clear = (db: DocumentDatabase): void => {
  void db.clearAsync();
};

const gone = ({ projection, generation }: Namespace): NamespaceGone =>
  new NamespaceGone(`projection ${projection}: generation ${generation} was replaced by a newer build`);

/** Pages are counted whole, so `bytes` is the space that the documents take on disk. O(1). */
const sizeOf = (db: DocumentDatabase): Readonly<{ documents: number; bytes: number }> => {
  const stats: Partial<Record<string, unknown>> = db.getStats();
  const figure = (name: string): number => Number(stats[name]);
  const pages = figure('treeBranchPageCount') + figure('treeLeafPageCount') + figure('overflowPages');
  return { documents: figure('entryCount'), bytes: pages * figure('pageSize') };
};
