import { setImmediate } from 'node:timers/promises';
import type { Day } from '#domain/shared/time.js';
import type { AnyDayList } from '#domain/status/day-lists.js';
import { ReadStoreUnavailable, type ReadView } from '#projections/shared/read-store.js';
import { type DayDocument, dayListCollections } from '#projections/status/day-lists.js';

/** The list of a day: its items as they stand in a response, in parts to be separated as there. */
export type StoredDayList = Readonly<{ day: Day; parts: readonly Buffer[] }>;

/** Hands over the items in order, one part in each turn of the event loop: a day may have 50 MiB. */
export const eachItem = async <Item>({ parts }: StoredDayList, take: (item: Item) => void): Promise<void> => {
  for (const [index, part] of parts.entries()) {
    if (index > 0) await setImmediate();
    for (const item of JSON.parse(`[${part.toString('utf8')}]`) as readonly Item[]) take(item);
  }
};

/** How often a list may be deleted and written again between the two steps of one read. */
const ATTEMPTS = 10;

/** Reads of the lists of one kind. Two steps, whatever the history: which day, then one range of its parts. */
export class DayListReader {
  private readonly collections: ReturnType<typeof dayListCollections>;

  constructor(
    private readonly view: ReadView,
    list: AnyDayList,
  ) {
    this.collections = dayListCollections(list);
  }

  /** The list of the greatest day up to `day`, if there is one. */
  asOf(tenantId: string, day: Day): Promise<StoredDayList | undefined> {
    return this.newest(tenantId, '', day);
  }

  /** The list of exactly that day, if there is one. */
  of(tenantId: string, day: Day): Promise<StoredDayList | undefined> {
    return this.newest(tenantId, day, day);
  }

  /** Whether that very day has a list. */
  async has(tenantId: string, day: Day): Promise<boolean> {
    return (await this.view.get(this.collections.days, `${tenantId}/${day}`)) !== null;
  }

  private async newest(tenantId: string, from: Day, to: Day): Promise<StoredDayList | undefined> {
    const { days, parts } = this.collections;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [found] = await this.view.range(days, { gte: `${tenantId}/${from}`, lte: `${tenantId}/${to}`, reverse: true, limit: 1 });
      if (!found) return undefined;
      const expected = JSON.parse(found.value.toString('utf8')) as DayDocument;
      const stored = expected.parts === 0 ? [] : await this.view.range(parts, { gte: `${found.key}/`, lt: `${found.key}0` }); // `0` follows `/`
      // Else it was deleted, and perhaps is being written anew, between the two steps.
      if (stored.length === expected.parts) return { day: found.key.slice(tenantId.length + 1), parts: stored.map(({ value }) => value) };
    }
    throw new ReadStoreUnavailable(`the list of ${tenantId} changed during ${ATTEMPTS} reads`);
  }
}
