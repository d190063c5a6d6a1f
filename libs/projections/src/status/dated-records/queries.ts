import type { Day } from '#domain/shared/time.js';
import type { AnyDated, DatedResource, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import type { KeyRange, ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { DATED_RECORDS, type DatedCollections, datedCollections, type RecordId, recordKey, type SnapshotHead } from './documents.js';

export { DATED_RECORDS } from './documents.js';

/** Records whose snapshots are looked up together. */
const RECORDS_AT_ONCE = 200;
/** Whole snapshots that are read together for their names. */
const NAMES_AT_ONCE = 20;
const LAST_DAY = '9999-12-31';

/** A record as of a day. `body`: in the format of answers. */
export type Snapshot = Readonly<{ head: SnapshotHead; body: Buffer }>;

/** Parses the body of a snapshot of this kind. */
export const recordIn = <R extends NamedRecord>(_kind: DatedResource<R>, body: Buffer): R => JSON.parse(body.toString('utf8')) as R;

/** A version of a record, valid from its day on. */
type Version = Readonly<{ date: Day; body: Buffer }>;

/** Range of the newest snapshot up to the day. */
const upTo = (record: string, day: Day): KeyRange => ({ gte: `${record}/`, lte: `${record}/${day}`, reverse: true, limit: 1 });

/** Dated records of one kind. Every call reads one tenant only. */
export class DatedQueries {
  private readonly view: ReadView;
  private readonly collections: DatedCollections;

  constructor(store: ReadStore, resource: AnyDated) {
    this.view = store.view(DATED_RECORDS);
    this.collections = datedCollections(resource);
  }

  /** Body of the record as of a day. `undefined` if the id is unknown or all its snapshots are later. */
  async snapshot(record: RecordId, day: Day): Promise<Buffer | undefined> {
    const [found] = await this.view.range(this.collections.snapshots.name, upTo(recordKey(record), day));
    return found && bodyOf(found.value);
  }

  /** Whether the record has a snapshot of any day. */
  async exists(record: RecordId): Promise<boolean> {
    return (await this.collections.records.bytes(this.view, record)) !== null;
  }

  /** Changes with every write to the tenant's records of this kind and never repeats. Empty before the first. */
  async lastChange(tenantId: string): Promise<string> {
    return (await this.collections.lastChanges.bytes(this.view, tenantId))?.toString('latin1') ?? '';
  }

  /**
   * Name of a record to which another one refers: from the snapshot valid on the day, otherwise from the newest one. `undefined` if the tenant has no
   * such record. The newest one is read only if it is needed, because whole snapshots are.
   */
  async referencedName(record: RecordId, day: Day): Promise<string | undefined> {
    const { name } = this.collections.snapshots;
    const [valid] = await this.view.range(name, upTo(recordKey(record), day));
    const newest = { ...keysUnder(record.tenantId, record.id), reverse: true, limit: 1 };
    const [snapshot] = valid ? [valid] : await this.view.range(name, newest);
    return snapshot && headOf<SnapshotHead>(snapshot.value).name;
  }

  /** The first day on which the record is valid. `undefined` if it does not exist. */
  async firstDay(record: RecordId): Promise<Day | undefined> {
    const [first] = await this.view.range(this.collections.snapshots.name, { ...keysUnder(record.tenantId, record.id), limit: 1 });
    return first?.key.slice(recordKey(record).length + 1);
  }

  /** Versions of the record during a range of days: the one valid on the first day, if any, then those dated up to the last day. In pages. */
  async *during(record: RecordId, from: Day, to: Day, slice: Slice): AsyncGenerator<readonly Version[]> {
    const { snapshots } = this.collections;
    const key = recordKey(record);
    const version = ({ key: at, value }: StoredDocument): Version => ({ date: at.slice(key.length + 1), body: bodyOf(value) });
    const valid = await this.view.range(snapshots.name, upTo(key, from));
    if (valid.length > 0) yield valid.map(version);
    const later = { gte: `${key}/${from}:`, lt: `${key}/${to}:` }; // `:` is the character after the last digit of a day
    for await (const page of pagesOf(this.view, snapshots.name, later, { slice })) yield page.map(version);
  }

  /** The tenant's records as of a day, ordered by id, in pages. */
  async *snapshots(tenantId: string, day: Day, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    for await (const page of this.stored(tenantId, day, slice)) yield page.map(bodyOf);
  }

  /** Like `snapshots`, with their heads. */
  async *snapshotsWithHeads(tenantId: string, day: Day, slice: Slice): AsyncGenerator<readonly Snapshot[]> {
    for await (const page of this.stored(tenantId, day, slice))
      yield page.map((stored) => ({ head: headOf<SnapshotHead>(stored), body: bodyOf(stored) }));
  }

  /** Ids and newest names of the tenant's records, ordered by id, in pages. */
  async *newestNames(tenantId: string, slice: Slice): AsyncGenerator<readonly Readonly<{ id: string; name: string }>[]> {
    const { records, snapshots } = this.collections;
    for await (const page of pagesOf(this.view, records.name, keysUnder(tenantId), { slice, most: RECORDS_AT_ONCE })) {
      const names: Readonly<{ id: string; name: string }>[] = [];
      for (let start = 0; start < page.length; start += NAMES_AT_ONCE) {
        const some = page.slice(start, start + NAMES_AT_ONCE);
        const newest = await this.view.ranges(
          snapshots.name,
          some.map(({ key }) => upTo(key, LAST_DAY)),
        );
        for (const [at, { key }] of some.entries()) {
          const [snapshot] = newest[at] ?? [];
          if (snapshot) names.push({ id: key.slice(tenantId.length + 1), name: headOf<SnapshotHead>(snapshot.value).name });
        }
        if (slice.isOver) await slice.next();
      }
      yield names;
    }
  }

  private async *stored(tenantId: string, day: Day, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    const { records, snapshots } = this.collections;
    for await (const page of pagesOf(this.view, records.name, keysUnder(tenantId), { slice, most: RECORDS_AT_ONCE })) {
      const picked = await this.view.ranges(
        snapshots.name,
        page.map(({ key }) => upTo(key, day)),
      );
      yield picked.flatMap(([snapshot]) => snapshot?.value ?? []);
    }
  }
}
