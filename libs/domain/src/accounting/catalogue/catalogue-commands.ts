import type { ReferenceCommand, ReferenceState } from '#domain/accounting/references/reference-rules.js';
import type { Project, Provider } from './catalogue-events.js';

export type ProviderRegistration = Readonly<{ providerId: string; externalId: string; creatorId: string }> & Provider;
export type ProjectRegistration = Readonly<{ projectId: string; creatorId: string }> & Project;

/**
 * Commands that change a record to which others refer. The caller looks up facts of other streams in the read model and passes them as flags. The
 * flags are valid while `closing` is in force, which must be made before the lookup.
 */
export type ReferredChange =
  /** `associated`: a project has the provider. */
  | Readonly<{
      type: 'ReviseProvider';
      providerId: string;
      changes: Partial<Provider> & Readonly<{ newId?: string }>;
      associated: boolean;
      closing?: string;
    }>
  | Readonly<{ type: 'DeleteProvider'; providerId: string; associated: boolean; closing?: string }>
  /** `used`: an installation refers to the resource. */
  | Readonly<{ type: 'DeleteResource'; resourceId: string; used: boolean; closing?: string }>;

export type CatalogueCommand =
  /** `known`: the external catalogue of projects had this id when the command was made. */
  | Readonly<{ type: 'RegisterProject'; project: ProjectRegistration; known: boolean }>
  /** Skips projects that are already registered, and repetitions in the list. */
  | Readonly<{ type: 'AdoptProjects'; projects: readonly ProjectRegistration[] }>
  | Readonly<{ type: 'ReviseProject'; projectId: string; changes: Partial<Project> }>
  | Readonly<{ type: 'DeleteProject'; projectId: string }>
  | Readonly<{ type: 'RegisterProvider'; provider: ProviderRegistration }>
  /** Records nothing. Rejects unless the project exists in that generation, even if the read models do not show it yet. */
  | Readonly<{ type: 'RequireProject'; projectId: string; generation: number }>
  | ReferredChange
  | ReferenceCommand<'provider' | 'resource', ReferredChange>
  /** Skips entries whose id belongs to a registered provider, and unchanged entries. */
  | Readonly<{ type: 'ImportProviders'; providers: readonly (Readonly<{ providerId: string }> & Provider)[] }>
  | Readonly<{ type: 'RegisterResource'; resourceId: string; name: string }>;

/** `externalId`: `null` for providers of the external catalogue. */
export type KnownProvider = Provider & Readonly<{ externalId: string | null }>;

export type CatalogueState = Readonly<{
  projects: Map<string, Project>;
  /** Number of registrations by project id. */
  generations: Map<string, number>;
  providers: Map<string, KnownProvider>;
  /** Number of providers by name. The external catalogue may import a name that is in use. */
  names: Map<string, number>;
  externalIds: Set<string>;
  resources: Set<string>;
  references: Readonly<{ provider: ReferenceState; resource: ReferenceState }>;
}>;
