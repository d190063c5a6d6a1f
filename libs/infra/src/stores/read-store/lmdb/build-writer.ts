import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '#infra/platform/lmdb/environment.js';
import { checkChanges } from '#infra/stores/read-store/keys.js';
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
import { asked, Keeper } from './keeper.js';
import { type Build, type Namespaces, otherSlot } from './namespaces.js';
import { type Move, moved, refusalOf } from './pending-build.js';
import { PendingCommits } from './pending-commits.js';
import { write } from './writer.js';

/** A process that does not answer for so long is taken for gone. */
const KEEPER_WAIT_MS = 1_000;
const KEEPER_LOOK_MS = 10;

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
  private readonly keeper = new Keeper();
  /** Projections whose commits in memory are being written because another process has asked for them. */
  private readonly yielding = new Set<string>();

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
      namespaces.setBuild(projection, slot, { generation, version, checkpoint: 0n, origin: null, marks: '', commits: 0, keeper: '' });
      return { projection, version, slot, generation };
    });
  }

  async serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    const { databases, namespaces } = this.options;
    const { projection, slot } = namespace;
    const slots = await databases.open(projection);
    await this.askKeeper(projection, instead);
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

  /**
   * @param move `undefined`: the checkpoint stays where it is
   * @param noting changes the record of the build besides
   */
  async commit(
    namespace: Namespace,
    changes: readonly Change[],
    move: Move | undefined,
    marks: MarksChange | undefined,
    noting: (build: Build) => Build = (build) => build,
  ): Promise<void> {
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
      namespaces.setBuild(projection, slot, noting({ ...(move ? moved(build, move) : build), marks: marks?.to ?? build.marks }));
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
      const layered = this.keeper.is(build) ? layerable(db, encoded) : undefined;
      if (layered) pending.apply(namespace, build, layered, move);
      return layered ? undefined : 'at once';
    });
    if (outcome === 'at once') {
      const same = marks === undefined ? undefined : { from: marks, to: marks };
      return await this.commit(namespace, changes, move, same, (build) => this.keeper.stored(projection, build));
    }
    if (outcome) throw outcome;
  }

  /** Writes what is in memory if another process has asked for it: then `true`, as long as it is not written. Called often. */
  attend(projection: string): boolean {
    const { namespaces } = this.options;
    const slot = namespaces.servedSlot(projection);
    if (!slot || !this.keeper.isAsked(namespaces.recordOf(projection, slot))) return false;
    if (this.yielding.has(projection)) return true;
    const yielded = this.alone(projection, [slot], undefined, () => {
      const build = namespaces.build(projection, slot);
      if (build) namespaces.setBuild(projection, slot, this.keeper.stored(projection, build));
    });
    this.yielding.add(projection);
    void yielded.catch(() => undefined).finally(() => this.yielding.delete(projection));
    return true;
  }

  /** What another process has in memory of the served build counts: resolves when it is written, or that process seems to be gone. */
  private async askKeeper(projection: string, instead: Namespace | undefined): Promise<void> {
    const { namespaces } = this.options;
    const kept = () => {
      const slot = namespaces.servedSlot(projection);
      const build = slot && namespaces.build(projection, slot);
      return slot && build && build.generation !== instead?.generation && this.keeper.isOther(build) ? { slot, build } : undefined;
    };
    if (!this.reading(kept)) return;
    await this.alone(projection, [], undefined, () => {
      const found = kept();
      if (found) namespaces.setBuild(projection, found.slot, asked(found.build));
    });
    const until = performance.now() + KEEPER_WAIT_MS;
    while (performance.now() < until && this.reading(kept)) await sleep(KEEPER_LOOK_MS);
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
