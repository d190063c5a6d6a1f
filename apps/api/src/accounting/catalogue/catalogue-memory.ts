import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CachedLookup } from '#api/shared/answers/cached-lookup.js';
import { READ_STORE } from '#api/shared/tokens.js';
import {
  CATALOGUE_PROJECTION,
  catalogueCollections,
  type InstallationDocument,
  type ProjectDocument,
} from '#projections/accounting/catalogue/catalogue-documents.js';
import { DEFINITIONS_PROJECTION, type DefinitionRecord, definitionCollections } from '#projections/accounting/definitions/definitions.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { CatalogueEntries, type Found } from './catalogue-entries.js';

/**
 * What every command about a metric looks up, from memory where it can be; answers to reads come from the `CatalogueReader`. Here a change
 * made on another node may be seen a moment later: no more than a second, and nothing that is not there is remembered.
 */
@Injectable()
export class CatalogueMemory extends CatalogueEntries implements OnModuleDestroy {
  private readonly projects: CachedLookup<ProjectDocument>;
  private readonly installations: CachedLookup<InstallationDocument>;
  private readonly externalIds: CachedLookup<string>;
  private readonly definitions: CachedLookup<DefinitionRecord>;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    super();
    const { projects, installations, installationsByExternalId } = catalogueCollections;
    this.projects = new CachedLookup(store, CATALOGUE_PROJECTION, projects);
    this.installations = new CachedLookup(store, CATALOGUE_PROJECTION, installations);
    this.externalIds = new CachedLookup(store, CATALOGUE_PROJECTION, installationsByExternalId);
    this.definitions = new CachedLookup(store, DEFINITIONS_PROJECTION, definitionCollections.definitions);
  }

  onModuleDestroy(): void {
    for (const lookup of [this.projects, this.installations, this.externalIds, this.definitions]) lookup.close();
  }

  protected projectAt(key: string): Found<ProjectDocument> {
    return this.projects.find(key);
  }

  protected installationAt(key: string): Found<InstallationDocument> {
    return this.installations.find(key);
  }

  protected installationIdAt(key: string): Found<string> {
    return this.externalIds.find(key);
  }

  protected definitionAt(key: string): Found<DefinitionRecord> {
    return this.definitions.find(key);
  }
}
