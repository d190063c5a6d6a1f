import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '#infra/platform/program/system-error.js';
import { type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import { Build, type PastBuild } from './build.js';
import { BuildFile } from './build-file.js';
import { type BuildRow, Catalogue, type FileSlot, withoutBuilds } from './catalogue.js';
import type { Condition } from './condition.js';
import type { DocumentIndex } from './document-index.js';
import type { Files } from './files.js';
import { Damaged } from './texts/record.js';
import { TextCache } from './texts/text-cache.js';

type BuildsOptions = Readonly<{
  directory: string;
  index: DocumentIndex;
  condition: Condition;
  files: Files;
  readOnly: boolean;
  keepsPast: (projection: string) => boolean;
  carriesPast: (projection: string) => boolean;
}>;

const SLOTS: readonly FileSlot[] = ['a', 'b'];
const EXTENSION = '.docs';

/** The builds named by the catalogue, with open files. */
export class Builds {
  readonly catalogue: Catalogue;
  private readonly byFile = new Map<number, Build>();
  private readonly cache = new TextCache();
  private next = 1;

  constructor(private readonly options: BuildsOptions) {
    this.catalogue = new Catalogue(join(options.directory, 'builds'));
  }

  get all(): Iterable<Build> {
    return this.byFile.values();
  }

  keepsPast(projection: string): boolean {
    return this.options.keepsPast(projection);
  }

  has(file: number): boolean {
    return this.byFile.has(file);
  }

  /** The served build. */
  served(projection: string): Build | undefined {
    const { served, slots } = this.catalogue.row(projection);
    const row = served && slots[served];
    return row ? this.opened(projection, served, row) : undefined;
  }

  /** The build of a namespace, unless a newer one replaced it. */
  of({ projection, slot, generation }: Namespace): Build | undefined {
    const row = this.catalogue.row(projection).slots[slot];
    return row?.generation === generation ? this.opened(projection, slot, row) : undefined;
  }

  /** Builds that show the past of a projection, newest first. Positions after `backTo` of the served build belong to another log. */
  past(projection: string): readonly Build[] {
    const served = this.served(projection);
    const kept = this.kept(projection).toReversed();
    if (!served) return kept;
    const { backTo } = served.state;
    const ofThisLog = backTo === null ? kept : kept.filter(({ state }) => state.checkpoint <= backTo);
    return [...(served.keepsPast || this.options.carriesPast(projection) ? [served] : []), ...ofThisLog];
  }

  /** The replaced builds, oldest first. */
  kept(projection: string): readonly Build[] {
    return this.catalogue.row(projection).kept.map((row) => this.opened(projection, 'a', row));
  }

  described(build: Build): PastBuild {
    const { namespace, state } = build;
    const { from, checkpoint, origin } = state;
    const versions = build.keepsPast ? state.versions : state.documents;
    return { from, checkpoint, origin, versions, version: namespace.version, isServed: build === this.served(namespace.projection) };
  }

  /** Like `of`, but throws if there is no such build. @throws NamespaceGone */
  find(namespace: Namespace): Build {
    const build = this.of(namespace);
    if (build) return build;
    const { projection, generation } = namespace;
    throw new NamespaceGone(`projection ${projection}: generation ${generation} was replaced by a newer build`);
  }

  /** Opens the files of all builds and removes the files of builds that no longer exist. */
  settle(): void {
    const named = new Set<number>();
    for (const [projection, { slots, kept }] of Object.entries(this.catalogue.rows.projections)) {
      for (const slot of SLOTS) if (slots[slot]) named.add(this.opened(projection, slot, slots[slot]).file.number);
      for (const row of kept) named.add(this.opened(projection, 'a', row).file.number);
    }
    for (const [number, build] of this.byFile) if (!named.has(number)) this.remove(build);
  }

  /** Discards builds and removes their files. */
  async discard(isDiscarded: (build: Build) => boolean): Promise<void> {
    const isKept = ({ file }: BuildRow): boolean => {
      const build = this.byFile.get(file);
      return build === undefined || !isDiscarded(build);
    };
    await this.catalogue.update((rows) => withoutBuilds(rows, isKept));
    this.settle();
  }

  /** Makes a build with an empty file. `work` fills it, and names it in the catalogue; if it fails, the file is removed. Throws file system errors. */
  async create(namespace: Namespace, keepsPast: boolean, work: (build: Build) => Promise<void>): Promise<void> {
    const number = this.next++;
    const build = this.add(namespace, keepsPast, new BuildFile(this.options.files, number, this.pathOf(number), 'w+'));
    this.byFile.set(number, build);
    try {
      await work(build);
    } catch (error) {
      this.remove(build);
      throw error;
    }
  }

  /** Closes a build and removes its file. Processes that have the file open can still read it. */
  remove({ file }: Build): void {
    this.byFile.delete(file.number);
    file.close();
    if (!this.options.readOnly) rmSync(this.pathOf(file.number), { force: true });
  }

  /** Removes files that the catalogue does not name, and reserves their numbers. Must be called once before a build is created. */
  removeOthers(): void {
    const { directory, index } = this.options;
    const numbers = readdirSync(directory).flatMap((name) => (name.endsWith(EXTENSION) ? Number.parseInt(name, 10) : []));
    this.next = Math.max(this.catalogue.rows.next, ...[...numbers, ...index.files].map((number) => number + 1));
    for (const number of numbers) if (!this.byFile.has(number)) rmSync(this.pathOf(number), { force: true });
  }

  close(): void {
    for (const { file } of this.byFile.values()) file.close();
    this.byFile.clear();
  }

  /** Opens the current content for reading only. */
  private opened(projection: string, slot: FileSlot, { file: number, version, generation, past }: BuildRow): Build {
    const { readOnly } = this.options;
    const known = this.byFile.get(number);
    if (known && (!readOnly || this.isFollowed(known))) return known;
    if (known) this.remove(known); // the writer has taken something back
    const [file, isMissing] = this.file(number, readOnly ? 'r' : 'r+');
    const build = this.add({ projection, version, slot, generation }, past, file);
    this.byFile.set(number, build);
    this.noting(build, () => {
      build.load();
      if (isMissing) throw new Damaged('the build file is missing');
    });
    if (readOnly) this.isFollowed(build);
    return build;
  }

  private isFollowed(build: Build): boolean {
    return this.options.condition.isDamaged(build) || this.noting(build, () => build.follow()) !== false;
  }

  private noting<Result>(build: Build, work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.options.condition.note(build, error);
      return undefined;
    }
  }

  /** The writer creates an empty file in place of a missing one. */
  private file(number: number, flags: 'r' | 'r+'): readonly [BuildFile, isMissing: boolean] {
    const { files } = this.options;
    const path = this.pathOf(number);
    try {
      return [new BuildFile(files, number, path, flags), false];
    } catch (error) {
      if (flags === 'r' || codeOf(error) !== 'ENOENT') throw error;
      return [new BuildFile(files, number, path, 'w+'), true];
    }
  }

  private add(namespace: Namespace, keepsPast: boolean, file: BuildFile): Build {
    return new Build({ namespace, file, index: this.options.index, cache: this.cache, keepsPast });
  }

  private pathOf(number: number): string {
    return join(this.options.directory, `${number}${EXTENSION}`);
  }
}
