import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { Static } from '#domain/shared/shape.js';
import type * as answers from '#projections/accounting/components.js';
import { PROJECT, PROVIDER, RESOURCE } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf, keyPart } from '#projections/shared/key-part.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const CATALOGUE = 'accounting.catalogue';

/** `order`: log position of the registration, 20 digits. */
export type ProjectDocument = Readonly<{ id: string; generation: number; order: string }> & Project;

/** A provider of the external catalogue has no external id and no creator. */
export type ProviderDocument = Required<Static<typeof answers.PROVIDER>>;

export type ResourceDocument = Static<typeof answers.RESOURCE>;

export type AssociationDocument = Readonly<{ project_id: string; provider_id: string }>;

/** Members of an installation that answers contain. */
export type InstallationContent = Readonly<{
  id: string;
  project: string;
  /** Provider id. */
  organisation: string;
  infrastructure: string | null;
  installation: string;
  resource: string | null;
  external_id: string;
  /** Metric definition id. */
  unit_of_access: string | null;
}>;

export type InstallationDocument = InstallationContent &
  Readonly<{
    /** Generation of the project. */
    generation: number;
    /** `order` of the project. */
    projectOrder: string;
    /** Log position of the creation, 20 digits. */
    order: string;
    creator_id: string;
    /** Number of times that it was closed to new metrics. Absent for 0 (docs/decisions/0031). */
    closings?: number;
  }>;

/** Kinds of records to which projects refer: providers by associations, resources and definitions by installations. */
export type ReferenceKind = 'provider' | 'resource' | 'definition';
type Reference = Readonly<{ kind: ReferenceKind; id: string; projectId: string }>;
type ReferenceDocument = Readonly<{ project: string }>;

/** References of a project, by {@link referenceKey}. */
export type ContentsDocument = Readonly<{
  /** Number of its installations that refer to the record. */
  counts: Readonly<Record<string, number>>;
  /** Orders of its associations. */
  associations: Readonly<Record<string, string>>;
}>;

type InProject = Readonly<{ projectOrder: string; order: string }>;
type OfProvider = InProject & Readonly<{ organisation: string }>;

export const referenceKey = ({ kind, id, projectId }: Reference): string => keyOf(kind, id, projectId);
const keyInProject = ({ projectOrder, order }: InProject): string => `${projectOrder}/${order}`;

/** Key of an installation within its project, part of the sort key of lists. */
export const installationKey = keyInProject;

/** By id, which callers choose. */
export const projects = collection<ProjectDocument>('projects', { key: keyPart, owner: firstPart(PROJECT) });
/** In order of registration. */
export const projectsInOrder = collection<ProjectDocument>('projects.ordered', { owner: inMember(PROJECT, 'id') });
/** By project id. Used only by the projection. */
export const contents = collection<ContentsDocument>('projects.contents', { key: keyPart, owner: firstPart(PROJECT) });

/** By id, in the format of answers. */
export const providers = collection<ProviderDocument>('providers', { key: keyPart, owner: firstPart(PROVIDER) });
/** In order of arrival. */
export const providersInOrder = collection<ProviderDocument>('providers.ordered', { owner: inMember(PROVIDER, 'id') });
export const providersByExternalId = collection<ProviderDocument>('providers.by-external-id', {
  key: keyPart,
  owner: inMember(PROVIDER, 'id'),
  contested: true,
});
/** Order of a provider by its id. */
export const providerOrders = collection<string>('providers.orders', { key: keyPart, owner: firstPart(PROVIDER) });

/** Order of a resource by its id. */
export const resources = collection<string>('resources', { key: keyPart, owner: firstPart(RESOURCE) });
/** In order of registration, in the format of answers. */
export const resourcesInOrder = collection<ResourceDocument>('resources.ordered', { owner: inMember(RESOURCE, 'id') });

/** In order of projects, then of associations. */
export const associations = collection<AssociationDocument, InProject>('associations', {
  key: keyInProject,
  owner: inMember(PROJECT, 'project_id'),
});

/** By id. A document is kept when its project is deleted: an installation exists only while a project with its id and generation does. */
export const installations = collection<InstallationDocument>('installations', { owner: inMember(PROJECT, 'project') });
/** Installation id by external id. Kept like the installation. */
export const installationsByExternalId = collection<string>('installations.by-external-id', {
  key: keyPart,
  // The document contains an installation id, and the installation contains its project.
  owner: { by: 'document', partition: () => undefined },
  contested: true,
});
/** In order of projects, then of creation. */
export const installationsOfProject = collection<InstallationDocument, InProject>('installations.ordered', {
  key: keyInProject,
  owner: inMember(PROJECT, 'project'),
});
/** In order of projects, then by provider, then in order of creation. */
export const installationsOfProvider = collection<InstallationDocument, OfProvider>('installations.by-provider', {
  key: ({ projectOrder, organisation, order }) => keyOf(projectOrder, organisation, order),
  owner: inMember(PROJECT, 'project'),
});

/** By {@link referenceKey}. A document exists if a part of the project refers to the record. */
export const references = collection<ReferenceDocument>('references', {
  owner: { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.lastIndexOf('/') + 1)}` },
});

export const catalogueCollections = [
  projects,
  projectsInOrder,
  contents,
  providers,
  providersInOrder,
  providersByExternalId,
  providerOrders,
  resources,
  resourcesInOrder,
  associations,
  installations,
  installationsByExternalId,
  installationsOfProject,
  installationsOfProvider,
  references,
] as const;
