import type { Position } from '#domain/shared/events.js';
import { CommitListeners } from '#infra/stores/read-store/commit-listeners.js';
import {
  type CommitListener,
  type Namespace,
  ReadModelsUnavailable,
  type ReadStore,
  ReadStoreUnavailable,
  type ReadView,
  type ServedBuild,
} from '#projections/shared/read-store.js';
import type { Build, PastBuild } from './build.js';
import { BuildImport, type KeptVersions } from './builds/build-import.js';
import { BuildSwitch } from './builds/build-switch.js';
import { collectionsOf } from './document-ranges.js';
import { Follower } from './follower.js';
import { numberOf } from './texts/record.js';
import { shownAt, shownNow } from './views/shown.js';
import { type DocumentLookup, DocumentView, type Reading } from './views/view.js';
import { DocumentWriter, type StoreParts } from './writer.js';

/** Read models that can also be read as of past positions. */
export interface PastStore extends ReadStore {
  /**
   * The documents of a projection as of a position, or the newest ones if the build has not reached it, or they carry positions themselves.
   * Calls throw ReadStoreUnavailable, also if there is no build to read.
   * @param choose returns one of `pastOf`; called on each read, may throw. Default: the first that shows the position
   */
  past(projection: string, position: Position, choose?: (builds: readonly PastBuild[]) => PastBuild | undefined): ReadView;

  /** Builds that show the past of a projection: the served one first, then the kept ones, newest first. */
  pastOf(projection: string): readonly PastBuild[];

  keepsPast(projection: string): boolean;
  isOutdated(namespace: Namespace): boolean;
  setFrom(namespace: Namespace, from: Position): Promise<void>;

  /**
   * Adds a kept build that counts as older than all others. Does nothing if it was imported before.
   * @throws ReadStoreUnavailable and errors of reading `changes`; then nothing was added
   */
  importBuild(projection: string, versions: KeptVersions): Promise<void>;
}

/** `unlock`: called after everything is closed. */
export type DocumentStoreParts = StoreParts &
  Readonly<{ readOnly: boolean; isAlone: boolean; keepsBuild: (projection: string, build: PastBuild) => boolean; unlock: () => void }>;

const firstShowing =
  (position: Position) =>
  (builds: readonly PastBuild[]): PastBuild | undefined =>
    builds.find(({ from, checkpoint, isServed }) => from <= position && (isServed || position <= checkpoint));

/** Implements the port on builds. A read finds its build and runs in one turn of the event loop. Read-only openings have no writer. */
export class DocumentStore implements PastStore {
  private readonly listeners = new CommitListeners();
  private readonly own: Readonly<{ writer: DocumentWriter; buildSwitch: BuildSwitch; buildImport: BuildImport }> | undefined;
  private readonly follower: Follower | undefined;
  private closing: Promise<void> | undefined;

  constructor(readonly parts: DocumentStoreParts) {
    const { builds, index, news, readOnly } = parts;
    if (readOnly) {
      this.follower = new Follower(news.of, builds, index, this.listeners);
      return;
    }
    const writer = new DocumentWriter({ ...parts, committed: (build) => this.tell(build) });
    const buildImport = new BuildImport({ ...parts, writer });
    this.own = { writer, buildSwitch: new BuildSwitch({ ...parts, writer }), buildImport };
    writer.mergeAll();
  }

  get isAlone(): boolean {
    return this.parts.isAlone;
  }

  view(projection: string, floor?: () => Position): ReadView {
    return this.showing(() => {
      const build = this.parts.builds.served(projection);
      if (floor && !build) throw new ReadModelsUnavailable('nothing is served', projection);
      if (floor && build && build.state.checkpoint < floor())
        throw new ReadModelsUnavailable('the served build shows less than before', projection);
      return build;
    });
  }

  documents(namespace: Namespace): ReadView {
    return this.showing(() => this.parts.builds.find(namespace));
  }

  past(projection: string, position: Position, choose = firstShowing(position)): ReadView {
    const { builds } = this.parts;
    const find = (): Build | undefined => {
      const all = builds.past(projection);
      const described = all.map((build) => builds.described(build));
      const chosen = choose(described);
      const build = chosen && all[described.indexOf(chosen)];
      if (!build) throw new ReadStoreUnavailable(`no build shows position ${position} of ${projection}`);
      return build;
    };
    // A checkpoint that went back marks documents of another log; nothing behind it is shown.
    const placeIn = ({ state: { checkpoint } }: Build): number => numberOf(position < checkpoint ? position : checkpoint);
    const { index } = this.parts;
    const shownOf = (build: Build): DocumentLookup => (build.keepsPast ? shownAt(build, index, placeIn(build)) : shownNow(build, index));
    return new DocumentView(this.reading(find, shownOf), position);
  }

  pastOf(projection: string): readonly PastBuild[] {
    const { builds } = this.parts;
    return this.newest(() => builds.past(projection)).map((build) => builds.described(build));
  }

  async collections(namespace: Namespace): Promise<readonly string[]> {
    const reading = this.reading(() => this.parts.builds.find(namespace));
    return reading(({ build }) => collectionsOf(build, this.parts.index), []);
  }

  async served(projection: string): Promise<Namespace | null> {
    return (await this.standing(projection))?.namespace ?? null;
  }

  async standing(projection: string): Promise<ServedBuild | null> {
    const build = this.newest(() => this.parts.builds.served(projection));
    return build ? { namespace: build.namespace, checkpoint: build.state.checkpoint } : null;
  }

  async prepare(projection: string, version: number): Promise<Namespace> {
    const { buildSwitch } = this.writing();
    return this.parts.condition.changing(() => buildSwitch.prepare(projection, version));
  }

  async serve(namespace: Namespace, instead?: Namespace): Promise<void> {
    const { buildSwitch, writer } = this.writing();
    await this.parts.condition.changing(() => buildSwitch.serve(namespace, instead));
    writer.mergeAll();
    this.tell(this.parts.builds.find(namespace));
    this.parts.news.tell();
  }

  async checkpoint(namespace: Namespace): Promise<Position> {
    return (await this.progress(namespace)).checkpoint;
  }

  async progress(namespace: Namespace): ReturnType<ReadStore['progress']> {
    const { checkpoint, origin, marks: token } = this.build(namespace).state;
    this.follower?.tell(namespace.projection);
    return { checkpoint, origin, token };
  }

  async commit(...[namespace, changes, from, to, origin, token]: Parameters<ReadStore['commit']>): Promise<void> {
    await this.writing().writer.commit({ namespace, changes, move: { from, to, origin, token }, soon: false });
  }

  async commitSoon(...[namespace, changes, from, to, origin]: Parameters<ReadStore['commitSoon']>): Promise<void> {
    await this.writing().writer.commit({ namespace, changes, move: { from, to, origin }, soon: true });
  }

  keepsPast(projection: string): boolean {
    return this.parts.builds.keepsPast(projection);
  }

  isOutdated(namespace: Namespace): boolean {
    const { builds, keepsBuild } = this.parts;
    const build = this.build(namespace);
    if (build.keepsPast === builds.keepsPast(namespace.projection)) return false;
    return !build.keepsPast || !keepsBuild(namespace.projection, builds.described(build));
  }

  async setFrom(namespace: Namespace, from: Position): Promise<void> {
    await this.writing().writer.setFrom(namespace, from);
  }

  async importBuild(projection: string, versions: KeptVersions): Promise<void> {
    const { buildImport, writer } = this.writing();
    await this.parts.condition.changing(() => buildImport.run(projection, versions));
    writer.mergeAll();
  }

  async flush(): Promise<void> {
    this.parts.condition.check();
    await this.own?.writer.flush();
  }

  onCommit(projection: string, listener: CommitListener): () => void {
    this.parts.condition.check();
    this.follower?.listen(projection);
    return this.listeners.add(projection, listener);
  }

  async size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>> {
    const build = this.newest(() => this.parts.builds.served(projection));
    return { documents: build?.state.documents ?? 0, bytes: build?.file.bytes ?? 0 };
  }

  async trouble(): Promise<string | null> {
    const { builds, condition } = this.parts;
    condition.check();
    const damaged = condition.damaged((file) => builds.has(file));
    return damaged.length === 0 ? null : `damaged documents are being built anew: ${damaged.join(', ')}`;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.parts.condition.end();
    this.follower?.close();
    await this.own?.writer.close();
    this.parts.news.close();
    this.parts.builds.close();
    await this.parts.index.close();
    this.parts.unlock();
  }

  /** @throws NamespaceGone */
  private build(namespace: Namespace): Build {
    return this.newest(() => this.parts.builds.find(namespace));
  }

  private newest<Found>(find: () => Found): Found {
    return this.parts.condition.reading(() => this.find(find));
  }

  private find<Found>(find: () => Found): Found {
    this.follower?.refresh();
    return find();
  }

  private showing(find: () => Build | undefined): ReadView {
    return new DocumentView(this.reading(find));
  }

  /** @param find throws NamespaceGone, ReadStoreUnavailable */
  private reading(find: () => Build | undefined, shownOf = (build: Build): DocumentLookup => shownNow(build, this.parts.index)): Reading {
    const { condition } = this.parts;
    return async (read, nothing) => {
      let build: Build | undefined;
      const work = () => {
        build = this.find(find);
        if (!build) return nothing;
        condition.checkBuild(build);
        return read({ build, shown: shownOf(build) });
      };
      return condition.reading(work, () => build);
    };
  }

  private tell({ namespace: { projection }, state }: Build): void {
    if (this.parts.builds.served(projection)?.state === state) this.listeners.notify(projection, state.checkpoint, state.marks);
  }

  private writing(): NonNullable<typeof this.own> {
    this.parts.condition.check();
    if (!this.own) throw new ReadStoreUnavailable('the read store is open for reading only');
    return this.own;
  }
}
