import type { EventCatalogue } from '../shared/catalogue.js';
import type { Day } from '../shared/time.js';

/** One stream for projects, providers and resources: ids, names and external ids are unique over all of them. */
export const CATALOGUE_CATEGORY = 'accounting.catalogue';
export const CATALOGUE_STREAM = `${CATALOGUE_CATEGORY}-global`;

export type Project = Readonly<{ acronym: string; title: string; start_date: Day; end_date: Day; call_identifier: string }>;
export type Provider = Readonly<{ name: string; website: string | null; abbreviation: string | null; logo: string | null }>;

/** `creatorId`: the id claim of the caller's token, or an empty text for what came from an external catalogue. */
export type CatalogueEvent =
  | Readonly<{ type: 'ProjectRegistered'; data: Readonly<{ projectId: string; creatorId: string }> & Project }>
  /** The values that hold from now on. */
  | Readonly<{ type: 'ProjectRevised'; data: Readonly<{ projectId: string }> & Project }>
  /** With its associations, installations, their capacities and metrics. */
  | Readonly<{ type: 'ProjectDeleted'; data: Readonly<{ projectId: string }> }>
  | Readonly<{ type: 'ProviderRegistered'; data: Readonly<{ providerId: string; externalId: string; creatorId: string }> & Provider }>
  /** The values that hold from now on; `newId` when the id itself was changed. */
  | Readonly<{ type: 'ProviderRevised'; data: Readonly<{ providerId: string; newId?: string }> & Provider }>
  | Readonly<{ type: 'ProviderDeleted'; data: Readonly<{ providerId: string }> }>
  /** A new or changed entry of the external catalogue; a registered provider of the same id wins and no event is made. */
  | Readonly<{ type: 'CatalogueProviderImported'; data: Readonly<{ providerId: string }> & Provider }>
  | Readonly<{ type: 'ResourceRegistered'; data: Readonly<{ resourceId: string; name: string }> }>
  | Readonly<{ type: 'ResourceDeleted'; data: Readonly<{ resourceId: string }> }>;

export const catalogueEvents: EventCatalogue = {
  ProjectRegistered: {},
  ProjectRevised: {},
  ProjectDeleted: {},
  ProviderRegistered: {},
  ProviderRevised: {},
  ProviderDeleted: {},
  CatalogueProviderImported: {},
  ResourceRegistered: {},
  ResourceDeleted: {},
};

/** One stream per project for its associations with providers and its installations: names per provider are unique in it. */
export const PROJECT_CATEGORY = 'accounting.project';
export const projectStream = (projectId: string): string => `${PROJECT_CATEGORY}-${projectId}`;

export type Installation = Readonly<{
  /** Provider id. */
  organisation: string;
  infrastructure: string;
  installation: string;
  resource: string | null;
  /** Metric definition id. */
  unitOfAccess: string | null;
}>;

export type ProjectEvent =
  | Readonly<{ type: 'ProviderAssociated'; data: Readonly<{ projectId: string; providerId: string }> }>
  | Readonly<{ type: 'ProviderDissociated'; data: Readonly<{ projectId: string; providerId: string }> }>
  | Readonly<{
      type: 'InstallationCreated';
      data: Readonly<{ projectId: string; installationId: string; externalId: string; creatorId: string }> & Installation;
    }>
  /** The values that hold from now on. */
  | Readonly<{ type: 'InstallationRevised'; data: Readonly<{ projectId: string; installationId: string }> & Installation }>
  | Readonly<{ type: 'InstallationDeleted'; data: Readonly<{ projectId: string; installationId: string }> }>;

export const projectEvents: EventCatalogue = {
  ProviderAssociated: {},
  ProviderDissociated: {},
  InstallationCreated: {},
  InstallationRevised: {},
  InstallationDeleted: {},
};

/** A claim on an external id of an installation, unique over all projects: appended with `no-stream`, released by a second event. */
export const EXTERNAL_ID_CATEGORY = 'accounting.external_id';
export type ExternalIdEvent =
  | Readonly<{ type: 'ExternalIdClaimed'; data: Readonly<{ externalId: string; installationId: string; projectId: string }> }>
  | Readonly<{ type: 'ExternalIdReleased'; data: Readonly<{ externalId: string; installationId: string }> }>;
export const externalIdEvents: EventCatalogue = { ExternalIdClaimed: {}, ExternalIdReleased: {} };
