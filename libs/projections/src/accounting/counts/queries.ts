import type { Day } from '#domain/shared/time.js';
import type { Collection } from '#projections/shared/collection.js';
import { queriesOf } from '#projections/shared/queries.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import { COUNTS, clients, definitions } from './documents.js';

/** Numbers of clients and metric definitions by the UTC day of their creation. */
export class CountQueries extends queriesOf(COUNTS) {
  /** Clients registered from one day to another, both inclusive. */
  clients(from: Day, to: Day): Promise<number> {
    return this.sum(clients, { gte: from, lte: to });
  }

  /** Existing metric definitions created from `from` (inclusive) to `before` (exclusive). */
  definitions(from: Day, before: Day): Promise<number> {
    return this.sum(definitions, { gte: from, lt: before });
  }

  private async sum(days: Collection<number>, range: KeyRange): Promise<number> {
    const counts = await days.range(this.view, range);
    return counts.reduce((total, count) => total + count, 0);
  }
}
