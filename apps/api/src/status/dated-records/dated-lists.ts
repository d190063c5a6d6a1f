import { LRUCache } from 'lru-cache';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import type { CachedStore } from '#api/shared/answers/commit-cache.js';
import type { AnswerBody } from '#api/shared/http/answer.js';
import { listOfPages, listOfStored } from '#api/status/answers/answers.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { DATED_RECORDS, type DatedQueries } from '#projections/status/dated-records/queries.js';

/** For each kind of record; all caches count towards the memory of the process. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** Bodies up to this size are cached as text: Node writes a short text together with the headers, but bytes separately and slower. */
const SHORT = 4 * 1024;

/** Answer bodies with dated records of one kind (status contract 3), made from the stored bytes of the records. */
export class DatedLists {
  /** By tenant, day and, for a single record, its id. Valid until the tenant's next change of the kind. */
  private readonly bodies = new LRUCache<string, Readonly<{ lastChange: string | undefined; body: Buffer | string }>>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });

  /** Last changes by tenant; empty before the first. */
  private readonly lastChanges: CachedQuery<string>;

  constructor(
    private readonly queries: DatedQueries,
    store: CachedStore,
  ) {
    this.lastChanges = new CachedQuery(store, [DATED_RECORDS], (tenantId) => queries.lastChange(tenantId), true);
  }

  /** Body with the record as of a day; `undefined` if the id is unknown or all its snapshots are later. */
  async ofRecord(tenantId: string, id: string, day: Day): Promise<AnswerBody> {
    const { known, keep } = await this.cached(tenantId, `${tenantId}/${day}/${id}`);
    if (known !== undefined) return known;
    const snapshot = await this.queries.snapshot({ tenantId, id }, day);
    return snapshot && keep(listOfStored([snapshot]));
  }

  /** Body with the tenant's records as of a day, ordered by id. With a `name`: only records whose snapshot for the day has it. */
  async ofTenant(tenantId: string, day: Day, name?: string): Promise<AnswerBody> {
    if (name) return listOfPages(this.named(tenantId, day, name));
    const { known, keep } = await this.cached(tenantId, `${tenantId}/${day}`);
    return known ?? listOfPages(this.queries.snapshots(tenantId, day, new TimeSlice()), keep);
  }

  close(): void {
    this.lastChanges.close();
  }

  private async *named(tenantId: string, day: Day, name: string): AsyncGenerator<readonly Buffer[]> {
    for await (const page of this.queries.snapshotsWithHeads(tenantId, day, new TimeSlice()))
      yield page.filter(({ head }) => head.name === name).map(({ body }) => body);
  }

  /** The cached body if it is newer than the tenant's last change, otherwise how to cache one. Streams and absent records are not cached. */
  private async cached(
    tenantId: string,
    key: string,
  ): Promise<Readonly<{ known: Buffer | string | undefined; keep: (made: Buffer) => Buffer | string }>> {
    const lastChange = await this.lastChanges.find(tenantId);
    const known = this.bodies.get(key);
    const keep = (made: Buffer): Buffer | string => {
      const body = made.length > SHORT ? made : made.toString('utf8');
      this.bodies.set(key, { lastChange, body }); // at least as new as the last change, which was read before
      return body;
    };
    return { known: known && known.lastChange === lastChange ? known.body : undefined, keep };
  }
}
