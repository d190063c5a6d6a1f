import { setTimeout as pause } from 'node:timers/promises';
import { pagesOf } from '#api/status/stored-documents.js';
import type { Day } from '#domain/shared/time.js';
import type { AnyDayList } from '#domain/status/day-lists/day-lists.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { ReadStoreUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import { type DayDocument, dayListCollections } from '#projections/status/day-lists/day-lists.js';
import { separatorAt } from '#projections/status/layout.js';

/** One item of a list: what it says, and its bytes as they stand in a response. */
export type StoredItem<Item> = Readonly<{ item: Item; bytes: Buffer }>;

/** Some items of a part, from a place in it on. */
export type PartOfList<Item> = Readonly<{ part: number; start: number; items: readonly StoredItem<Item>[] }>;

/** Items looked at in one go. */
const ITEMS_AT_ONCE = 200;

/** How often a list may be deleted and written again while its first parts are read. */
const ATTEMPTS = 10;

/** The items of a part, separated as in a response: nothing inside of an item is indented so little. */
const splitItems = (part: Buffer, depth: number): readonly Buffer[] => {
  const separator = Buffer.from(`${separatorAt(depth)}{`);
  const items: Buffer[] = [];
  let start = 0;
  for (let at = part.indexOf(separator); at >= 0; at = part.indexOf(separator, start)) {
    items.push(part.subarray(start, at));
    start = at + separator.length - 1;
  }
  return [...items, part.subarray(start)];
};

/** The list of a day. It may be read several times; while it is, it stays that of the day, or else the reading fails. */
export class StoredDayList {
  constructor(
    private readonly view: ReadView,
    private readonly kind: AnyDayList,
    private readonly found: StoredDocument,
    /** Read already: all of a short list. */
    private readonly first: readonly StoredDocument[],
  ) {}

  get day(): Day {
    return this.found.key.slice(this.found.key.indexOf('/') + 1);
  }

  private get partCount(): number {
    return (JSON.parse(this.found.value.toString('utf8')) as DayDocument).parts;
  }

  /** The parts as they are stored: items in order, separated as in a response. */
  async *parts(): AsyncGenerator<readonly Buffer[]> {
    let count = this.first.length;
    if (count > 0) yield this.first.map(({ value }) => value);
    const { parts } = dayListCollections(this.kind);
    const after = this.first.at(-1);
    if (!after || count === this.partCount) return;
    for await (const page of pagesOf(this.view, parts, { gte: `${after.key}0`, lt: `${this.found.key}0` })) {
      await this.ensureSame();
      count += page.length;
      yield page.map(({ value }) => value);
    }
    if (count !== this.partCount) throw this.changed();
  }

  /** The items in order, some at a time; others get their turn in between. */
  async *items<Item>(): AsyncGenerator<PartOfList<Item>> {
    const slice = new TimeSlice();
    let part = 0;
    for await (const page of this.parts()) {
      for (const bytes of page) {
        const items = splitItems(bytes, this.kind.depth);
        for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
          yield { part, start, items: items.slice(start, start + ITEMS_AT_ONCE).map((one) => this.parsed<Item>(one)) };
          if (slice.isOver) await slice.next();
        }
        part += 1;
      }
    }
  }

  /** The items of one part, as they stand in a response. */
  async itemsOf(part: number): Promise<readonly Buffer[]> {
    const known = this.first[part]?.value;
    const key = `${this.found.key}/${String(part).padStart(6, '0')}`;
    const bytes = known ?? (await this.view.get(dayListCollections(this.kind).parts, key));
    if (!bytes) throw this.changed();
    if (!known) await this.ensureSame();
    return splitItems(bytes, this.kind.depth);
  }

  private parsed<Item>(bytes: Buffer): StoredItem<Item> {
    return { item: JSON.parse(bytes.toString('utf8')) as Item, bytes };
  }

  /** @throws ReadStoreUnavailable when it was deleted, and maybe written anew */
  private async ensureSame(): Promise<void> {
    const now = await this.view.get(dayListCollections(this.kind).days, this.found.key);
    if (!now?.equals(this.found.value)) throw this.changed();
  }

  private changed(): ReadStoreUnavailable {
    return new ReadStoreUnavailable(`the list ${this.found.key} changed while it was read`);
  }
}

/** Reads of the lists of one kind. Two steps, whatever the history: which day, then a range of its parts. */
export class DayListReader {
  private readonly collections: ReturnType<typeof dayListCollections>;

  constructor(
    private readonly view: ReadView,
    private readonly kind: AnyDayList,
  ) {
    this.collections = dayListCollections(kind);
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
    return (await this.find(tenantId, day, day)) !== undefined;
  }

  /** Whether a day up to this one has a list. */
  async hasAsOf(tenantId: string, day: Day): Promise<boolean> {
    return (await this.find(tenantId, '', day)) !== undefined;
  }

  private async find(tenantId: string, from: Day, to: Day): Promise<StoredDocument | undefined> {
    const range = { gte: `${tenantId}/${from}`, lte: `${tenantId}/${to}`, reverse: true, limit: 1 };
    const [found] = await this.view.range(this.collections.days, range);
    return found;
  }

  private async newest(tenantId: string, from: Day, to: Day): Promise<StoredDayList | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.find(tenantId, from, to);
      if (!found) return undefined;
      const { parts } = JSON.parse(found.value.toString('utf8')) as DayDocument;
      const first = parts === 0 ? [] : await this.firstParts(found.key);
      const now = await this.view.get(this.collections.days, found.key);
      if (now?.equals(found.value) && (parts === 0 || first.length > 0)) return new StoredDayList(this.view, this.kind, found, first);
      // Else it was deleted, and perhaps is being written anew, between the steps.
      await pause(attempt);
    }
    throw new ReadStoreUnavailable(`the list of ${tenantId} changed during ${ATTEMPTS} reads`);
  }

  private async firstParts(day: string): Promise<readonly StoredDocument[]> {
    for await (const page of pagesOf(this.view, this.collections.parts, { gte: `${day}/`, lt: `${day}0` })) return page; // `0` follows `/`
    return [];
  }
}
