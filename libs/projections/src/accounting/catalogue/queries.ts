import { storedObjectId } from '#domain/accounting/object-id.js';
import { documentsIn } from '#projections/accounting/document-batches.js';
import type { Collection } from '#projections/shared/collection.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  CATALOGUE,
  type InstallationDocument,
  installations,
  installationsByExternalId,
  type ProjectDocument,
  type ProviderDocument,
  projects,
  providers,
  providersByExternalId,
  type ReferenceKind,
  referenceKey,
  references,
  resources,
} from './documents.js';

export {
  type AssociationDocument,
  CATALOGUE,
  type InstallationContent,
  type InstallationDocument,
  type ProjectDocument,
  type ProviderDocument,
  type ReferenceKind,
  type ResourceDocument,
} from './documents.js';

/** Projects of a provider that are read in one batch. */
const PROJECTS_AT_ONCE = 100;

/** Single projects, providers, installations and resources, `undefined` if they do not exist. `CatalogueLists` has the lists. */
export class CatalogueQueries extends queriesOf(CATALOGUE) {
  project(id: string): Promise<ProjectDocument | undefined> {
    return projects.get(this.view, id);
  }

  /** By id. Unknown ids are skipped. */
  projects(ids: readonly string[]): Promise<ReadonlyMap<string, ProjectDocument>> {
    return this.byId(projects, ids);
  }

  /** Whether there is any. */
  async hasProjects(): Promise<boolean> {
    return (await this.view.range(projects.name, { limit: 1 })).length > 0;
  }

  providerById(id: string): Promise<ProviderDocument | undefined> {
    return providers.get(this.view, id);
  }

  /** Providers of the external catalogue have no external id. */
  providerByExternalId(externalId: string): Promise<ProviderDocument | undefined> {
    return providersByExternalId.get(this.view, externalId);
  }

  /** Finds a provider by its id or, if no provider has that id, by its external id. */
  async provider(id: string): Promise<ProviderDocument | undefined> {
    return (await this.providerById(id)) ?? (await this.providerByExternalId(id));
  }

  /** By id. Unknown ids are skipped. */
  providers(ids: readonly string[]): Promise<ReadonlyMap<string, ProviderDocument>> {
    return this.byId(providers, ids);
  }

  /** An installation is deleted with its project, even if a project with that id is registered again. */
  async installationById(id: string): Promise<InstallationDocument | undefined> {
    const stored = storedObjectId(id);
    const found = stored === undefined ? undefined : await installations.get(this.view, stored);
    const project = found && (await this.project(found.project));
    return project?.generation === found?.generation ? found : undefined;
  }

  async installationByExternalId(externalId: string): Promise<InstallationDocument | undefined> {
    const id = await installationsByExternalId.get(this.view, externalId);
    return id === undefined ? undefined : this.installationById(id);
  }

  /** Finds an installation by its id or, if no installation has that id, by its external id. */
  async installation(id: string): Promise<InstallationDocument | undefined> {
    return (await this.installationById(id)) ?? (await this.installationByExternalId(id));
  }

  async hasResource(id: string): Promise<boolean> {
    return (await resources.bytes(this.view, id)) !== null;
  }

  /** Whether a project refers to the record. */
  async isReferred(kind: ReferenceKind, id: string): Promise<boolean> {
    return (await this.view.range(references.name, { ...keysUnder(kind, id), limit: 1 })).length > 0;
  }

  async isAssociated(providerId: string, projectId: string): Promise<boolean> {
    return (await references.bytes(this.view, referenceKey({ kind: 'provider', id: providerId, projectId }))) !== null;
  }

  /** Ids of the projects associated with the provider, in batches. */
  async *projectsWith(providerId: string): AsyncGenerator<readonly string[]> {
    for await (const documents of documentsIn(this.view, references.name, keysUnder('provider', providerId), PROJECTS_AT_ONCE))
      yield documents.map(({ value }) => references.parse(value).project);
  }

  private async byId<Document extends Readonly<{ id: string }>>(
    collection: Collection<Document>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Document>> {
    const wanted = [...new Set(ids)];
    const found = wanted.length === 0 ? [] : await collection.getMany(this.view, wanted);
    return new Map(found.flatMap((document) => (document ? [[document.id, document] as const] : [])));
  }
}
