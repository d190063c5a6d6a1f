import { documentsIn } from '#projections/accounting/document-batches.js';
import { type Window, type WindowOf, windowOn } from '#projections/accounting/list-windows.js';
import type { Collection } from '#projections/shared/collection.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { KeyRange } from '#projections/shared/read-store.js';
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

/** Installations with adjacent keys in the read model. */
export class InstallationSource {
  private constructor(
    readonly collection: Collection<InstallationDocument, never>,
    readonly range: Readonly<{ gte?: string; lt?: string; lte?: string }>,
  ) {}

  static readonly all = new InstallationSource(installationsOfProject, {});

  static ofProject({ order }: ProjectDocument): InstallationSource {
    return new InstallationSource(installationsOfProject, keysUnder(order));
  }

  static ofProvider({ order }: ProjectDocument, providerId: string): InstallationSource {
    return new InstallationSource(installationsOfProvider, keysUnder(order, providerId));
  }

  static one(installation: InstallationDocument): InstallationSource {
    const key = installationKey(installation);
    return new InstallationSource(installationsOfProject, { gte: key, lte: key });
  }

  /** Sorts sources in the order of their projects. */
  static inOrder(sources: readonly InstallationSource[]): readonly InstallationSource[] {
    return sources.toSorted((a, b) => ((a.range.gte ?? '') < (b.range.gte ?? '') ? -1 : 1));
  }
}

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
    return this.batches(projectsInOrder, {});
  }

  /** All providers, in batches. */
  allProviders(): AsyncGenerator<readonly ProviderDocument[]> {
    return this.batches(providersInOrder, {});
  }

  /** All installations of the sources, one source after another, in batches. */
  async *installationsIn(sources: readonly InstallationSource[]): AsyncGenerator<readonly InstallationDocument[]> {
    for (const { collection, range } of sources) yield* this.batches(collection, range);
  }

  /** A window on the installations of the sources, one source after another. Yields to other work in between. */
  async installations(
    sources: readonly InstallationSource[],
    { offset, size }: Window,
    slice: Slice,
  ): Promise<WindowOf<InstallationDocument>> {
    const counts = await this.counts(sources, slice);
    const content: InstallationDocument[] = [];
    let skip = offset;
    for (const [index, { collection, range }] of sources.entries()) {
      const count = counts[index] ?? 0;
      if (skip < count && content.length < size)
        content.push(...(await collection.range(this.view, { ...range, offset: skip, limit: size - content.length })));
      skip = Math.max(0, skip - count);
    }
    return { content, total: counts.reduce((sum, count) => sum + count, 0) };
  }

  private async counts(sources: readonly InstallationSource[], slice: Slice): Promise<readonly number[]> {
    const counts: number[] = [];
    for (let start = 0; start < sources.length; start += COUNTED_AT_ONCE) {
      const some = sources.slice(start, start + COUNTED_AT_ONCE);
      counts.push(...(await Promise.all(some.map(({ collection, range }) => this.view.count(collection.name, range)))));
      if (slice.isOver) await slice.next();
    }
    return counts;
  }

  private async parsed<Document>(collection: Collection<Document, never>, window: Window): Promise<WindowOf<Document>> {
    const { content, total } = await windowOn(this.view, collection, {}, window);
    return { content: content.map((bytes) => collection.parse(bytes)), total };
  }

  private async *batches<Document>(collection: Collection<Document, never>, range: KeyRange): AsyncGenerator<readonly Document[]> {
    for await (const documents of documentsIn(this.view, collection.name, range))
      yield documents.map(({ value }) => collection.parse(value));
  }
}
