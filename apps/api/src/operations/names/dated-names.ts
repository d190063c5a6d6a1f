import { LRUCache } from 'lru-cache';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { DatedQueries } from '#projections/status/dated-records/queries.js';
import type { Pages } from './pages.js';

/** Maximum number of names in memory, of each kind of record. */
const MOST_NAMES = 10_000;

type Named = Readonly<{ id: string; name: string }>;

/** As of a change of the tenant's records. */
type KnownNames = Readonly<{ lastChange: string; pages: readonly (readonly Named[])[] }>;

const countOf = ({ pages }: KnownNames): number => pages.reduce((sum, page) => sum + page.length, 1);

/** Newest names of dated records of one kind. Those of a tenant stay in memory until one of its records changes, because whole records are read for them. */
export class DatedNames {
  private readonly known = new LRUCache<string, KnownNames>({ maxSize: MOST_NAMES, sizeCalculation: countOf });

  constructor(private readonly queries: Pick<DatedQueries, 'lastChange' | 'newestNames'>) {}

  /** Of the tenant's records, ordered by id. */
  async *of(tenantId: string): Pages<Named> {
    const lastChange = await this.queries.lastChange(tenantId);
    const known = this.known.get(tenantId);
    if (known?.lastChange === lastChange) {
      yield* known.pages;
      return;
    }
    const pages: (readonly Named[])[] = [];
    for await (const page of this.queries.newestNames(tenantId, new TimeSlice())) {
      pages.push(page);
      yield page;
    }
    this.known.set(tenantId, { lastChange, pages }); // at least as new as the last change, which was read before
  }
}
