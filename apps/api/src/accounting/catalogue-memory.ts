import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { storedObjectId } from '#domain/accounting/object-id.js';
import {
  CATALOGUE_PROJECTION,
  catalogueCollections,
  type InstallationDocument,
  idKey,
  type ProjectDocument,
} from '#projections/accounting/catalogue-documents.js';
import { DEFINITIONS_PROJECTION, type DefinitionRecord, definitionCollections } from '#projections/accounting/definitions.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { CachedLookup } from '../shared/cached-lookup.js';
import { READ_STORE } from '../shared/tokens.js';
import * as errors from './errors.js';

/**
 * What every command about a metric looks up, from memory where it can be; answers to reads come from the `CatalogueReader`. Here a change
 * made on another node may be seen a moment later: no more than a second, and nothing that is not there is remembered.
 */
@Injectable()
export class CatalogueMemory implements OnModuleDestroy {
  private readonly projects: CachedLookup<ProjectDocument>;
  private readonly installations: CachedLookup<InstallationDocument>;
  private readonly externalIds: CachedLookup<string>;
  private readonly definitions: CachedLookup<DefinitionRecord>;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    const { projects, installations, installationsByExternalId } = catalogueCollections;
    this.projects = new CachedLookup(store, CATALOGUE_PROJECTION, projects);
    this.installations = new CachedLookup(store, CATALOGUE_PROJECTION, installations);
    this.externalIds = new CachedLookup(store, CATALOGUE_PROJECTION, installationsByExternalId);
    this.definitions = new CachedLookup(store, DEFINITIONS_PROJECTION, definitionCollections.definitions);
  }

  onModuleDestroy(): void {
    for (const lookup of [this.projects, this.installations, this.externalIds, this.definitions]) lookup.close();
  }

  /** @throws AccountingError 404 */
  async project(id: string): Promise<ProjectDocument> {
    const found = await this.projects.find(idKey(id));
    if (!found) throw errors.projectNotFound(id);
    return found;
  }

  /** @throws AccountingError 404 */
  async installation(id: string): Promise<InstallationDocument> {
    const found = await this.findInstallation(storedObjectId(id));
    if (!found) throw errors.installationNotFound(id);
    return found;
  }

  /** @throws AccountingError 404 */
  async installationByExternalId(externalId: string): Promise<InstallationDocument> {
    const found = await this.findInstallation(await this.externalIds.find(idKey(externalId)));
    if (!found) throw errors.externalInstallationNotFound(externalId);
    return found;
  }

  /** @throws AccountingError 404 */
  async definition(id: string): Promise<DefinitionRecord> {
    const stored = storedObjectId(id);
    const found = stored === undefined ? undefined : await this.definitions.find(stored);
    if (!found) throw errors.definitionNotFound(id);
    return found;
  }

  private async findInstallation(id: string | undefined): Promise<InstallationDocument | undefined> {
    const found = id === undefined ? undefined : await this.installations.find(id);
    const project = found && (await this.projects.find(idKey(found.project)));
    return project?.generation === found?.generation ? found : undefined;
  }
}
