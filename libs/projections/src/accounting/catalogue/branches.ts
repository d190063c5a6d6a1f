import { type Batches, documentsIn, documentsInEach } from '#projections/accounting/document-batches.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import {
  type AssociationDocument,
  associations,
  CATALOGUE,
  type InstallationDocument,
  installationsOfProvider,
  type ProjectDocument,
  type ProviderDocument,
} from './documents.js';
import { CatalogueQueries } from './queries.js';

/** Projects, and providers of a project, whose first documents are read together. */
const AT_ONCE = 16;

/** A provider in a project. */
export type Branch = Readonly<{
  project: ProjectDocument;
  provider: ProviderDocument;
  /** Its installations in order of creation, in batches. Each call reads again. */
  installations: () => AsyncGenerator<readonly InstallationDocument[]>;
}>;

/** A project and its providers in order of association. Each call reads again. */
export type ProjectBranches = Readonly<{ project: ProjectDocument; branches: () => AsyncGenerator<Branch> }>;

/** A project and a provider that is associated with it. */
export type AssociatedProvider = Readonly<{ project: ProjectDocument; providerId: string }>;

async function* installationsIn(batches: () => Batches): AsyncGenerator<readonly InstallationDocument[]> {
  for await (const documents of batches()) yield documents.map(({ value }) => installationsOfProvider.parse(value));
}

/** Projects as trees: projects have providers, which have installations. Read in batches. */
export class BranchQueries {
  private readonly view: ReadView;
  private readonly catalogue: CatalogueQueries;

  constructor(store: ReadStore) {
    this.view = store.view(CATALOGUE);
    this.catalogue = new CatalogueQueries(store);
  }

  /** The providers in the projects, in the given order. Pairs whose provider was deleted are skipped. */
  async *ofPairs(pairs: readonly AssociatedProvider[]): AsyncGenerator<Branch> {
    for (let start = 0; start < pairs.length; start += AT_ONCE) {
      const some = pairs.slice(start, start + AT_ONCE);
      const [providers, installed] = await Promise.all([
        this.catalogue.providers(some.map(({ providerId }) => providerId)),
        documentsInEach(
          this.view,
          installationsOfProvider.name,
          some.map(({ project, providerId }) => keysUnder(project.order, providerId)),
        ),
      ]);
      for (const [index, { project, providerId }] of some.entries()) {
        const [provider, batches] = [providers.get(providerId), installed[index]];
        if (provider && batches) yield { project, provider, installations: () => installationsIn(batches) };
      }
    }
  }

  /** The pairs of these associations, in the given order. Associations whose project or provider was deleted are skipped. */
  async pairs(associated: readonly AssociationDocument[]): Promise<readonly AssociatedProvider[]> {
    const [projects, providers] = await Promise.all([
      this.catalogue.projects(associated.map(({ project_id }) => project_id)),
      this.catalogue.providers(associated.map(({ provider_id }) => provider_id)),
    ]);
    return associated.flatMap(({ project_id, provider_id: providerId }) => {
      const project = projects.get(project_id);
      return project && providers.has(providerId) ? [{ project, providerId }] : [];
    });
  }

  /** The providers of a project in order of association. */
  ofProject(project: ProjectDocument): AsyncGenerator<Branch> {
    return this.associatedWith(project, documentsIn(this.view, associations.name, keysUnder(project.order)));
  }

  /** The projects with their providers, in the given order. */
  async *ofProjects(projects: readonly ProjectDocument[]): AsyncGenerator<ProjectBranches> {
    for (let start = 0; start < projects.length; start += AT_ONCE) {
      const some = projects.slice(start, start + AT_ONCE);
      const lists = await documentsInEach(
        this.view,
        associations.name,
        some.map(({ order }) => keysUnder(order)),
      );
      for (const [index, project] of some.entries()) {
        const associated = lists[index];
        if (associated) yield { project, branches: () => this.associatedWith(project, associated()) };
      }
    }
  }

  private async *associatedWith(project: ProjectDocument, associated: Batches): AsyncGenerator<Branch> {
    for await (const documents of associated)
      yield* this.ofPairs(documents.map(({ value }) => ({ project, providerId: associations.parse(value).provider_id })));
  }
}
