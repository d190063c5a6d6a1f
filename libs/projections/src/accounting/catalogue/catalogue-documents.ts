import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import { keyOf, keyPart } from '#projections/shared/key-part.js';

export const CATALOGUE_PROJECTION = 'accounting.catalogue';

/** Orders are log positions of 20 digits: of the registration, association or creation. As text they sort by it. */
export const catalogueCollections = {
  /** {@link idKey} → {@link ProjectDocument}. */
  projects: 'projects',
  /** Order → the same. */
  projectsInOrder: 'projects.ordered',
  /** {@link idKey} of a project → what the projection itself needs to know of it. */
  contents: 'projects.contents',
  /** {@link idKey} → {@link ProviderDocument} as it stands in a response. */
  providers: 'providers',
  /** Order → the same. */
  providersInOrder: 'providers.ordered',
  /** {@link idKey} of the external id → the same. */
  providersByExternalId: 'providers.by-external-id',
  /** {@link idKey} → order. */
  providerOrders: 'providers.orders',
  /** {@link idKey} → order. */
  resources: 'resources',
  /** Order → `{ id, name }` as it stands in a response. */
  resourcesInOrder: 'resources.ordered',
  /** `<order of the project>/<order>` → {@link AssociationDocument}. */
  associations: 'associations',
  /**
   * Installation id → {@link InstallationDocument}. It stays when the project is deleted: an installation exists only as long as there is a
   * project of its id and generation.
   */
  installations: 'installations',
  /** {@link idKey} of the external id → installation id; stays like the installation. */
  installationsByExternalId: 'installations.by-external-id',
  /** `<order of the project>/<order>` → {@link InstallationDocument}. */
  installationsOfProject: 'installations.ordered',
  /** `<order of the project>/<id key of the provider>/<order>` → {@link InstallationDocument}. */
  installationsOfProvider: 'installations.by-provider',
  /** {@link referenceKey} → {@link ReferenceDocument}: something of the project refers to it. */
  references: 'references',
} as const;

export type ProjectDocument = Readonly<{ id: string; generation: number; order: string }> & Project;

/** Members in the order of the wire (accounting contract 3.0). Without an external id and a creator: of the external catalogue. */
export type ProviderDocument = Readonly<{
  id: string;
  name: string;
  website: string | null;
  abbreviation: string | null;
  logo: string | null;
  external_id: string | null;
  creator_id: string;
}>;

export type AssociationDocument = Readonly<{ project_id: string; provider_id: string }>;

/** What a response tells of an installation. */
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
    /** Of the project. */
    generation: number;
    /** Of the project. */
    projectOrder: string;
    order: string;
    creator_id: string;
  }>;

/** The key of an id that callers choose. */
export const idKey = keyPart;

/** What projects refer to: providers by associations, the others by installations. */
export type ReferenceKind = 'provider' | 'resource' | 'definition';
export type ReferenceDocument = Readonly<{ project: string }>;
export const referenceKey = (kind: ReferenceKind, id: string, projectId: string): string => keyOf(kind, id, projectId);

/** Where an installation stands among those of its project, and of its provider in the project. */
export const placeInProject = ({ projectOrder, order }: InstallationDocument): string => `${projectOrder}/${order}`;
export const placeInProvider = ({ projectOrder, organisation, order }: InstallationDocument): string =>
  keyOf(projectOrder, organisation, order);
