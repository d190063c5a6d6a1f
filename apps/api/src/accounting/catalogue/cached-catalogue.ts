import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { CATALOGUE, CatalogueQueries, type InstallationDocument, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/**
 * The same queries, with a cache for the records that every command about a metric looks up. A change on another node may show up to a
 * second later. Absent records are not cached. Answers to reads use {@link CatalogueQueries}.
 */
@Injectable()
export class CachedCatalogue extends CatalogueQueries implements OnModuleDestroy {
  private readonly projectsById: CachedQuery<ProjectDocument>;
  private readonly installationsByAnyId: CachedQuery<InstallationDocument>;
  private readonly installationsByExternalId: CachedQuery<InstallationDocument>;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    super(store);
    const stored = new CatalogueQueries(store); // not `super`, whose inner look-ups would use these caches and be older still
    this.projectsById = new CachedQuery(store, [CATALOGUE], (id) => stored.project(id));
    this.installationsByAnyId = new CachedQuery(store, [CATALOGUE], (id) => stored.installation(id));
    this.installationsByExternalId = new CachedQuery(store, [CATALOGUE], (id) => stored.installationByExternalId(id));
  }

  onModuleDestroy(): void {
    for (const cache of this.caches) cache.close();
  }

  /** Makes the next queries read the stored documents. */
  clear(): void {
    for (const cache of this.caches) cache.clear();
  }

  private get caches() {
    return [this.projectsById, this.installationsByAnyId, this.installationsByExternalId];
  }

  override async project(id: string): Promise<ProjectDocument | undefined> {
    return this.projectsById.find(id);
  }

  override async installation(id: string): Promise<InstallationDocument | undefined> {
    return this.installationsByAnyId.find(id);
  }

  override async installationByExternalId(externalId: string): Promise<InstallationDocument | undefined> {
    return this.installationsByExternalId.find(externalId);
  }
}
