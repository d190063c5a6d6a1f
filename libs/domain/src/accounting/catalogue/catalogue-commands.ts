import type { ReferenceCommand, ReferenceState } from '#domain/accounting/references/reference-rules.js';
import type { Project, Provider } from './catalogue-events.js';

export type ProviderRegistration = Readonly<{ providerId: string; externalId: string; creatorId: string }> & Provider;
export type ProjectRegistration = Readonly<{ projectId: string; creatorId: string }> & Project;

/**
 * Commands that change a record to which others refer. Facts of other streams are looked up in the read model, and passed as flags; they count while
 * `closing` stands, which was made before they were looked up.
 */
export type ReferredChange =
  /** `associated`: some project has the provider. */
  | Readonly<{
      type: 'ReviseProvider';
      providerId: string;
      changes: Partial<Provider> & Readonly<{ newId?: string }>;
      associated: boolean;
      closing?: string;
    }>
  | Readonly<{ type: 'DeleteProvider'; providerId: string; associated: boolean; closing?: string }>
  /** `used`: some installation refers to the resource. */
  | Readonly<{ type: 'DeleteResource'; resourceId: string; used: boolean; closing?: string }>;

export type CatalogueCommand =
  /** `known`: the external catalogue of projects has one of this id, asked when the command was made. */
  | Readonly<{ type: 'RegisterProject'; project: ProjectRegistration; known: boolean }>
  /** Those that are registered already, and repetitions in the list, are left out. */
  | Readonly<{ type: 'AdoptProjects'; projects: readonly ProjectRegistration[] }>
  | Readonly<{ type: 'ReviseProject'; projectId: string; changes: Partial<Project> }>
  | Readonly<{ type: 'DeleteProject'; projectId: string }>
  | Readonly<{ type: 'RegisterProvider'; provider: ProviderRegistration }>
  /** Changes nothing: rejects unless there is a project of that generation, whether or not the read models show it. */
  | Readonly<{ type: 'RequireProject'; projectId: string; generation: number }>
  | ReferredChange
  | ReferenceCommand<'provider' | 'resource', ReferredChange>
  /** Leaves out entries whose id belongs to a registered provider, and entries that are stored already. */
  | Readonly<{ type: 'ImportProviders'; providers: readonly (Readonly<{ providerId: string }> & Provider)[] }>
  | Readonly<{ type: 'RegisterResource'; resourceId: string; name: string }>;

/** `externalId` is `null` for those of the external catalogue. */
export type KnownProvider = Provider & Readonly<{ externalId: string | null }>;

export type CatalogueState = Readonly<{
  projects: Map<string, Project>;
  /** Number of registrations by project id. */
  generations: Map<string, number>;
  providers: Map<string, KnownProvider>;
  /** Number of providers by name: the external catalogue may bring a name that is in use. */
  names: Map<string, number>;
  externalIds: Set<string>;
  resources: Set<string>;
  /** To providers and to resources. */
  references: Readonly<{ provider: ReferenceState; resource: ReferenceState }>;
}>;
