import type { NameOfRecord, Names } from '#api/operations/names/names.js';
import {
  bookkeeping,
  isCountedByReading,
  passes,
  type Statement,
  type StatementFilter,
  statementOf,
  typesOf,
} from '#domain/audit/changes/statements.js';
import { resourcesOf } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { IndexedEvent } from '#infra/engine/audit-index/audit-index.js';
import type { EventList } from '#infra/engine/audit-index/event-list.js';
import { hasIds } from '#infra/engine/audit-index/event-pages.js';
import { type EventRead, EventReader } from '#infra/engine/audit-index/event-reader.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { RecordNames } from '#infra/engine/audit-index/record-names.js';
import { type Change, placeOf, sentenceOf, type UnnamedChange, withoutLists } from './sentence.js';

/** Bounds of a page: events checked in the index, and events read from the log. */
const [LOOKED_AT, READ] = [100_000, 2_000];
/** Bounds of counts: events read of a started minute, and events checked in the index for a page. Beyond them counts are lower bounds. */
const [READ_OF_MINUTE, COUNTED] = [5_000, 50_000];
/** Approximate size of a portion of events that is read together, and their maximum number. */
const [PORTION_BYTES, PORTION_EVENTS] = [512 * 1024, 100];
/** Data of events above this size are not kept after the portion: characters. */
const LARGE = 16 * 1024;
const MINUTE_MS = 60_000;

export type ChangesRequest = StatementFilter &
  Readonly<{
    /** Id of the caller: callers take turns. */
    owner: string;
    /** If one of them is given, every event is an item, also one that is in no list of changes. */
    correlation?: string | undefined;
    causation?: string | undefined;
    /** Id or name. */
    actor?: string | undefined;
    /** Part of the sentence, in any letter case. */
    text?: string | undefined;
    /** Indexes: of the newest change of the list, of the first event to check, and of the last. */
    newest: number;
    start: number;
    end: number;
    limit: number;
    /** Set if names of people are shown. */
    personal: boolean;
  }>;

/** `next`: index of the first event that was not checked; `null` at the end. `hasPersons`: set if the items contain names of people. */
export type ChangesPage = Readonly<{ items: readonly Change[]; next: number | null; hasPersons: boolean }>;

type Parts = Readonly<{ audit: AuditEvents; events: EventStore; names: Names }>;

const minuteOf = (milliseconds: number): number => Math.floor(milliseconds / MINUTE_MS);

/** Finds the changes of one page. */
export class PageOfChanges {
  private readonly slice = new TimeSlice();
  private readonly reader: EventReader;
  private readonly recordNames: RecordNames;
  private readonly actors = new Map<string, NameOfRecord>();
  private readonly items: Change[] = [];
  /** Folded items of the current minute, and the number of the minute. */
  private readonly folded = new Map<string, UnnamedChange>();
  private minute: number | undefined;
  /** Items of this minute, newest first. Names are looked up once all are counted. */
  private found: UnnamedChange[] = [];
  private readonly shown = new Set<string>();
  /** Whether the minute must be read to its end, for a count or for what newer pages have shown. */
  private readsMinute = false;
  /** Index of the first item without room. */
  private rest: number | null = null;
  /** Indexes of folded events that have been counted. */
  private readonly counted = new Set<number>();
  private hasPersons = false;
  private looked = 0;
  private read = 0;
  /** Events that may still be examined for counts. */
  private countable = COUNTED;

  constructor(
    private readonly parts: Parts,
    private readonly request: ChangesRequest,
  ) {
    const { audit, events } = parts;
    this.reader = new EventReader(events, this.slice);
    const { personal } = request;
    this.recordNames = new RecordNames(audit.index, this.reader, (event) => {
      this.hasPersons = true;
      return audit.readable(event, { personal });
    });
  }

  /** Whether all events of a conversation are wanted. */
  private get isWhole(): boolean {
    return this.request.correlation !== undefined || this.request.causation !== undefined;
  }

  async find(): Promise<ChangesPage> {
    const { start, end } = this.request;
    const list = this.listOf();
    let next: number | null = list && start >= end ? start : null;
    if (next !== null && !this.isWhole) await this.passOver(start);
    while (list && next !== null) {
      if (this.slice.isOver) await this.slice.next();
      next = await this.portion(list, next, end);
      if ((this.isFull() && this.found.length === 0) || this.read >= READ_OF_MINUTE || this.looked >= 2 * LOOKED_AT) break;
    }
    const rest = await this.closeMinute(next);
    return { items: this.items, next: rest ?? next, hasPersons: this.hasPersons };
  }

  /** Restores the folded items of the first event's minute that newer pages have shown, except those counted by the index. */
  private async passOver(start: number): Promise<void> {
    const { index } = this.parts.audit;
    const minute = minuteOf(index.event(start).logTime);
    const newest = Math.min(this.request.newest, index.countBefore((minute + 1) * MINUTE_MS) - 1);
    const list = newest > start ? this.listOf(isCountedByReading) : null;
    this.readsMinute = true;
    for (let next: number | null = newest; list && next !== null && next > start && this.read < READ_OF_MINUTE; )
      next = await this.portion(list, next, start + 1);
    this.forgetMinute();
    [this.read, this.looked] = [0, 0];
  }

  private forgetMinute(): void {
    for (const key of this.folded.keys()) this.shown.add(key);
    this.folded.clear();
    this.found = [];
    this.minute = undefined;
    this.readsMinute = false;
  }

  /** Whether the found items fill the page, and none is still being counted. */
  private isSettled(): boolean {
    return !this.readsMinute && this.found.length >= this.request.limit - this.items.length;
  }

  /** Closes the minute. */
  private async endsPage(): Promise<boolean> {
    this.rest = await this.closeMinute();
    return this.rest !== null || this.isFull();
  }

  private isFull(): boolean {
    return this.looked >= LOOKED_AT || this.read >= READ || this.items.length >= this.request.limit;
  }

  private listOf(among?: (statement: Statement) => boolean): EventList | null {
    const { audit } = this.parts;
    const { actor, correlation, causation } = this.request;
    if (this.isWhole) return audit.index.select({ correlation, causation });
    const types = typesOf(this.request, among);
    if (types.length === 0) return null;
    const byId = actor === undefined ? null : audit.index.select({ types, actor });
    return byId ?? audit.index.select({ types });
  }

  /** Checks some more events. @returns index of the next one */
  private async portion(list: EventList, start: number, end: number): Promise<number | null> {
    const found = await list.find({ order: 'desc', start, end }, PORTION_EVENTS, PORTION_EVENTS * 10);
    this.looked += found.looked;
    const { wanted, bytes, cut } = this.wantedOf(found.indexes);
    this.read += wanted.length;
    const { owner } = this.request;
    const readings = await this.parts.audit.room.within(owner, bytes, () => this.reader.read(wanted));
    for (const [place, entry] of wanted.entries()) {
      if (this.slice.isOver) await this.slice.next();
      const minute = minuteOf(entry.logTime);
      const isOver = this.minute !== undefined && minute !== this.minute;
      if (isOver && (await this.endsPage())) return this.rest ?? entry.index;
      this.minute = minute;
      await this.take(entry, readings[place] ?? 'missing');
      if (this.isSettled() && (await this.endsPage())) return this.rest ?? wanted[place + 1]?.index ?? cut ?? found.next;
    }
    return cut ?? found.next;
  }

  /** Events to read, up to the bounds. `cut`: index of the next one. */
  private wantedOf(indexes: readonly number[]): Readonly<{ wanted: readonly IndexedEvent[]; bytes: number; cut: number | undefined }> {
    const wanted: IndexedEvent[] = [];
    let bytes = 0;
    for (const at of indexes) {
      if (this.counted.has(at)) continue;
      const entry = this.parts.audit.index.event(at);
      if (bytes > 0 && bytes + entry.size > PORTION_BYTES) return { wanted, bytes, cut: at };
      wanted.push(entry);
      bytes += entry.size;
    }
    return { wanted, bytes, cut: undefined };
  }

  private async take(entry: IndexedEvent, reading: EventRead): Promise<void> {
    if (typeof reading !== 'object' || this.counted.has(entry.index)) return;
    const event = entry.size > LARGE ? { ...reading, data: withoutLists(reading.data) } : reading;
    const statement = statementOf(event) ?? (this.isWhole ? bookkeeping(event) : undefined);
    if (!statement || !passes(statement, this.request) || !hasIds(this.request, event)) return;
    const count = statement.folded ? (statement.amount?.(reading.data) ?? 1) : 1;
    if (statement.folded && !this.isWhole) return this.fold(entry, event, statement, count);
    const changed = statement.folded ? undefined : resourcesOf(event).find(({ beside }) => beside === undefined);
    const record = statement.folded ? statement.about?.(event) : changed;
    if (!statement.folded && !changed) return;
    const { index } = entry;
    this.found.push({ key: `${index}`, index, event, statement, record, isDeleted: changed?.ends === true, count, isLeast: false });
  }

  private async fold(entry: IndexedEvent, event: RecordedEvent, statement: Statement, amount: number): Promise<void> {
    const record = statement.about?.(event);
    const { actor } = event.metadata;
    const place = placeOf(event, record)?.id ?? '';
    const about = record ? [record.service, record.kind, place, record.id] : [statement.says(1, event.data)];
    const key = [minuteOf(entry.logTime), event.type, actor.kind, actor.id, ...about].join(' ');
    if (this.shown.has(key)) return;
    const known = this.folded.get(key);
    const item = { key, index: entry.index, event, statement, record, isDeleted: false, count: amount, isLeast: false };
    if (statement.countedByStream) {
      const counted = known ? undefined : await this.countInStream(entry, event);
      if (counted) this.addFolded({ ...item, ...counted });
      else if (!known) this.shown.add(key);
    } else if (known) known.count += amount;
    else this.addFolded(item);
  }

  private addFolded(item: UnnamedChange): void {
    this.folded.set(item.key, item);
    this.found.push(item);
    if (isCountedByReading(item.statement)) this.readsMinute = true;
  }

  /** Number of events of this type and actor in the stream in this minute; `undefined` if a newer item includes them. */
  private async countInStream(
    entry: IndexedEvent,
    { type, metadata }: RecordedEvent,
  ): Promise<Pick<UnnamedChange, 'count' | 'isLeast'> | undefined> {
    const { index } = this.parts.audit;
    const list = index.select({ stream: entry.streamName, types: [type], actor: metadata.actor.id });
    const begin = minuteOf(entry.logTime) * MINUTE_MS;
    const [first, behind] = [index.countBefore(begin), index.countBefore(begin + MINUTE_MS)];
    const newer = await list?.find({ order: 'asc', start: entry.index + 1, end: Math.min(behind - 1, this.request.newest) }, 1, LOOKED_AT);
    if (newer && newer.indexes.length > 0) return undefined;
    const older = await list?.find({ order: 'desc', start: entry.index, end: first }, COUNTED, this.countable);
    this.countable -= older?.looked ?? 0;
    for (const at of older?.indexes ?? []) this.counted.add(at);
    return { count: Math.max(1, older?.indexes.length ?? 0), isLeast: older !== undefined && older.next !== null };
  }

  /** Adds the items of the minute to the page. `next`: index of the first unchecked event. @returns index of the first item without room */
  private async closeMinute(next: number | null = null): Promise<number | null> {
    const { found, minute } = this;
    const isCut = next !== null && minuteOf(this.parts.audit.index.event(next).logTime) === minute;
    for (const item of found) if (isCut && !this.isWhole && isCountedByReading(item.statement)) item.isLeast = true;
    this.forgetMinute();
    if (found.length > 0) await this.nameActors(found);
    for (const item of found) {
      if (this.items.length >= this.request.limit) return item.index;
      const change = await this.changeOf(item);
      if (change) this.items.push(change);
    }
    return null;
  }

  /** Looks up all unknown actors together. */
  private async nameActors(found: readonly UnnamedChange[]): Promise<void> {
    const ids = new Set(found.map(({ event }) => event.metadata.actor).flatMap(({ kind, id }) => (kind === 'system' ? [] : [id])));
    const unknown = [...ids].filter((id) => !this.actors.has(id)).map((id) => ({ kind: 'actor', id }) as const);
    if (unknown.length === 0) return;
    for (const named of await this.parts.names.of(unknown)) this.actors.set(named.id, named);
  }

  /** `undefined` if it does not match a filter by name or text. */
  private async changeOf(item: UnnamedChange): Promise<Change | undefined> {
    const { actor: wanted, text, personal } = this.request;
    const { index, record, event } = item;
    const actor = this.actors.get(event.metadata.actor.id);
    if (actor?.isPerson) this.hasPersons = true;
    const place = placeOf(event, record);
    const names = {
      actor: actor?.isPerson && !personal ? { ...actor, name: `a user of ${actor.place ?? 'accounting'}` } : actor,
      record: record && (await this.nameOf(item, record)),
      place: place && (await this.recordNames.at(place, index)),
    };
    const change = sentenceOf(item, place, names);
    if (wanted !== undefined && event.metadata.actor.id !== wanted && !isIn(change.actor.name, wanted)) return undefined;
    return text === undefined || isIn(change.sentence, text) ? change : undefined;
  }

  private async nameOf({ event, index }: UnnamedChange, record: ResourceReference): Promise<string | undefined> {
    // Capacities use the name of their installation.
    const named = record.kind === 'capacity' ? { ...record, kind: 'installation', id: String(event.data.installationId) } : record;
    return (await this.recordNames.nameIn(event, named)) ?? this.recordNames.at(named, index);
  }
}

const isIn = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());
