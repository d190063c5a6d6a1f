import type { Day } from '#domain/shared/time.js';
import type { Collection } from '#projections/shared/collection.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import { COUNTS, clients, definitions } from './documents.js';

/** How many clients and metric definitions there are, by the UTC day of their creation. */
export class CountQueries extends queriesOf(COUNTS) {
  /** Clients registered from one day to another; both count. */
  clients(from: Day, to: Day): Promise<number> {
    return this.sum(clients, { gte: from, lte: to });
  }

  /** Metric definitions created from one day to before another. Definitions that were deleted do not count. */
  definitions(from: Day, before: Day): Promise<number> {
    return this.sum(definitions, { gte: from, lt: before });
  }

  private async sum(days: Collection<number>, range: KeyRange): Promise<number> {
    const counts = await days.range(this.view, range);
    return counts.reduce((total, count) => total + count, 0);
  }
}
