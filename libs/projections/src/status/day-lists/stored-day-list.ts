import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { pagesOf } from '#projections/shared/pages.js';
import { ReadStoreUnavailable, type ReadView, type StoredDocument } from '#projections/shared/read-store.js';
import { splitItems } from '#projections/status/layout.js';
import { type DayDocument, type DayId, type DayListCollections, partsUnder } from './documents.js';

/** One item of a list: parsed, and as bytes in the format of answers. */
export type StoredItem<Item> = Readonly<{ item: Item; bytes: Buffer }>;

/** Items of a part, starting at an index in it. */
export type PartOfList<Item> = Readonly<{ part: number; start: number; items: readonly StoredItem<Item>[] }>;

/** The day of a list when it was found: its document, and the stored bytes of the document. */
export type FoundDay = Readonly<{ id: DayId; key: string; document: DayDocument; stored: Buffer }>;

/** The list was deleted, and possibly written again, while it was read. The call can be repeated at once. */
export class DayListChanged extends ReadStoreUnavailable {
  override readonly name = 'DayListChanged';
}

/** Key after all keys with this prefix, which ends with `/`. `0` is the character after it. */
export const behind = (under: string): string => `${under.slice(0, -1)}0`;

/** Items that are parsed without a pause. */
const ITEMS_AT_ONCE = 200;

type StoredDayListOptions = Readonly<{
  view: ReadView;
  collections: DayListCollections;
  /** Depth of an item in an answer. */
  depth: number;
  found: FoundDay;
  /** Parts that have been read already: all of a short list. */
  first: readonly StoredDocument[];
}>;

/** The list of a day. It can be read several times and is always the same: if the list is deleted meanwhile, reading fails. */
export class StoredDayList {
  constructor(private readonly options: StoredDayListOptions) {}

  get day(): Day {
    return this.options.found.id.date;
  }

  /** Id of the event that completed the list. Any other list has another one, even its replacement. */
  get event(): string {
    return this.options.found.document.event;
  }

  /** The parts as stored: items in order, separated as in an answer. @throws DayListChanged */
  async *parts(): AsyncGenerator<readonly Buffer[]> {
    const { view, collections, found, first } = this.options;
    let count = first.length;
    if (count > 0) yield first.map(({ value }) => value);
    const after = first.at(-1);
    if (!after || count === found.document.parts) return;
    const { id, document } = found;
    const rest = { gte: `${after.key}0`, lt: behind(partsUnder({ ...id, edition: document.edition })) };
    for await (const page of pagesOf(view, collections.parts.name, rest, { slice: new TimeSlice() })) {
      await this.ensureSame();
      count += page.length;
      yield page.map(({ value }) => value);
    }
    if (count !== found.document.parts) throw this.changed();
  }

  /** The items in order, in batches. Yields to other work in between. @throws DayListChanged */
  async *items<Item>(): AsyncGenerator<PartOfList<Item>> {
    const slice = new TimeSlice();
    let part = 0;
    for await (const page of this.parts()) {
      for (const bytes of page) {
        const items = splitItems(bytes, this.options.depth);
        for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
          yield { part, start, items: items.slice(start, start + ITEMS_AT_ONCE).map((one) => this.parsed<Item>(one)) };
          if (slice.isOver) await slice.next();
        }
        part += 1;
      }
    }
  }

  /** The items of one part in the format of answers. @throws DayListChanged */
  async itemsOf(part: number): Promise<readonly Buffer[]> {
    const { view, collections, depth, found, first } = this.options;
    const known = first[part]?.value;
    const bytes = known ?? (await collections.parts.bytes(view, { ...found.id, part, edition: found.document.edition }));
    if (!bytes) throw this.changed();
    if (!known) await this.ensureSame();
    return splitItems(bytes, depth);
  }

  private parsed<Item>(bytes: Buffer): StoredItem<Item> {
    return { item: JSON.parse(bytes.toString('utf8')) as Item, bytes };
  }

  private async ensureSame(): Promise<void> {
    const { view, collections, found } = this.options;
    const now = await collections.days.bytes(view, found.id);
    if (!now?.equals(found.stored)) throw this.changed();
  }

  private changed(): DayListChanged {
    return new DayListChanged(`the list ${this.options.found.key} changed while it was read`);
  }
}
