import type { Environment } from '#infra/lmdb/environment.js';
import { checkChanges } from '#infra/read-store/keys.js';
import {
  type Change,
  CheckpointConflict,
  type MarksChange,
  type Namespace,
  NamespaceGone,
  ReadStoreUnavailable,
} from '#projections/shared/read-store.js';
import { applyChange, encodeChange, layerable } from './changes.js';
import type { Condition } from './condition.js';
import type { Databases, DocumentDatabase, Slot } from './databases.js';
import { type Namespaces, otherSlot } from './namespaces.js';
import { type Move, moved, refusalOf } from './pending-build.js';
import { PendingCommits } from './pending-commits.js';
import { write } from './writer.js';

export type BuildWriterOptions = Readonly<{
  environment: Environment;
  databases: Databases;
  /** The builds as they are on disk. */
  namespaces: Namespaces;
  condition: Condition;
}>;

/** Changes builds: at once on disk, or in memory first. Whether the store is open is for the caller to see. Errors are those of the port `ReadStore`. */
export class BuildWriter {
  /** What readers have to look at before they look at the disk. */
  readonly pending: PendingCommits;

  constructor(private readonly options: BuildWriterOptions) {
    this.pending = new PendingCommits({ ...options, read: (read) => this.reading(read), write: (work) => this.transact(work) });
  }

  async prepare(projection: string, version: number): Promise<Namespace> {
    const { databases, namespaces } = this.options;
    const slots = await databases.open(projection);
    return this.alone(projection, [], undefined, () => {
      const served = namespaces.servedSlot(projection);
      const slot = served ? otherSlot(served) : 'a';
      const generation = namespaces.nextGeneration(projection);
      clear(slots[slot]);
      namespaces.setBuild(projection, slot, { generation, version, checkpoint: 0n, origin: null, marks: '', commits: 0 });
      return { projection, version, slot, generation };
    });
  }

  async serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    const { databases, namespaces } = this.options;
    const { projection, slot } = namespace;
    const slots = await databases.open(projection);
    const refusal = await this.alone(projection, ['a', 'b'], undefined, () => {
      const build = namespaces.buildOf(namespace);
      if (!build) return gone(namespace);
      const servedSlot = namespaces.servedSlot(projection);
      const served = servedSlot && namespaces.build(projection, servedSlot);
      const isAhead = served !== undefined && served.checkpoint > build.checkpoint && served.generation !== instead?.generation;
      if (isAhead) return new CheckpointConflict(projection, build.checkpoint, served.checkpoint);
      namespaces.setServed(projection, slot);
      if (servedSlot === undefined || servedSlot === slot) return undefined;
      namespaces.removeBuild(projection, servedSlot);
      clear(slots[servedSlot]);
      return undefined;
    });
    if (refusal) throw refusal;
  }

  /** @param move `undefined`: the checkpoint stays where it is */
  async commit(namespace: Namespace, changes: readonly Change[], move: Move | undefined, marks: MarksChange | undefined): Promise<void> {
    checkChanges(changes);
    const { databases, namespaces } = this.options;
    const { projection, slot } = namespace;
    const encoded = changes.map(encodeChange);
    const db = (await databases.open(projection))[slot];
    const refusal = await this.alone(projection, [slot], marks?.from, () => {
      const build = namespaces.buildOf(namespace);
      const refusal = build ? refusalOf(namespace, build, move, marks?.from) : gone(namespace);
      if (!build || refusal) return refusal;
      for (const change of encoded) applyChange(db, change);
      namespaces.setBuild(projection, slot, { ...(move ? moved(build, move) : build), marks: marks?.to ?? build.marks });
      return undefined;
    });
    if (refusal) throw refusal;
  }

  /** @param marks those expected; without them whatever they are */
  async commitSoon(namespace: Namespace, changes: readonly Change[], move: Move, marks: string | undefined): Promise<void> {
    checkChanges(changes);
    const { pending } = this;
    const { projection, slot } = namespace;
    const encoded = changes.map(encodeChange);
    const db = (await this.options.databases.open(projection))[slot];
    for (let obstacle = pending.obstacle(projection); obstacle; obstacle = pending.obstacle(projection)) await obstacle;
    this.options.condition.check();
    const outcome = this.reading(() => {
      const build = pending.buildOf(namespace);
      const refusal = build ? refusalOf(namespace, build, move, marks) : gone(namespace);
      if (!build || refusal) return refusal;
      const layered = layerable(db, encoded);
      if (layered) pending.apply(namespace, build, layered, move);
      return layered ? undefined : 'too much';
    });
    if (outcome === 'too much')
      return await this.commit(namespace, changes, move, marks === undefined ? undefined : { from: marks, to: marks });
    if (outcome) throw outcome;
  }

  private alone<Result>(projection: string, slots: readonly Slot[], marks: string | undefined, work: () => Result): Promise<Result> {
    return this.pending.alone(projection, slots, marks, () => this.transact(work));
  }

  private reading<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw this.options.condition.explain(error);
    }
  }

  private async transact<Result>(work: () => Result): Promise<Result> {
    const { environment, condition } = this.options;
    try {
      environment.requireRoom();
      return await write(environment.root, work);
    } catch (error) {
      throw condition.explain(error instanceof ReadStoreUnavailable ? error.cause : error);
    }
  }
}

/** Inside a transaction the database is cleared when it returns. */
const clear = (db: DocumentDatabase): void => {
  void db.clearAsync();
};

export const gone = ({ projection, generation }: Namespace): NamespaceGone =>
  new NamespaceGone(`projection ${projection}: generation ${generation} was replaced by a newer build`);
