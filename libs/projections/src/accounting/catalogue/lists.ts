import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { documentsIn, parsedIn } from '#projections/accounting/document-batches.js';
import { type Window, type WindowOf, windowOn } from '#projections/accounting/list-windows.js';
import type { Collection } from '#projections/shared/collection.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  type AssociationDocument,
  associations,
  CATALOGUE,
  type InstallationDocument,
  installationKey,
  installationsOfProject,
  installationsOfProvider,
  type ProjectDocument,
  type ProviderDocument,
  projectsInOrder,
  providersInOrder,
  resourcesInOrder,
} from './documents.js';

/** Sources whose installations are counted in parallel. */
const COUNTED_AT_ONCE = 64;
/** Installations of several sources that are read together. */
const READ_AT_ONCE = 100;

/** Installations with adjacent keys in the read model. */
export class InstallationSource {
  private constructor(
    readonly collection: Collection<InstallationDocument, never>,
    readonly range: Readonly<{ gte?: string; lt?: string; lte?: string }>,
    /** `order` of the only project; empty for all projects. */
    readonly projectOrder: string,
  ) {}

  static readonly all = new InstallationSource(installationsOfProject, {}, '');

  static ofProject({ order }: ProjectDocument): InstallationSource {
    return new InstallationSource(installationsOfProject, keysUnder(order), order);
  }

  static ofProvider({ order }: ProjectDocument, providerId: string): InstallationSource {
    return new InstallationSource(installationsOfProvider, keysUnder(order, providerId), order);
  }

  static one(installation: InstallationDocument): InstallationSource {
    const key = installationKey(installation);
    return new InstallationSource(installationsOfProject, { gte: key, lte: key }, installation.projectOrder);
  }

  /** Sorts sources in the order of their projects. */
  static inOrder(sources: readonly InstallationSource[]): readonly InstallationSource[] {
    return sources.toSorted((a, b) => ((a.range.gte ?? '') < (b.range.gte ?? '') ? -1 : 1));
  }
}

/** Groups sources by project. */
const groupsOf = (sources: readonly InstallationSource[]): Iterable<readonly InstallationSource[]> => {
  const groups = new Map<string, InstallationSource[]>();
  for (const source of sources) getOrInsert(groups, source.projectOrder, () => []).push(source);
  return groups.values();
};

/** An installation by its place in the order of its project. */
type Place = Readonly<{ projectOrder: string; order: string }>;

/** Lists of the catalogue, each in order of registration, association or creation. */
export class CatalogueLists extends queriesOf(CATALOGUE) {
  projects(window: Window): Promise<WindowOf<ProjectDocument>> {
    return this.parsed(projectsInOrder, window);
  }

  /** In the format of answers. */
  providers(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, providersInOrder, {}, window);
  }

  /** In the format of answers. */
  resources(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, resourcesInOrder, {}, window);
  }

  associations(window: Window): Promise<WindowOf<AssociationDocument>> {
    return this.parsed(associations, window);
  }

  /** All projects, in batches. */
  allProjects(): AsyncGenerator<readonly ProjectDocument[]> {
    return parsedIn(this.view, projectsInOrder);
  }

  /** All providers, in batches. */
  allProviders(): AsyncGenerator<readonly ProviderDocument[]> {
    return parsedIn(this.view, providersInOrder);
  }

  /** All installations of the sources, by project, each in order of creation, in batches. */
  async *installationsIn(sources: readonly InstallationSource[]): AsyncGenerator<readonly InstallationDocument[]> {
    for (const group of groupsOf(sources)) {
      const [first, ...others] = group;
      if (first && others.length === 0) yield* parsedIn(this.view, first.collection, first.range);
      else {
        const places = await this.places(group);
        for (let start = 0; start < places.length; start += READ_AT_ONCE) yield this.at(places.slice(start, start + READ_AT_ONCE));
      }
    }
  }

  /** A window on the installations of the sources, by project, each in order of creation. Yields to other work in between. */
  async installations(sources: readonly InstallationSource[], window: Window, slice: Slice): Promise<WindowOf<InstallationDocument>> {
    const counts = await this.counts(sources, slice);
    const content: InstallationDocument[] = [];
    let [skip, total] = [window.offset, 0];
    for (const group of groupsOf(sources)) {
      const count = group.reduce((sum, source) => sum + (counts.get(source) ?? 0), 0);
      const size = window.size - content.length;
      if (skip < count && size > 0) content.push(...(await this.within(group, { offset: skip, size }, slice)));
      skip = Math.max(0, skip - count);
      total += count;
    }
    return { content, total };
  }

  /** A window on the installations of one project. */
  private async within(
    group: readonly InstallationSource[],
    { offset, size }: Window,
    slice: Slice,
  ): Promise<readonly InstallationDocument[]> {
    const [first, ...others] = group;
    if (first && others.length === 0) return first.collection.range(this.view, { ...first.range, offset, limit: size });
    return this.at((await this.places(group, slice)).slice(offset, offset + size));
  }

  /** The installations of several sources in one project, in order of creation. */
  private async places(group: readonly InstallationSource[], slice: Slice = new TimeSlice()): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (const source of group)
      for await (const keys of this.keys(source)) {
        for (const key of keys) places.push({ projectOrder: source.projectOrder, order: key.slice(key.lastIndexOf('/') + 1) });
        if (slice.isOver) await slice.next();
      }
    return places.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  /** Keys of the installations of a source, in batches. The key of a single installation is known. */
  private async *keys({ collection, range }: InstallationSource): AsyncGenerator<readonly string[]> {
    if (range.lte !== undefined) yield [range.lte];
    else for await (const documents of documentsIn(this.view, collection.name, range)) yield documents.map(({ key }) => key);
  }

  /** Installations that were deleted meanwhile are skipped. */
  private async at(places: readonly Place[]): Promise<readonly InstallationDocument[]> {
    return (await installationsOfProject.getMany(this.view, places)).filter((document) => document !== undefined);
  }

  private async counts(sources: readonly InstallationSource[], slice: Slice): Promise<ReadonlyMap<InstallationSource, number>> {
    const counts = new Map<InstallationSource, number>();
    for (let start = 0; start < sources.length; start += COUNTED_AT_ONCE) {
      const some = sources.slice(start, start + COUNTED_AT_ONCE);
      await Promise.all(some.map(async (source) => counts.set(source, await this.view.count(source.collection.name, source.range))));
      if (slice.isOver) await slice.next();
    }
    return counts;
  }

  private async parsed<Document>(collection: Collection<Document, never>, window: Window): Promise<WindowOf<Document>> {
    const { content, total } = await windowOn(this.view, collection, {}, window);
    return { content: content.map((bytes) => collection.parse(bytes)), total };
  }
}
