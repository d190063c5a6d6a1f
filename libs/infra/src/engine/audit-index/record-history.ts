import { besideTerm, endTerm, nameTerm, resourcesOf, resourceTerm } from '#domain/audit/resources/resources-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import type { AuditIndex } from './audit-index.js';
import { type EventRead, EventReader } from './event-reader.js';
import { RecordNames } from './record-names.js';

/** Indexes that are looked up together. */
const PORTION = 1_000;
const STEPS = 1_000_000;

/** One version: the index of its event. `ends`: set if the event ends the record. */
export type VersionPlace = Readonly<{ index: number; ends: boolean }>;

/** Finds the events of records in the index. One instance per call. */
export class RecordHistory {
  private readonly reader: EventReader;
  readonly names: RecordNames;

  /** @param size number of events of the log that the call sees */
  constructor(
    private readonly index: AuditIndex,
    events: Pick<EventStore, 'readStream'>,
    private readonly size: number,
  ) {
    this.reader = new EventReader(events);
    this.names = new RecordNames(index, this.reader, async ({ data }) => data);
  }

  /** The record of an id, or the newest with a name; `undefined` if there never was one. */
  async find(reference: ResourceReference, named: boolean): Promise<ResourceReference | undefined> {
    if ((await this.last(resourceTerm(reference))) !== undefined) return reference;
    const newest = named ? await this.last(nameTerm(reference, reference.id)) : undefined;
    if (newest === undefined) return undefined;
    const event = await this.event(newest);
    const change = resourcesOf(event).find(
      ({ service, kind, name }) => service === reference.service && kind === reference.kind && name === reference.id,
    );
    return (
      change && {
        service: change.service,
        kind: change.kind,
        id: change.id,
        ...(change.scope === undefined ? {} : { scope: change.scope }),
      }
    );
  }

  /**
   * The versions of a record, oldest first: its own events; those of other records that changed it without an event of its own; and
   * deletions of its owner.
   */
  async versions(reference: ResourceReference): Promise<readonly VersionPlace[]> {
    const own = await this.all(resourceTerm(reference));
    const ends = new Set(await this.all(endTerm(reference)));
    const beside = await this.appendedAlone(await this.all(besideTerm(reference)), own);
    const places = [...own, ...beside].map((index): VersionPlace => ({ index, ends: ends.has(index) }));
    const [first] = own;
    if (first === undefined) return [];
    const owners =
      resourcesOf(await this.event(first)).find(({ id, kind }) => id === reference.id && kind === reference.kind)?.owners ?? [];
    const taken = (await Promise.all(owners.map((owner) => this.all(endTerm(owner)))))
      .flat()
      .map((index): VersionPlace => ({ index, ends: true }));
    const ownOnes = new Set(places);
    const merged = [...places, ...taken].sort((one, other) => one.index - other.index);
    return merged.filter((place, at) => ownOnes.has(place) || isAlive(merged, ownOnes, at));
  }

  /** Index of the oldest of the versions, with a look at the beginning of each list; `undefined` if there is none. */
  async oldest(reference: ResourceReference): Promise<number | undefined> {
    const own = await this.first(resourceTerm(reference));
    if (own === undefined) return undefined;
    const [beside = own] = await this.appendedAlone(await this.all(besideTerm(reference), own), [own]);
    return beside;
  }

  /** Whether a record was deleted, by its newest event or later with an owner; `undefined` if it never existed. */
  async standing(reference: ResourceReference): Promise<Readonly<{ isGone: boolean; owners: readonly ResourceReference[] }> | undefined> {
    const newest = await this.last(resourceTerm(reference));
    if (newest === undefined) return undefined;
    const changes = resourcesOf(await this.event(newest));
    const change = changes.find(({ id, kind, beside }) => id === reference.id && kind === reference.kind && !beside);
    const owners = change?.owners ?? [];
    const ends = await Promise.all(owners.map((owner) => this.last(endTerm(owner))));
    return { isGone: change?.ends === true || ends.some((end) => end !== undefined && end > newest), owners };
  }

  /** Filters indexes: keeps events that were not appended together with the nearest events of `own`. Both lists are in log order. */
  private async appendedAlone(indexes: readonly number[], own: readonly number[]): Promise<readonly number[]> {
    const alone: number[] = [];
    let behind = 0;
    for (const index of indexes) {
      while (behind < own.length && (own[behind] as number) < index) behind++;
      const neighbours = own.slice(Math.max(0, behind - 1), behind + 1);
      const together = await Promise.all(neighbours.map((other) => this.wereAppendedTogether(index, other)));
      if (!together.includes(true)) alone.push(index);
    }
    return alone;
  }

  /** Events of one request have equal times, so only events with equal times are read. */
  private async wereAppendedTogether(one: number, other: number): Promise<boolean> {
    if (this.index.event(one).logTime !== this.index.event(other).logTime) return false;
    const [first, second] = await Promise.all([this.event(one), this.event(other)]);
    return first.metadata.requestId === second.metadata.requestId && first.metadata.time === second.metadata.time;
  }

  /** @throws Error the log has lost the event */
  async event(index: number): Promise<RecordedEvent> {
    const reading = await this.read(index);
    if (typeof reading !== 'object') throw new Error(`event ${index} is ${reading}`);
    return reading;
  }

  async read(index: number): Promise<EventRead> {
    const [reading = 'missing'] = await this.reader.read([this.index.event(index)]);
    return reading;
  }

  async last(term: string): Promise<number | undefined> {
    if (this.size === 0) return undefined;
    const list = this.index.select({ resource: term });
    const found = await list?.find({ order: 'desc', start: this.size - 1, end: 0 }, 1, STEPS);
    return found?.indexes[0];
  }

  private async first(term: string): Promise<number | undefined> {
    const list = this.index.select({ resource: term });
    const found = await list?.find({ order: 'asc', start: 0, end: this.size - 1 }, 1, STEPS);
    return found?.indexes[0];
  }

  private async all(term: string, end = this.size - 1): Promise<readonly number[]> {
    const list = this.index.select({ resource: term });
    const found: number[] = [];
    for (let start: number | null = 0; list && start !== null && start <= end; ) {
      const { indexes, next } = await list.find({ order: 'asc', start, end }, PORTION, STEPS);
      for (const index of indexes) found.push(index);
      start = next;
    }
    return found;
  }
}

/** Returns whether the record existed when an owner was deleted: the previous version has not ended it. */
const isAlive = (merged: readonly VersionPlace[], own: ReadonlySet<VersionPlace>, at: number): boolean => {
  const before = merged[at - 1];
  return at > 0 && before !== undefined && own.has(before) && !before.ends;
};
