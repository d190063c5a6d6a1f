import { record, reference } from '#domain/accounting/record.js';
import type { ClosingEvent, HoldingEvent } from '#domain/accounting/references/reference-events.js';
import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { CatalogueOf, Mentions } from '#domain/shared/catalogue.js';
import { ended, type Mapping, none, text } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';

/** One stream for projects, providers and resources, because ids, names and external ids are unique across all of them. */
export const CATALOGUE_CATEGORY = 'accounting.catalogue';
export const CATALOGUE_STREAM = `${CATALOGUE_CATEGORY}-global`;

/** Members except `acronym` are `null` only of migrated projects. */
export type Project = Readonly<{
  acronym: string;
  title: string | null;
  start_date: Day | null;
  end_date: Day | null;
  call_identifier: string | null;
}>;
export type Provider = Readonly<{ name: string; website: string | null; abbreviation: string | null; logo: string | null }>;

/** `creatorId`: id claim of the caller's token. Empty for records of an external catalogue. */
export type CatalogueRecordEvent =
  /** `generation`: number of registrations of a project with this id, from 1. Everything that belonged to an earlier generation is deleted. */
  | Readonly<{ type: 'ProjectRegistered'; data: Readonly<{ projectId: string; generation: number; creatorId: string }> & Project }>
  /** All values after the revision. */
  | Readonly<{ type: 'ProjectRevised'; data: Readonly<{ projectId: string }> & Project }>
  /** Includes the project's associations, installations, capacities and metrics. */
  | Readonly<{ type: 'ProjectDeleted'; data: Readonly<{ projectId: string }> }>
  | Readonly<{ type: 'ProviderRegistered'; data: Readonly<{ providerId: string; externalId: string; creatorId: string }> & Provider }>
  /** All values after the revision. `newId`: set if the id was changed. */
  | Readonly<{ type: 'ProviderRevised'; data: Readonly<{ providerId: string; newId?: string }> & Provider }>
  | Readonly<{ type: 'ProviderDeleted'; data: Readonly<{ providerId: string }> }>
  /** A new or changed entry of the external catalogue. If a provider with the same id is registered, it takes precedence and no event is recorded. */
  | Readonly<{ type: 'CatalogueProviderImported'; data: Readonly<{ providerId: string }> & Provider }>
  | Readonly<{ type: 'ResourceRegistered'; data: Readonly<{ resourceId: string; name: string }> }>
  | Readonly<{ type: 'ResourceDeleted'; data: Readonly<{ resourceId: string }> }>;

export type CatalogueEvent =
  | CatalogueRecordEvent
  | ClosingEvent<'Provider', Readonly<{ providerId: string }>>
  | HoldingEvent<'Provider', Readonly<{ providerId: string }>>
  | ClosingEvent<'Resource', Readonly<{ resourceId: string }>>
  | HoldingEvent<'Resource', Readonly<{ resourceId: string }>>;

/** A provider whose id changes ends under the old id and starts under the new one. */
const provider: Mapping = ({ data }) => {
  const named = reference('provider', text(data, 'providerId'));
  const isMoved = typeof data.newId === 'string' && data.newId !== data.providerId;
  return isMoved ? [{ ...named, ends: true }, reference('provider', text(data, 'newId'))] : [named];
};
const project = record('project', 'projectId');
const resource = record('resource', 'resourceId');
const installation = record('installation', 'installationId', ['project', 'projectId']);

/** Events that protect references do not belong to the records. */
export const catalogueEvents: CatalogueOf<CatalogueEvent> = {
  ProjectRegistered: { resource: project },
  ProjectRevised: { resource: project },
  ProjectDeleted: { resource: ended(project), forgetsMentioned: ({ projectId }) => installationsOf(String(projectId)) },
  ProviderRegistered: { resource: provider },
  ProviderRevised: { resource: provider },
  ProviderDeleted: { resource: ended(provider) },
  CatalogueProviderImported: { resource: provider },
  ResourceRegistered: { resource },
  ResourceDeleted: { resource: ended(resource) },
  ProviderClosed: { resource: none },
  ProviderReopened: { resource: none },
  ProviderHeld: { resource: none },
  ProviderReleased: { resource: none },
  ResourceClosed: { resource: none },
  ResourceReopened: { resource: none },
  ResourceHeld: { resource: none },
  ResourceReleased: { resource: none },
};

export const PROJECT_CATEGORY = 'accounting.project';
const SAFE_ID = /^[\w.:-]{1,128}$/;

/**
 * One stream per project for its provider associations and installations, because installation names are unique per provider in it. A long or unusual
 * project id is replaced by its hash, prefixed with `~` to avoid collisions.
 */
export const projectStream = (projectId: string): string =>
  `${PROJECT_CATEGORY}-${SAFE_ID.test(projectId) ? projectId : `~${sha256(projectId)}`}`;

/** Encryption subject of the users in an installation's metrics. */
export const installationSubject = (installationId: unknown): string => `installation-${installationId}`;

/** The installations of a project, including those of earlier generations. */
const installationsOf = (projectId: string): Mentions => ({
  in: { stream: projectStream(projectId) },
  subjects: ({ type, data }) => (type === 'InstallationCreated' ? [installationSubject(data.installationId)] : []),
});

export type Installation = Readonly<{
  /** Provider id. */
  organisation: string;
  /** `null` only of migrated ones. */
  infrastructure: string | null;
  installation: string;
  resource: string | null;
  /** Metric definition id. */
  unitOfAccess: string | null;
}>;

/** `generation`: the project's generation when the command was made. Events of a generation older than the current one are ignored. */
type OfProject = Readonly<{ projectId: string; generation: number }>;
type OfInstallation = OfProject & Readonly<{ installationId: string }>;

export type ProjectRecordEvent =
  | Readonly<{ type: 'ProviderAssociated'; data: OfProject & Readonly<{ providerId: string }> }>
  | Readonly<{ type: 'ProviderDissociated'; data: OfProject & Readonly<{ providerId: string }> }>
  | Readonly<{ type: 'InstallationCreated'; data: OfInstallation & Readonly<{ externalId: string; creatorId: string }> & Installation }>
  /** All values after the revision. */
  | Readonly<{ type: 'InstallationRevised'; data: OfInstallation & Installation }>
  | Readonly<{ type: 'InstallationDeleted'; data: OfInstallation }>;

export type InstallationClosing = ClosingEvent<'Installation', OfInstallation>;

export type ProjectEvent =
  | ProjectRecordEvent
  | InstallationClosing
  /** The project rejects any command that relies on this hold from now on, in any generation. */
  | Readonly<{ type: 'ReferenceForestalled'; data: OfProject & Readonly<{ hold: string }> }>;

export const projectEvents: CatalogueOf<ProjectEvent> = {
  ProviderAssociated: { resource: none },
  ProviderDissociated: { resource: none },
  InstallationCreated: { resource: installation },
  InstallationRevised: { resource: installation },
  InstallationDeleted: { resource: ended(installation), forgets: ({ installationId }) => [installationSubject(installationId)] },
  InstallationClosed: { resource: none },
  InstallationReopened: { resource: none },
  ReferenceForestalled: { resource: none },
};

/** Holder of an external id: an installation of one generation of a project. */
export type ExternalIdHolder = Readonly<{ installationId: string; projectId: string; generation: number }>;

export const EXTERNAL_ID_CATEGORY = 'accounting.external_id';
/** One stream per external id. */
export const externalIdStream = (externalId: string): string => `${EXTERNAL_ID_CATEGORY}-${sha256(externalId)}`;

/**
 * A claim on the external id of an installation, unique over all projects. It is made before the installation and released after it. `claimedAt`
 * (UTC, milliseconds): if the installation was never created, another may take over the claim some time later.
 */
export type ExternalIdEvent =
  | Readonly<{ type: 'ExternalIdClaimed'; data: ExternalIdHolder & Readonly<{ externalId: string; claimedAt: string }> }>
  | Readonly<{ type: 'ExternalIdReleased'; data: Readonly<{ externalId: string; installationId: string }> }>;
export const externalIdEvents: CatalogueOf<ExternalIdEvent> = {
  ExternalIdClaimed: { resource: none },
  ExternalIdReleased: { resource: none },
};
