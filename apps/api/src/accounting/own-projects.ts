import type { Entitlement } from '#domain/accounting/entitlements.js';
import type { InstallationDocument, ProjectDocument } from '#projections/accounting/catalogue-documents.js';
import type { CatalogueReader } from './catalogue-reader.js';
import type { ProjectBranches, ProviderBranch } from './catalogue-views.js';
import { ADMIN_PERMISSIONS, type GrantedPermission, type Permissions, VIEWER_PERMISSIONS } from './granted-permissions.js';

/** How much of a project tree is the caller's: from the project, one provider or one installation downwards. */
type Depth = 'project' | 'provider' | 'installation';

const NOTHING: readonly GrantedPermission[] = [];

const installationElement = (
  { id, infrastructure, installation, unit_of_access }: InstallationDocument,
  permissions: readonly GrantedPermission[],
): object => ({ id, infrastructure, installation, unit_of_access, permissions });

/** A project tree with what its holder may do at each level (accounting contract 3.9). */
const element = ({ project, providers }: ProjectBranches, { project: onProject, below }: Permissions, depth: Depth): object => {
  const { id, acronym, title, start_date, end_date, call_identifier } = project;
  return {
    id,
    acronym,
    title,
    start_date,
    end_date,
    call_identifier,
    providers: providers.map(({ provider, installations }) => ({
      id: provider.id,
      name: provider.name,
      website: provider.website,
      abbreviation: provider.abbreviation,
      logo: provider.logo,
      installations: installations.map((installation) => installationElement(installation, below)),
      permissions: depth === 'installation' ? NOTHING : below,
    })),
    permissions: depth === 'project' ? onProject : NOTHING,
  };
};

/** A system administrator may do everything everywhere. */
export const administratorElement = (branches: ProjectBranches): object => element(branches, ADMIN_PERMISSIONS, 'project');

const permissionsOf = (role: string): Permissions | undefined =>
  role === 'admin' ? ADMIN_PERMISSIONS : role === 'viewer' ? VIEWER_PERMISSIONS : undefined;

/** The part of a project tree under one provider, and under one installation of it when one is named; nothing where there are none. */
const pruned = (
  providers: readonly ProviderBranch[],
  providerId: string,
  installationId: string | undefined,
): readonly ProviderBranch[] => {
  const found = providers.filter(({ provider }) => provider.id === providerId);
  if (installationId === undefined) return found;
  return found
    .map(({ provider, installations }) => ({ provider, installations: installations.filter(({ id }) => id === installationId) }))
    .filter(({ installations }) => installations.length > 0);
};

/** What one entitlement shows of the projects; nothing when it names no project, or a part of one that is not there. */
const elementOf = ({ segments, role }: Entitlement, projects: ReadonlyMap<string, ProjectBranches>): object | undefined => {
  const [projectId, providerId, installationId, ...deeper] = segments;
  const [branches, permissions] = [projects.get(projectId ?? ''), permissionsOf(role)];
  if (!branches || !permissions || deeper.length > 0) return undefined;
  if (providerId === undefined) return element(branches, permissions, 'project');
  const providers = pruned(branches.providers, providerId, installationId);
  if (providers.length === 0) return undefined;
  return element({ ...branches, providers }, permissions, installationId === undefined ? 'provider' : 'installation');
};

/** One element for each entitlement on a project, a provider in one, or an installation; in their order. */
export const entitledElements = async (reader: CatalogueReader, entitlements: readonly Entitlement[]): Promise<readonly object[]> => {
  const named = new Set(entitlements.flatMap(({ segments }) => segments[0] ?? []));
  const found = await Promise.all([...named].map((id) => reader.findProject(id)));
  const branches = await reader.branches(found.filter((project): project is ProjectDocument => project !== undefined));
  const projects = new Map(branches.map((one) => [one.project.id, one]));
  return entitlements.flatMap((entitlement) => elementOf(entitlement, projects) ?? []);
};
