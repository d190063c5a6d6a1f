import { readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { flush } from '#infra/platform/lmdb/write-file-durably.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import { Build, type PastBuild } from '../build.js';
import type { DocumentIndex } from '../document-index.js';
import type { Condition } from '../failures/condition.js';
import { BlockCache } from '../files/block-cache.js';
import { BuildFile, type Layout } from '../files/build-file.js';
import { DataFile } from '../files/data-file.js';
import type { Files } from '../files/files.js';
import { Damaged } from '../texts/record.js';
import { TextCache } from '../texts/text-cache.js';
import { type BuildRow, Catalogue, type FileSlot, filesOf, withLayout, withoutBuilds } from './catalogue.js';

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
  private readonly blocks = new BlockCache();
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
    const file = this.createFile();
    const parts = { open: (number: number) => this.open(number, 'r+'), blocks: this.blocks };
    const build = this.add(namespace, keepsPast, new BuildFile(parts, file.number, undefined, [file]));
    this.byFile.set(file.number, build);
    try {
      await work(build);
    } catch (error) {
      this.remove(build);
      throw error;
    }
  }

  /** Makes an empty file for a build, see {@link setLayout}. */
  createFile(): DataFile {
    return this.open(this.next++, 'w+');
  }

  isOpen(build: Build): boolean {
    return this.byFile.get(build.file.number) === build;
  }

  isNamed({ namespace: { projection }, file }: Build): boolean {
    return filesOf(this.catalogue.row(projection)).includes(file.number);
  }

  /** Stores the build in other files from now on. Returns the numbers of those no longer needed. @param given files that are open already */
  async setLayout({ namespace: { projection }, file }: Build, layout: Layout, given: readonly DataFile[]): Promise<readonly number[]> {
    const before = file.files;
    const adopt = file.adopting(layout, given);
    if (given.length > 0) await flush(this.options.directory); // `builds` may reach the disk before the entries of files that it names
    await this.catalogue.replace(projection, (row) => withLayout(row, file.number, layout));
    adopt();
    return before.filter((number) => !file.files.includes(number));
  }

  /** Removes files without blocking the event loop: of one of gigabytes that takes a while. What fails is removed at the next start. */
  async removeUnused(numbers: readonly number[]): Promise<void> {
    await Promise.allSettled(numbers.map((number) => rm(this.pathOf(number), { force: true })));
  }

  removeFile(number: number): void {
    if (!this.options.readOnly) rmSync(this.pathOf(number), { force: true });
  }

  /** Closes a build and removes its files. Processes that have them open can still read them. */
  remove({ file }: Build): void {
    this.byFile.delete(file.number);
    file.close();
    for (const number of file.files) this.removeFile(number);
  }

  /** Removes files that the catalogue does not name, and reserves their numbers. Must be called once before a build is created. */
  removeOthers(): void {
    const { directory, index } = this.options;
    const numbers = readdirSync(directory).flatMap((name) => (name.endsWith(EXTENSION) ? Number.parseInt(name, 10) : []));
    this.next = Math.max(this.catalogue.rows.next, ...[...numbers, ...index.files].map((number) => number + 1));
    const used = new Set([...this.all].flatMap(({ file }) => file.files));
    for (const number of numbers) if (!used.has(number)) this.removeFile(number);
  }

  close(): void {
    for (const { file } of this.byFile.values()) file.close();
    this.byFile.clear();
  }

  /** Opens the current content for reading only. */
  private opened(projection: string, slot: FileSlot, { file: number, version, generation, past, layout }: BuildRow): Build {
    const { readOnly } = this.options;
    const known = this.byFile.get(number);
    if (known && (!readOnly || this.isFollowed(known, layout))) return known;
    if (known) this.remove(known); // the writer has taken something back
    const [file, isMissing] = this.file(number, layout);
    const build = this.add({ projection, version, slot, generation }, past, file);
    try {
      this.noting(build, () => {
        if (isMissing) throw new Damaged('the build file is missing');
        build.load();
      });
    } catch (error) {
      file.close();
      throw error;
    }
    this.byFile.set(number, build);
    if (readOnly) this.isFollowed(build, layout);
    return build;
  }

  private isFollowed(build: Build, layout: Layout | undefined): boolean {
    const follow = (): boolean => {
      if (layout !== build.file.layout) build.file.adopting(layout)();
      return build.follow();
    };
    return this.options.condition.isDamaged(build) || this.noting(build, follow) !== false;
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

  /** The writer creates empty files in place of missing ones. */
  private file(number: number, layout: Layout | undefined): readonly [BuildFile, isMissing: boolean] {
    let isMissing = false;
    const open = (file: number): DataFile => {
      if (this.options.readOnly) return this.open(file, 'r');
      try {
        return this.open(file, 'r+');
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        isMissing = true;
        return this.open(file, 'w+');
      }
    };
    const file = new BuildFile({ open, blocks: this.blocks }, number, layout); // sets isMissing
    return [file, isMissing];
  }

  private open(number: number, flags: 'r' | 'r+' | 'w+'): DataFile {
    return new DataFile(this.options.files, number, this.pathOf(number), flags);
  }

  private add(namespace: Namespace, keepsPast: boolean, file: BuildFile): Build {
    return new Build({ namespace, file, index: this.options.index, cache: this.cache, keepsPast });
  }

  private pathOf(number: number): string {
    return join(this.options.directory, `${number}${EXTENSION}`);
  }
}
