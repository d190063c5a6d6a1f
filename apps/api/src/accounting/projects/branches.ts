import { type CatalogueReader, ofProject, ofProvider } from '#api/accounting/catalogue/catalogue-reader.js';
import {
  type AssociationDocument,
  catalogueCollections,
  type InstallationDocument,
  type ProjectDocument,
  type ProviderDocument,
} from '#projections/accounting/catalogue/catalogue-documents.js';
import { type Batches, documentsIn, documentsInEach, parse } from '#projections/accounting/document-batches.js';

const { associations, installationsOfProvider } = catalogueCollections;

/** Projects, and providers of a project, whose first documents are read together. */
const AT_ONCE = 16;

/** A provider in a project. */
export type Branch = Readonly<{
  project: ProjectDocument;
  provider: ProviderDocument;
  /** Its installations there in the order of their creation, some at a time; read anew with each call. */
  installations: () => AsyncGenerator<readonly InstallationDocument[]>;
}>;

/** A project, and its providers in the order of their association, read anew with each call. */
export type ProjectBranches = Readonly<{ project: ProjectDocument; branches: () => AsyncGenerator<Branch> }>;

/** What an association brings together. */
export type Pair = Readonly<{ project: ProjectDocument; providerId: string }>;

async function* installationsIn(batches: () => Batches): AsyncGenerator<readonly InstallationDocument[]> {
  for await (const documents of batches()) yield documents.map(({ value }) => parse<InstallationDocument>(value));
}

/** The providers in the projects, in their order; pairs whose provider is gone are left out. */
export async function* branchesOf(reader: CatalogueReader, pairs: readonly Pair[]): AsyncGenerator<Branch> {
  for (let start = 0; start < pairs.length; start += AT_ONCE) {
    const some = pairs.slice(start, start + AT_ONCE);
    const [providers, installed] = await Promise.all([
      reader.providersById(some.map(({ providerId }) => providerId)),
      documentsInEach(
        reader.catalogue,
        installationsOfProvider,
        some.map(({ project, providerId }) => ofProvider(project, providerId)),
      ),
    ]);
    for (const [index, { project, providerId }] of some.entries()) {
      const [provider, batches] = [providers.get(providerId), installed[index]];
      if (provider && batches) yield { project, provider, installations: () => installationsIn(batches) };
    }
  }
}

/** What associations bring together, in their order; those of which a part is gone are left out. */
export const pairsOf = async (reader: CatalogueReader, associated: readonly AssociationDocument[]): Promise<readonly Pair[]> => {
  const [projects, providers] = await Promise.all([
    reader.projectsById(associated.map(({ project_id }) => project_id)),
    reader.providersById(associated.map(({ provider_id }) => provider_id)),
  ]);
  return associated.flatMap(({ project_id, provider_id: providerId }) => {
    const project = projects.get(project_id);
    return project && providers.has(providerId) ? [{ project, providerId }] : [];
  });
};

async function* associatedIn(reader: CatalogueReader, project: ProjectDocument, associated: Batches): AsyncGenerator<Branch> {
  for await (const documents of associated) {
    const ids = documents.map(({ value }) => parse<AssociationDocument>(value).provider_id);
    yield* branchesOf(
      reader,
      ids.map((providerId) => ({ project, providerId })),
    );
  }
}

/** The providers of a project in the order of their association. */
export const branchesIn = (reader: CatalogueReader, project: ProjectDocument): AsyncGenerator<Branch> =>
  associatedIn(reader, project, documentsIn(reader.catalogue, associations, ofProject(project)));

/** The projects with all that hangs below them. */
export async function* branchesOfProjects(reader: CatalogueReader, projects: readonly ProjectDocument[]): AsyncGenerator<ProjectBranches> {
  for (let start = 0; start < projects.length; start += AT_ONCE) {
    const some = projects.slice(start, start + AT_ONCE);
    const lists = await documentsInEach(reader.catalogue, associations, some.map(ofProject));
    for (const [index, project] of some.entries()) {
      const associated = lists[index];
      if (associated) yield { project, branches: () => associatedIn(reader, project, associated()) };
    }
  }
}
