import { Injectable } from '@nestjs/common';
import type { AccountingCaller } from '#api/accounting/caller.js';
import * as errors from '#api/accounting/errors.js';
import { existing } from '#api/accounting/existing.js';
import { ADMIN, READERS, requireInstallation, requireProject, requireProvider } from '#api/accounting/permissions.js';
import type { Role } from '#domain/accounting/access/entitlements.js';
import {
  CatalogueQueries,
  type InstallationDocument,
  type ProjectDocument,
  type ProviderDocument,
} from '#projections/accounting/catalogue/queries.js';
import type { InstallationRef } from '#projections/accounting/metrics/queries.js';
import { CachedCatalogue } from './cached-catalogue.js';

type ProjectProvider = Readonly<{ project: ProjectDocument; provider: ProviderDocument }>;

export const installationRef = ({ project, id }: InstallationDocument): InstallationRef => ({ projectId: project, installationId: id });

/**
 * The installation, project or provider of a call about metrics, capacities or reports, if the caller has one of the roles there. Existence
 * (404) is checked before permission (403), level by level.
 */
@Injectable()
export class PermittedScopes {
  constructor(
    private readonly catalogue: CatalogueQueries,
    private readonly cached: CachedCatalogue,
  ) {}

  async installation(caller: AccountingCaller, id: string, roles: readonly Role[]): Promise<InstallationDocument> {
    return permitted(caller, roles, await existing(this.catalogue.installation(id), errors.installationNotFound, id));
  }

  async externalInstallation(caller: AccountingCaller, externalId: string, roles: readonly Role[]): Promise<InstallationDocument> {
    return permitted(
      caller,
      roles,
      await existing(this.catalogue.installationByExternalId(externalId), errors.externalInstallationNotFound, externalId),
    );
  }

  /** For calls that change metrics; uses the cache. */
  async measuredInstallation(caller: AccountingCaller, id: string): Promise<InstallationDocument> {
    return permitted(caller, ADMIN, await existing(this.cached.installation(id), errors.installationNotFound, id));
  }

  /** For calls that change metrics; uses the cache. */
  async measuredExternalInstallation(caller: AccountingCaller, externalId: string): Promise<InstallationDocument> {
    return permitted(
      caller,
      ADMIN,
      await existing(this.cached.installationByExternalId(externalId), errors.externalInstallationNotFound, externalId),
    );
  }

  async project(caller: AccountingCaller, id: string, roles: readonly Role[]): Promise<ProjectDocument> {
    const project = await existing(this.catalogue.project(id), errors.projectNotFound, id);
    requireProject(caller, roles, id);
    return project;
  }

  async provider(caller: AccountingCaller, projectId: string, providerId: string): Promise<ProjectProvider> {
    return this.inProject(caller, projectId, () => existing(this.catalogue.provider(providerId), errors.providerNotFound, providerId));
  }

  async externalProvider(caller: AccountingCaller, projectId: string, externalId: string): Promise<ProjectProvider> {
    return this.inProject(caller, projectId, () =>
      existing(this.catalogue.providerByExternalId(externalId), errors.externalProviderNotFound, externalId),
    );
  }

  private async inProject(caller: AccountingCaller, projectId: string, find: () => Promise<ProviderDocument>): Promise<ProjectProvider> {
    const project = await existing(this.catalogue.project(projectId), errors.projectNotFound, projectId);
    const provider = await find();
    requireProvider(caller, READERS, projectId, provider.id);
    return { project, provider };
  }
}

const permitted = (caller: AccountingCaller, roles: readonly Role[], installation: InstallationDocument): InstallationDocument => {
  const { project, organisation, id } = installation;
  requireInstallation(caller, roles, { projectId: project, providerId: organisation, installationId: id });
  return installation;
};
