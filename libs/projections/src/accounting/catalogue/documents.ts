import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import { PROJECT, PROVIDER, RESOURCE } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf, keyPart } from '#projections/shared/key-part.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const CATALOGUE = 'accounting.catalogue';

/** `order`: log position of the registration, 20 digits. */
export type ProjectDocument = Readonly<{ id: string; generation: number; order: string }> & Project;

/** Members in the order of the wire (accounting contract 3.0). A provider of the external catalogue has no external id and no creator. */
export type ProviderDocument = Readonly<{
  id: string;
  name: string;
  website: string | null;
  abbreviation: string | null;
  logo: string | null;
  external_id: string | null;
  creator_id: string;
}>;

export type ResourceDocument = Readonly<{ id: string; name: string }>;

export type AssociationDocument = Readonly<{ project_id: string; provider_id: string }>;

/** The members of an installation that answers are made of. */
export type InstallationContent = Readonly<{
  id: string;
  project: string;
  /** Provider id. */
  organisation: string;
  infrastructure: string;
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
    /** How many times it was closed to new metrics; absent: never (docs/decisions/0031). */
    closings?: number;
  }>;

/** What projects refer to: providers by associations, resources and definitions by installations. */
export type ReferenceKind = 'provider' | 'resource' | 'definition';
type Reference = Readonly<{ kind: ReferenceKind; id: string; projectId: string }>;
type ReferenceDocument = Readonly<{ project: string }>;

/** What a project refers to, by {@link referenceKey}. */
export type ContentsDocument = Readonly<{
  /** How many of its installations refer to it. */
  counts: Readonly<Record<string, number>>;
  /** Orders of its associations. */
  associations: Readonly<Record<string, string>>;
}>;

type InProject = Readonly<{ projectOrder: string; order: string }>;
type OfProvider = InProject & Readonly<{ organisation: string }>;

export const referenceKey = ({ kind, id, projectId }: Reference): string => keyOf(kind, id, projectId);
const keyInProject = ({ projectOrder, order }: InProject): string => `${projectOrder}/${order}`;

/** Key of an installation among those of its project: part of what lists are sorted by. */
export const installationKey = keyInProject;

/** By id, as callers choose it. */
export const projects = collection<ProjectDocument>('projects', { key: keyPart, owner: firstPart(PROJECT) });
/** By order: the order of registration. */
export const projectsInOrder = collection<ProjectDocument>('projects.ordered', { owner: inMember(PROJECT, 'id') });
/** By project id: for the projection itself. */
export const contents = collection<ContentsDocument>('projects.contents', { key: keyPart, owner: firstPart(PROJECT) });

/** By id, as it stands in an answer. */
export const providers = collection<ProviderDocument>('providers', { key: keyPart, owner: firstPart(PROVIDER) });
/** By the order in which they came. */
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
/** By order of registration, as it stands in an answer. */
export const resourcesInOrder = collection<ResourceDocument>('resources.ordered', { owner: inMember(RESOURCE, 'id') });

/** In the order of the projects, then of the associations. */
export const associations = collection<AssociationDocument, InProject>('associations', {
  key: keyInProject,
  owner: inMember(PROJECT, 'project_id'),
});

/**
 * By id. A document stays when its project is deleted: an installation exists only as long as there is a project of its id and generation.
 */
export const installations = collection<InstallationDocument>('installations', { owner: inMember(PROJECT, 'project') });
/** Installation id by external id; stays like the installation. */
export const installationsByExternalId = collection<string>('installations.by-external-id', {
  key: keyPart,
  // The document leads to an installation, which names its project.
  owner: { by: 'document', partition: () => undefined },
  contested: true,
});
/** In the order of the projects, then of the creation. */
export const installationsOfProject = collection<InstallationDocument, InProject>('installations.ordered', {
  key: keyInProject,
  owner: inMember(PROJECT, 'project'),
});
/** In the order of the projects, then by provider, then in the order of the creation. */
export const installationsOfProvider = collection<InstallationDocument, OfProvider>('installations.by-provider', {
  key: ({ projectOrder, organisation, order }) => keyOf(projectOrder, organisation, order),
  owner: inMember(PROJECT, 'project'),
});

/** By {@link referenceKey}: something of the project refers to it. */
export const references = collection<ReferenceDocument>('references', {
  owner: { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.lastIndexOf('/') + 1)}` },
});

/** Every collection of the read model. */
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
