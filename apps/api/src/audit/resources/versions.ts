import type { Answered } from '#api/shared/openapi/described.js';
import { patchBetween } from '#domain/audit/resources/json-patch.js';
import type { AccessKeyEvent } from '#domain/operations/access-keys.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { type ExactJson, exactText } from '#domain/shared/json/exact-json.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { actorView } from '#infra/engine/audit-index/event-views.js';
import type { VersionPlace } from '#infra/engine/audit-index/record-history.js';
import type { RESOURCE } from './documentation.js';
import { type ReadingOf, ValueReader } from './value-reader.js';

type Version = Answered<typeof RESOURCE>['versions'][number];

export type VersionPage = Readonly<{ order: 'asc' | 'desc'; after: number | undefined; limit: number }>;

type Parts = Omit<ReadingOf, 'first'> & Readonly<{ index: AuditIndex }>;

/** A page ends after this number of characters, because each version of a dated record contains all its days. */
const PAGE_CHARACTERS = 4 * 2 ** 20;

/** JSON of versions; fewer than `limit` if they are large, at least one. @param places all versions in order @throws Problem 410, 413, 503 */
export const versionsPage = async (
  parts: Parts,
  places: readonly VersionPlace[],
  { order, after, limit }: VersionPage,
  characters = PAGE_CHARACTERS,
): Promise<Readonly<{ versions: readonly string[]; next: number | null }>> => {
  const [from, to] =
    order === 'asc'
      ? [Math.min(after ?? 0, places.length), Math.min((after ?? 0) + limit, places.length)]
      : [
          Math.max(0, Math.min((after ?? places.length + 1) - 1, places.length) - limit),
          Math.max(0, Math.min((after ?? places.length + 1) - 1, places.length)),
        ];
  const versions = new Versions(parts, places).between(from, to);
  const { items, dropped } = await (order === 'asc' ? firstOf(versions, characters) : lastOf(versions, characters));
  if (order === 'asc')
    return { versions: items, next: items.length > 0 && from + items.length < places.length ? from + items.length : null };
  return { versions: items.toReversed(), next: items.length > 0 && from + dropped > 0 ? from + dropped + 1 : null };
};

type BoundedItems = Readonly<{ items: readonly string[]; dropped: number }>;

/** As many versions from the start as fit. */
const firstOf = async (versions: AsyncIterable<Version>, characters: number): Promise<BoundedItems> => {
  const items: string[] = [];
  let sum = 0;
  for await (const version of versions) {
    const item = exactText(version);
    sum += item.length;
    if (sum > characters && items.length > 0) break;
    items.push(item);
  }
  return { items, dropped: 0 };
};

/** As many versions from the end as fit. Each is the base of the next one, so all of them are read. */
const lastOf = async (versions: AsyncIterable<Version>, characters: number): Promise<BoundedItems> => {
  const items: string[] = [];
  let [sum, dropped] = [0, 0];
  for await (const version of versions) {
    const item = exactText(version);
    items.push(item);
    sum += item.length;
    for (; sum > characters && items.length > 1; dropped++) sum -= items.shift()?.length ?? 0;
  }
  return { items, dropped };
};

class Versions {
  constructor(
    private readonly parts: Parts,
    private readonly places: readonly VersionPlace[],
  ) {}

  /** Versions from place `from` up to `to`, exclusive; oldest first. */
  async *between(from: number, to: number): AsyncGenerator<Version> {
    const { history, kind } = this.parts;
    const [oldest] = this.places;
    if (!oldest || from >= to) return;
    const first = await history.event(oldest.index);
    const reader = new ValueReader({ ...this.parts, first });
    let before: ExactJson = null;
    if (from > 0) before = await this.valueAt(reader, from - 1);
    for (let at = from; at < to; at++) {
      const place = this.places[at] as VersionPlace;
      const event = await history.event(place.index);
      if (place.ends) reader.clear();
      const value: ExactJson =
        kind.dated && !place.ends ? await this.dated(reader, place, event, before) : await this.valueAt(reader, at, event);
      yield this.version(at, event, before, value);
      before = value;
    }
  }

  private version(at: number, event: RecordedEvent, before: ExactJson, value: ExactJson): Version {
    const { index } = this.parts;
    const place = this.places[at] as VersionPlace;
    const { logTime } = index.event(place.index);
    return {
      version: at + 1,
      index: place.index,
      position: `${index.momentAfter(place.index).position}`,
      time: new Date(logTime).toISOString(),
      actor: actorView(index, event.metadata.actor),
      type: event.type,
      change: patchBetween(before, value),
      value,
    };
  }

  private async valueAt(reader: ValueReader, at: number, known?: RecordedEvent): Promise<ExactJson> {
    const { reference, kind } = this.parts;
    const place = this.places[at] as VersionPlace;
    if (place.ends) return null;
    if (reference.service === 'ops') return this.key(known);
    return reader.at(this.parts.index.momentAfter(place.index), kind.dated ? await this.daysUpTo(at) : []);
  }

  /** For a dated record: only the day of the event has changed. */
  private async dated(reader: ValueReader, place: VersionPlace, { data }: RecordedEvent, before: ExactJson): Promise<ExactJson> {
    const day = String(data.date);
    const value = await reader.day(this.parts.index.momentAfter(place.index), day);
    const days = { ...((before ?? {}) as Readonly<Record<string, ExactJson>>), [day]: value };
    return Object.fromEntries(Object.entries(days).sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Days of a dated record with a version after the events up to a place. */
  private async daysUpTo(at: number): Promise<readonly string[]> {
    const days = new Set<string>();
    for (const place of this.places.slice(0, at + 1)) {
      if (place.ends) days.clear();
      else days.add(String((await this.parts.history.event(place.index)).data.date));
    }
    return [...days].sort();
  }

  /** In the form of the list of keys. */
  private async key(known?: RecordedEvent): Promise<ExactJson> {
    const [oldest] = this.places;
    const event = known ?? (await this.parts.history.event(oldest?.index ?? 0));
    const data = event.data as Extract<AccessKeyEvent, { type: 'AccessKeyIssued' }>['data'];
    return { id: data.keyId, service: data.service, role: data.roles.join(' '), name: data.name, issuedAt: event.metadata.time };
  }
}
