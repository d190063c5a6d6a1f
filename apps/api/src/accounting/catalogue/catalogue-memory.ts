import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import * as errors from '#api/accounting/errors.js';
import { CachedLookup } from '#api/shared/answers/cached-lookup.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import type { InstallationDocument, ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { DEFINITIONS_PROJECTION, type DefinitionRecord, definitionCollections } from '#projections/accounting/definitions/definitions.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { CachedCatalogue } from './cached-catalogue.js';
import { existing } from './existing.js';

/** What commands about metrics look up, from memory where possible. Goes with the commands of metrics. */
@Injectable()
export class CatalogueMemory implements OnModuleDestroy {
  private readonly definitions: CachedLookup<DefinitionRecord>;

  constructor(
    private readonly catalogue: CachedCatalogue,
    @Inject(READ_STORE) store: ReadStore,
  ) {
    this.definitions = new CachedLookup(store, DEFINITIONS_PROJECTION, definitionCollections.definitions);
  }

  onModuleDestroy(): void {
    this.definitions.close();
  }

  project(id: string): Promise<ProjectDocument> {
    return existing(this.catalogue.project(id), errors.projectNotFound, id);
  }

  installation(id: string): Promise<InstallationDocument> {
    return existing(this.catalogue.installation(id), errors.installationNotFound, id);
  }

  installationByExternalId(id: string): Promise<InstallationDocument> {
    return existing(this.catalogue.installationByExternalId(id), errors.externalInstallationNotFound, id);
  }

  async definition(id: string): Promise<DefinitionRecord> {
    const stored = storedObjectId(id);
    const found = stored === undefined ? undefined : await this.definitions.find(stored);
    if (!found) throw errors.definitionNotFound(id);
    return found;
  }
}
