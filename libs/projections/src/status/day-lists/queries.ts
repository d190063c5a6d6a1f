import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { AnyDayList } from '#domain/status/day-lists/day-lists.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf } from '#projections/shared/pages.js';
import { type ReadStore, ReadStoreUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import { DAY_LISTS, type DayDocument, type DayListCollections, dayListCollections, partsUnder } from './documents.js';
import { behind, type FoundDay, StoredDayList } from './stored-day-list.js';

export type { PartOfList, StoredDayList, StoredItem } from './stored-day-list.js';
export { DayListChanged } from './stored-day-list.js';

/** Waits for a list that is being written again. */
type Pause = (milliseconds: number) => Promise<unknown>;

/** Maximum attempts to read the first parts of a list while it is deleted and written again. */
const ATTEMPTS = 10;

/** Reads the lists of one kind in two steps, for any length of history: first the day, then a range of its parts. */
export class DayListQueries {
  private readonly view: ReadView;
  private readonly collections: DayListCollections;

  constructor(
    store: ReadStore,
    private readonly list: AnyDayList,
    private readonly pause: Pause,
  ) {
    this.view = store.view(DAY_LISTS);
    this.collections = dayListCollections(list);
  }

  /** The list of the latest day up to `day`. `undefined` if there is none. */
  asOf(tenantId: string, day: Day): Promise<StoredDayList | undefined> {
    return this.newest(tenantId, '', day);
  }

  /** The list of exactly this day. `undefined` if there is none. */
  of(tenantId: string, day: Day): Promise<StoredDayList | undefined> {
    return this.newest(tenantId, day, day);
  }

  /** Whether exactly this day has a list. */
  async has(tenantId: string, day: Day): Promise<boolean> {
    return (await this.find(tenantId, day, day)) !== undefined;
  }

  /** Whether this day or an earlier one has a list. */
  async hasAsOf(tenantId: string, day: Day): Promise<boolean> {
    return (await this.find(tenantId, '', day)) !== undefined;
  }

  /** The first day with a list. `undefined` if there is none. */
  async firstDay(tenantId: string): Promise<Day | undefined> {
    const [first] = await this.view.range(this.collections.days.name, { ...keysUnder(tenantId), limit: 1 });
    return first?.key.slice(tenantId.length + 1);
  }

  /** {@link StoredDayList.event} of the lists of a range of days, by day: of the latest day up to the first one, if any, and of those after it. */
  async during(tenantId: string, from: Day, to: Day): Promise<ReadonlyMap<Day, string>> {
    const { days } = this.collections;
    const [valid = [], later = []] = await this.view.ranges(days.name, [
      { gte: days.key({ tenantId, date: '' }), lte: days.key({ tenantId, date: from }), reverse: true, limit: 1 },
      { gt: days.key({ tenantId, date: from }), lte: days.key({ tenantId, date: to }) },
    ]);
    return new Map([...valid, ...later].map(({ key, value }) => [key.slice(tenantId.length + 1), days.parse(value).event]));
  }

  /** {@link StoredDayList.event} of the lists of exactly these days. Days without a list are absent. */
  async eventsOf(tenantId: string, on: readonly Day[]): Promise<ReadonlyMap<Day, string>> {
    const found = await this.documentsOf(tenantId, on);
    return new Map(found.map(([day, { event }]) => [day, event]));
  }

  /** Number of items in the lists of exactly these days. Days without a list are absent. */
  async countsOf(tenantId: string, on: readonly Day[]): Promise<ReadonlyMap<Day, number>> {
    const found = await this.documentsOf(tenantId, on);
    return new Map(found.map(([day, { count }]) => [day, count]));
  }

  private async documentsOf(tenantId: string, on: readonly Day[]): Promise<readonly (readonly [Day, DayDocument])[]> {
    const found = await this.collections.days.getMany(
      this.view,
      on.map((date) => ({ tenantId, date })),
    );
    return on.flatMap((day, index) => (found[index] ? [[day, found[index]] as const] : []));
  }

  private async find(tenantId: string, from: Day, to: Day): Promise<FoundDay | undefined> {
    const { days } = this.collections;
    const bounds = { gte: days.key({ tenantId, date: from }), lte: days.key({ tenantId, date: to }) };
    const [found] = await this.view.range(days.name, { ...bounds, reverse: true, limit: 1 });
    if (!found) return undefined;
    const { key, value } = found;
    return { id: { tenantId, date: key.slice(tenantId.length + 1) }, key, document: days.parse(value), stored: value };
  }

  private async newest(tenantId: string, from: Day, to: Day): Promise<StoredDayList | undefined> {
    const { view, collections } = this;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.find(tenantId, from, to);
      if (!found) return undefined;
      const { parts, edition } = found.document;
      const first = parts === 0 ? [] : await this.firstParts(partsUnder({ ...found.id, edition }));
      const now = await collections.days.bytes(view, found.id);
      if (now?.equals(found.stored) && (parts === 0 || first.length > 0))
        return new StoredDayList({ view, collections, depth: this.list.depth, found, first });
      // Otherwise the list was deleted between the steps, and may be being written again.
      await this.pause(attempt);
    }
    throw new ReadStoreUnavailable(`the list of ${tenantId} changed during ${ATTEMPTS} reads`);
  }

  private async firstParts(under: string): Promise<readonly StoredDocument[]> {
    const parts = { gte: under, lt: behind(under) };
    for await (const page of pagesOf(this.view, this.collections.parts.name, parts, { slice: new TimeSlice() })) return page;
    return [];
  }
}
