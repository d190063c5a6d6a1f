import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { DEFINITIONS_READ_MODEL, DefinitionQueries, type DefinitionRecord } from '#projections/accounting/definitions/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/**
 * The same queries, with a cache for the metric definitions that every command about a metric looks up. A change on another node may show
 * up to a second later. Absent definitions are not cached. Answers to reads use {@link DefinitionQueries}.
 */
@Injectable()
export class CachedDefinitions extends DefinitionQueries implements OnModuleDestroy {
  private readonly cache: CachedQuery<DefinitionRecord>;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    super(store);
    this.cache = new CachedQuery(store, [DEFINITIONS_READ_MODEL], (id) => super.definition(id));
  }

  onModuleDestroy(): void {
    this.cache.close();
  }

  override async definition(id: string): Promise<DefinitionRecord | undefined> {
    return this.cache.find(id);
  }
}
