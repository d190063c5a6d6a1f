import { Injectable } from '@nestjs/common';
import { projectHead } from '#api/accounting/catalogue/tree-views.js';
import type { LongPage } from '#api/accounting/paging.js';
import { commaSeparated, joined, just, mapped, openObject } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import type { Entitlement } from '#domain/accounting/access/entitlements.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type Branch, BranchQueries, type ProjectBranches } from '#projections/accounting/catalogue/branches.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type InstallationDocument, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import type { Window } from '#projections/accounting/list-windows.js';
import { ADMIN_PERMISSIONS, type GrantedPermission, type Permissions, VIEWER_PERMISSIONS } from './granted-permissions.js';

/** Level from which the caller sees a project tree: the project, one provider or one installation. */
type Depth = 'project' | 'provider' | 'installation';

const NOTHING: readonly GrantedPermission[] = [];

/** The last member of an object, and the end of the object. */
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

/** A project tree with the permissions of its holder at each level (accounting contract 3.9). */
async function* element({ project, branches }: ProjectBranches, permissions: Permissions, depth: Depth): Pieces {
  yield [openObject(projectHead(project)), ',"providers":['];
  yield* joined(mapped(branches(), (branch) => providerElement(branch, permissions, depth)));
  yield [permitted(depth === 'project' ? permissions.project : NOTHING)];
}

const permissionsOf = (role: string): Permissions | undefined =>
  role === 'admin' ? ADMIN_PERMISSIONS : role === 'viewer' ? VIEWER_PERMISSIONS : undefined;

/** The part of a project in one entitlement: all of it, one provider, or one installation of that provider. */
type ListedProject = Readonly<{
  project: ProjectDocument;
  permissions: Permissions;
  providerId?: string;
  installation?: InstallationDocument;
}>;

/** Projects with the caller's permissions (accounting contract 3.9). */
@Injectable()
export class OwnProjects {
  constructor(
    private readonly queries: CatalogueQueries,
    private readonly lists: CatalogueLists,
    private readonly branches: BranchQueries,
  ) {}

  /** A page of all projects, for a system administrator, who has all permissions. */
  async ofAdministrator(window: Window): Promise<LongPage> {
    const { content: projects, total } = await this.lists.projects(window);
    const elements = mapped(this.branches.ofProjects(projects), (tree) => element(tree, ADMIN_PERMISSIONS, 'project'));
    return { content: joined(elements), count: projects.length, total };
  }

  /** A page with one element for each entitlement on a project, a provider in one, or an installation, in their order. */
  async entitled(entitlements: readonly Entitlement[], { offset, size }: Window): Promise<LongPage> {
    const projects = await this.queries.projects(entitlements.flatMap(({ segments }) => segments[0] ?? []));
    const slice = new TimeSlice();
    const all: ListedProject[] = [];
    for (const entitlement of entitlements) {
      const shown = await this.shownBy(entitlement, projects);
      if (shown) all.push(shown);
      if (slice.isOver) await slice.next();
    }
    const page = all.slice(offset, offset + size);
    return { content: joined(this.elementsOf(page)), count: page.length, total: all.length };
  }

  /** `undefined` if an entitlement names no project, or a part that does not exist. */
  private async shownBy(
    { segments, role }: Entitlement,
    projects: ReadonlyMap<string, ProjectDocument>,
  ): Promise<ListedProject | undefined> {
    const [projectId, providerId, installationId, ...deeper] = segments;
    const [project, permissions] = [projects.get(projectId ?? ''), permissionsOf(role)];
    if (!project || !permissions || deeper.length > 0) return undefined;
    if (providerId === undefined) return { project, permissions };
    const isThere = (await this.queries.isAssociated(providerId, project.id)) && (await this.queries.providerById(providerId));
    if (!isThere) return undefined;
    if (installationId === undefined) return { project, permissions, providerId };
    const installation = await this.queries.installationById(installationId);
    const isBelow = installation?.id === installationId && installation.project === project.id && installation.organisation === providerId;
    return isBelow ? { project, permissions, providerId, installation } : undefined;
  }

  private async *elementsOf(shown: readonly ListedProject[]): AsyncGenerator<Pieces> {
    for (const one of shown) {
      const { project, permissions, providerId, installation } = one;
      if (providerId === undefined) yield* mapped(this.branches.ofProjects([project]), (tree) => element(tree, permissions, 'project'));
      else {
        const branches = () => this.onlyOf(one, providerId);
        yield element({ project, branches }, permissions, installation ? 'installation' : 'provider');
      }
    }
  }

  private async *onlyOf({ project, installation }: ListedProject, providerId: string): AsyncGenerator<Branch> {
    for await (const branch of this.branches.ofPairs([{ project, providerId }]))
      yield installation ? { ...branch, installations: () => just([installation]) } : branch;
  }
}
