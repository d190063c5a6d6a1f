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
  const all = new Versions(parts, places);
  const versions = await firstOf(order === 'asc' ? all.between(from, to) : all.backwards(from, to), characters);
  const { length } = versions;
  if (order === 'asc') return { versions, next: length > 0 && from + length < places.length ? from + length : null };
  return { versions, next: length > 0 && to - length > 0 ? to - length + 1 : null };
};

/** As many versions as fit. */
const firstOf = async (versions: AsyncIterable<Version>, characters: number): Promise<readonly string[]> => {
  const items: string[] = [];
  let sum = 0;
  for await (const version of versions) {
    const item = exactText(version);
    sum += item.length;
    if (sum > characters && items.length > 0) break;
    items.push(item);
  }
  return items;
};

class Versions {
  constructor(
    private readonly parts: Parts,
    private readonly places: readonly VersionPlace[],
  ) {}

  /** Versions from place `from` up to `to`, exclusive; oldest first. */
  async *between(from: number, to: number): AsyncGenerator<Version> {
    const { history, kind } = this.parts;
    if (from >= to) return;
    const reader = await this.reader();
    let before = from > 0 ? await this.valueAt(reader, from - 1) : null;
    for (let at = from; at < to; at++) {
      const place = this.places[at] as VersionPlace;
      const event = await history.event(place.index);
      if (place.ends) reader.clear();
      const value: ExactJson = kind.dated && !place.ends ? await this.dated(reader, place, event, before) : await this.valueAt(reader, at);
      yield this.version(at, event, before, value);
      before = value;
    }
  }

  /** The same versions, newest first. Each is read with the one before it, its base. */
  async *backwards(from: number, to: number): AsyncGenerator<Version> {
    if (from >= to) return;
    const reader = await this.reader();
    let value = await this.valueAt(reader, to - 1);
    for (let at = to - 1; at >= from; at--) {
      const event = await this.parts.history.event((this.places[at] as VersionPlace).index);
      const before = at === 0 ? null : await this.valueBefore(reader, at, event, value);
      yield this.version(at, event, before, value);
      value = before;
    }
  }

  private async reader(): Promise<ValueReader> {
    const [oldest] = this.places;
    return new ValueReader({ ...this.parts, first: await this.parts.history.event(oldest?.index ?? 0) });
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

  private async valueAt(reader: ValueReader, at: number): Promise<ExactJson> {
    const { reference, index } = this.parts;
    const place = this.places[at] as VersionPlace;
    if (place.ends) return null;
    return reference.service === 'ops' ? this.key(place) : reader.at(index.momentAfter(place.index));
  }

  /** The value before the version at a place, which is not the first. */
  private async valueBefore(reader: ValueReader, at: number, event: RecordedEvent, value: ExactJson): Promise<ExactJson> {
    const [before, place] = this.places.slice(at - 1, at + 1) as [VersionPlace, VersionPlace];
    if (!this.parts.kind.dated || before.ends || place.ends) return this.valueAt(reader, at - 1);
    if (event.data.change === 'replaced') return this.dated(reader, before, event, value);
    const day = String(event.data.date);
    reader.leave(day);
    return Object.fromEntries(Object.entries(value as Readonly<Record<string, ExactJson>>).filter(([one]) => one !== day));
  }

  /** For a dated record: only the day of the event has changed. */
  private async dated(reader: ValueReader, place: VersionPlace, { data }: RecordedEvent, before: ExactJson): Promise<ExactJson> {
    const day = String(data.date);
    const value = await reader.day(this.parts.index.momentAfter(place.index), day);
    const days = { ...((before ?? {}) as Readonly<Record<string, ExactJson>>), [day]: value };
    return Object.fromEntries(Object.entries(days).sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** In the form of the list of keys. */
  private async key({ index }: VersionPlace): Promise<ExactJson> {
    const event = await this.parts.history.event(index);
    const data = event.data as Extract<AccessKeyEvent, { type: 'AccessKeyIssued' }>['data'];
    return { id: data.keyId, service: data.service, role: data.roles.join(' '), name: data.name, issuedAt: event.metadata.time };
  }
}
