import { Injectable } from '@nestjs/common';
import type { AccountingCaller } from '#api/accounting/caller.js';
import { READERS } from '#api/accounting/permissions.js';
import { covers, type Entitlement } from '#domain/accounting/access/entitlements.js';
import { InstallationSource } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries, type InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import type { Work } from '#projections/shared/pages.js';

const REPRESENTATIVES = ['roles', 'provider'];

const seesEverything = (caller: AccountingCaller): boolean =>
  caller.isSystemAdministrator || covers(caller.entitlements, READERS, []) || covers(caller.entitlements, READERS, REPRESENTATIVES);

/** Distinct sources by key, so that a source inside a wider one can be dropped. */
type Sources = Readonly<{
  /** By project id. */
  projects: Map<string, InstallationSource>;
  /** By project id and provider id. */
  providers: Map<string, Readonly<{ projectId: string; source: InstallationSource }>>;
  installations: Map<string, InstallationDocument>;
}>;

const pairOf = (projectId: string, providerId: string): string => JSON.stringify([projectId, providerId]);

/** Finds the installations that a caller may read. */
@Injectable()
export class InstallationScopes {
  constructor(private readonly queries: CatalogueQueries) {}

  /** Disjoint sources, in the order of their projects. */
  async readableBy(caller: AccountingCaller, work: Work): Promise<readonly InstallationSource[]> {
    if (seesEverything(caller)) return [InstallationSource.all];
    const sources: Sources = { projects: new Map(), providers: new Map(), installations: new Map() };
    for (const entitlement of caller.entitlements) {
      if (work.isPointless) break;
      if (!READERS.some((role) => role === entitlement.role)) continue;
      await this.add(sources, entitlement, work);
      if (work.slice.isOver) await work.slice.next();
    }
    const { projects, providers, installations } = sources;
    return InstallationSource.inOrder([
      ...projects.values(),
      ...[...providers.values()].filter(({ projectId }) => !projects.has(projectId)).map(({ source }) => source),
      ...[...installations.values()]
        .filter(({ project, organisation }) => !projects.has(project) && !providers.has(pairOf(project, organisation)))
        .map(InstallationSource.one),
    ]);
  }

  private async add(sources: Sources, { segments }: Entitlement, work: Work): Promise<void> {
    const [first = '', second, third, ...more] = segments;
    if (more.length > 0) return;
    if (first === 'roles') {
      if (second === 'provider' && third !== undefined) await this.addRepresented(sources, third, work);
    } else if (third !== undefined) await this.addInstallation(sources, first, second, third);
    else if (second !== undefined) await this.addProvider(sources, first, second);
    else await this.addProject(sources, first);
  }

  private async addRepresented(sources: Sources, providerId: string, work: Work): Promise<void> {
    for await (const projectIds of this.queries.projectsWith(providerId))
      for (const projectId of projectIds) {
        if (work.isPointless) return;
        await this.addProvider(sources, projectId, providerId);
        if (work.slice.isOver) await work.slice.next();
      }
  }

  private async addProject({ projects }: Sources, projectId: string): Promise<void> {
    const project = await this.queries.project(projectId);
    if (project) projects.set(projectId, InstallationSource.ofProject(project));
  }

  private async addProvider({ providers }: Sources, projectId: string, providerId: string): Promise<void> {
    const project = await this.queries.project(projectId);
    if (!project) return;
    providers.set(pairOf(projectId, providerId), { projectId, source: InstallationSource.ofProvider(project, providerId) });
  }

  private async addInstallation({ installations }: Sources, projectId: string, providerId: string | undefined, id: string): Promise<void> {
    const found = await this.queries.installationById(id); // in any case, which segments of entitlements do not forgive
    if (found?.id === id && found.project === projectId && found.organisation === providerId) installations.set(found.id, found);
  }
}
