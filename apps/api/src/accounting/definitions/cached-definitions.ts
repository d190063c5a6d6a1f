import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CommitCache } from '#api/shared/answers/commit-cache.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { DEFINITIONS_READ_MODEL, DefinitionQueries, type DefinitionRecord } from '#projections/accounting/definitions/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Maximum number of cached metric definitions. */
const MAX_DEFINITIONS = 10_000;

/**
 * The same queries, with a cache for the metric definitions that every command about a metric looks up. A change on another node may show
 * up to a second later. Absent definitions are not cached. Answers to reads use {@link DefinitionQueries}.
 */
@Injectable()
export class CachedDefinitions extends DefinitionQueries implements OnModuleDestroy {
  private readonly cache: CommitCache<DefinitionRecord>;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    super(store);
    this.cache = new CommitCache(store, [DEFINITIONS_READ_MODEL], MAX_DEFINITIONS);
  }

  onModuleDestroy(): void {
    this.cache.close();
  }

  override async definition(id: string): Promise<DefinitionRecord | undefined> {
    return this.cache.get(id) ?? this.cache.fill(id, () => super.definition(id));
  }
}
