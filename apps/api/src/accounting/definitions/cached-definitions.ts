import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CommitCache } from '#api/shared/answers/commit-cache.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { DEFINITIONS_READ_MODEL, DefinitionQueries, type DefinitionRecord } from '#projections/accounting/definitions/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Metric definitions in memory. */
const MAX_DEFINITIONS = 10_000;

/**
 * The same queries, with the metric definitions that every command about a metric looks up from memory where possible. A change made on another node
 * may show up to a second later; what is not there is looked for every time. Answers to reads come from the {@link DefinitionQueries}.
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
