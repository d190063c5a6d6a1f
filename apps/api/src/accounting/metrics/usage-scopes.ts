import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ADMIN, requireInstallation, requireProject, requireProvider } from '#api/accounting/access/permissions.js';
import { CatalogueMemory } from '#api/accounting/catalogue/catalogue-memory.js';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { accountingCaller } from '#api/accounting/http-policy.js';
import type { Role } from '#domain/accounting/access/entitlements.js';
import type { InstallationDocument, ProjectDocument, ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import type { UsagePlace } from './usage-reader.js';

/** A provider in a project. */
export type ProjectProvider = Readonly<{ project: ProjectDocument; provider: ProviderDocument }>;

export const usagePlace = ({ project, id }: InstallationDocument): UsagePlace => ({ projectId: project, installationId: id });

/** What usage is asked of, once the caller may have it: existence (404) comes before permission (403), part by part. */
@Injectable()
export class UsageScopes {
  constructor(
    private readonly catalogue: CatalogueReader,
    private readonly memory: CatalogueMemory,
  ) {}

  async installation(request: FastifyRequest, id: string, roles: readonly Role[]): Promise<InstallationDocument> {
    return permitted(request, roles, await this.catalogue.installation(id));
  }

  async externalInstallation(request: FastifyRequest, externalId: string, roles: readonly Role[]): Promise<InstallationDocument> {
    return permitted(request, roles, await this.catalogue.installationByExternalId(externalId));
  }

  /** One whose metrics the call is to change. */
  async measuredInstallation(request: FastifyRequest, id: string): Promise<InstallationDocument> {
    return permitted(request, ADMIN, await this.memory.installation(id));
  }

  async measuredExternalInstallation(request: FastifyRequest, externalId: string): Promise<InstallationDocument> {
    return permitted(request, ADMIN, await this.memory.installationByExternalId(externalId));
  }

  async project(request: FastifyRequest, id: string, roles: readonly Role[]): Promise<ProjectDocument> {
    const project = await this.catalogue.project(id);
    requireProject(accountingCaller(request), roles, id);
    return project;
  }

  async provider(request: FastifyRequest, projectId: string, providerId: string, roles: readonly Role[]): Promise<ProjectProvider> {
    return this.inProject(request, projectId, roles, () => this.catalogue.provider(providerId));
  }

  async externalProvider(request: FastifyRequest, projectId: string, externalId: string, roles: readonly Role[]): Promise<ProjectProvider> {
    return this.inProject(request, projectId, roles, () => this.catalogue.providerByExternalId(externalId));
  }

  private async inProject(
    request: FastifyRequest,
    projectId: string,
    roles: readonly Role[],
    find: () => Promise<ProviderDocument>,
  ): Promise<ProjectProvider> {
    const project = await this.catalogue.project(projectId);
    const provider = await find();
    requireProvider(accountingCaller(request), roles, projectId, provider.id);
    return { project, provider };
  }
}

const permitted = (request: FastifyRequest, roles: readonly Role[], installation: InstallationDocument): InstallationDocument => {
  const { project, organisation, id } = installation;
  requireInstallation(accountingCaller(request), roles, { projectId: project, providerId: organisation, installationId: id });
  return installation;
};
