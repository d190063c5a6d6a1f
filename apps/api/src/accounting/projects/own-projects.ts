import {
  ADMIN_PERMISSIONS,
  type GrantedPermission,
  type Permissions,
  VIEWER_PERMISSIONS,
} from '#api/accounting/access/granted-permissions.js';
import type { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { type LongPage, offsetOf, type Paging } from '#api/accounting/paging.js';
import { commaSeparated, joined, just, mapped, openObject } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import type { Entitlement } from '#domain/accounting/access/entitlements.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { InstallationDocument, ProjectDocument } from '#projections/accounting/catalogue/catalogue-documents.js';
import { type Branch, branchesOf, branchesOfProjects, type ProjectBranches } from './branches.js';
import { projectHead } from './tree-views.js';

/** How much of a project tree is the caller's: from the project, one provider or one installation downwards. */
type Depth = 'project' | 'provider' | 'installation';

const NOTHING: readonly GrantedPermission[] = [];

/** The last member of an object, and its end. */
const permitted = (permissions: readonly GrantedPermission[]): string => `],"permissions":${JSON.stringify(permissions)}}`;

const installationText = (
  { id, infrastructure, installation, unit_of_access }: InstallationDocument,
  permissions: readonly GrantedPermission[],
): string => JSON.stringify({ id, infrastructure, installation, unit_of_access, permissions });

async function* providerElement({ provider, installations }: Branch, { below }: Permissions, depth: Depth): Pieces {
  const { id, name, website, abbreviation, logo } = provider;
  yield [openObject({ id, name, website, abbreviation, logo }), ',"installations":['];
  yield* commaSeparated(mapped(installations(), (some) => some.map((installation) => installationText(installation, below))));
  yield [permitted(depth === 'installation' ? NOTHING : below)];
}

/** A project tree with what its holder may do at each level (accounting contract 3.9). */
async function* element({ project, branches }: ProjectBranches, permissions: Permissions, depth: Depth): Pieces {
  yield [openObject(projectHead(project)), ',"providers":['];
  yield* joined(mapped(branches(), (branch) => providerElement(branch, permissions, depth)));
  yield [permitted(depth === 'project' ? permissions.project : NOTHING)];
}

/** The projects for a system administrator, who may do everything everywhere. */
export const administratorContent = (reader: CatalogueReader, projects: readonly ProjectDocument[]): Pieces =>
  joined(mapped(branchesOfProjects(reader, projects), (branches) => element(branches, ADMIN_PERMISSIONS, 'project')));

const permissionsOf = (role: string): Permissions | undefined =>
  role === 'admin' ? ADMIN_PERMISSIONS : role === 'viewer' ? VIEWER_PERMISSIONS : undefined;

/** What one entitlement shows: of a project, what lies under one provider, and of that one installation, where these are named. */
type Shown = Readonly<{ project: ProjectDocument; permissions: Permissions; providerId?: string; installation?: InstallationDocument }>;

/** Nothing where an entitlement names no project, or a part of one that is not there. */
const shownBy = async (
  reader: CatalogueReader,
  { segments, role }: Entitlement,
  projects: ReadonlyMap<string, ProjectDocument>,
): Promise<Shown | undefined> => {
  const [projectId, providerId, installationId, ...deeper] = segments;
  const [project, permissions] = [projects.get(projectId ?? ''), permissionsOf(role)];
  if (!project || !permissions || deeper.length > 0) return undefined;
  if (providerId === undefined) return { project, permissions };
  if (!(await reader.isAssociated(providerId, project.id)) || !(await reader.findProvider(providerId))) return undefined;
  if (installationId === undefined) return { project, permissions, providerId };
  const installation = await reader.findInstallation(installationId);
  const isThere = installation?.id === installationId && installation.project === project.id && installation.organisation === providerId;
  return isThere ? { project, permissions, providerId, installation } : undefined;
};

async function* onlyOf(reader: CatalogueReader, { project, installation }: Shown, providerId: string): AsyncGenerator<Branch> {
  for await (const branch of branchesOf(reader, [{ project, providerId }]))
    yield installation ? { ...branch, installations: () => just([installation]) } : branch;
}

async function* elementsOf(reader: CatalogueReader, shown: readonly Shown[]): AsyncGenerator<Pieces> {
  for (const one of shown) {
    const { project, permissions, providerId, installation } = one;
    if (providerId === undefined)
      yield* mapped(branchesOfProjects(reader, [project]), (branches) => element(branches, permissions, 'project'));
    else {
      const branches = () => onlyOf(reader, one, providerId);
      yield element({ project, branches }, permissions, installation ? 'installation' : 'provider');
    }
  }
}

/** A page of one element for each entitlement on a project, a provider in one, or an installation; in their order. */
export const entitledPage = async (reader: CatalogueReader, entitlements: readonly Entitlement[], paging: Paging): Promise<LongPage> => {
  const projects = await reader.projectsById(entitlements.flatMap(({ segments }) => segments[0] ?? []));
  const slice = new TimeSlice();
  const all: Shown[] = [];
  for (const entitlement of entitlements) {
    const shown = await shownBy(reader, entitlement, projects);
    if (shown) all.push(shown);
    if (slice.isOver) await slice.next();
  }
  const page = all.slice(offsetOf(paging), offsetOf(paging) + paging.size);
  return { content: joined(elementsOf(reader, page)), count: page.length, total: all.length };
};
