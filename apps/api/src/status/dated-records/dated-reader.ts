import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { listOfPages, listOfStored } from '#api/status/envelopes.js';
import { pagesOf } from '#api/status/stored-documents.js';
import type { Day } from '#domain/shared/time.js';
import type { AnyDated } from '#domain/status/dated-records/dated-records.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { datedCollections } from '#projections/status/dated-records/dated-records.js';
import { memberLine } from '#projections/status/layout.js';

/** Of each kind of record: there are several, and all of it counts towards the memory of the process. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** Records whose snapshots are looked up in one go. */
const RECORDS_AT_ONCE = 200;

/** The first members of a record as it is stored: `id`, `date`, `name`, and maybe more texts. */
const FIRST_MEMBERS = ['id', 'date', 'name', 'weight_type'] as const;

/** One of these members, each of which has a line of its own. Records may be long, so nothing else of it is read. */
export const firstMember = (record: Buffer, member: (typeof FIRST_MEMBERS)[number]): string => {
  let start = 0;
  for (let lines = FIRST_MEMBERS.indexOf(member); lines >= 0; lines--) start = record.indexOf('\n', start) + 1;
  const line = record.toString('utf8', start, record.indexOf('\n', start));
  return (JSON.parse(`{${line.replace(/,$/, '')}}`) as Readonly<Record<string, string>>)[member] ?? '';
};

/**
 * The name of a record that another one refers to: that of the snapshot valid on the day, or else of its newest. Nothing when the tenant
 * has no such record. One round trip.
 */
export const referencedName = async (
  view: ReadView,
  resource: AnyDated,
  tenantId: string,
  id: string,
  day: Day,
): Promise<string | undefined> => {
  const record = `${tenantId}/${id}`;
  const [valid = [], newest = []] = await view.ranges(datedCollections(resource).snapshots, [
    { gte: `${record}/`, lte: `${record}/${day}`, reverse: true, limit: 1 },
    { gte: `${record}/`, lt: `${record}0`, reverse: true, limit: 1 }, // `0` follows `/`
  ]);
  const [snapshot] = [...valid, ...newest];
  return snapshot && firstMember(snapshot.value, 'name');
};

/** Reads of dated records (status contract 3). Every answer is made of the stored bytes of the records. */
export class DatedReader {
  /** By tenant, day and, for a single record, its id; good for as long as the tenant's stamp of that kind is the same. */
  private readonly bodies = new LRUCache<string, Readonly<{ stamp: string; body: Buffer }>>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });
  private readonly collections: ReturnType<typeof datedCollections>;

  constructor(
    private readonly view: ReadView,
    resource: AnyDated,
  ) {
    this.collections = datedCollections(resource);
  }

  /** The body of the record as of a day, or nothing: unknown id, or all its snapshots are later. */
  get(tenantId: string, id: string, day: Day): Promise<Buffer | undefined> {
    return this.remembered(tenantId, `${tenantId}/${day}/${id}`, async () => {
      const snapshot = await this.snapshot(tenantId, id, day);
      return snapshot && listOfStored([snapshot]);
    });
  }

  /** The record as of a day as it stands in a response, or nothing. */
  async snapshot(tenantId: string, id: string, day: Day): Promise<Buffer | undefined> {
    const record = `${tenantId}/${id}/`;
    const [found] = await this.view.range(this.collections.snapshots, { gte: record, lte: `${record}${day}`, reverse: true, limit: 1 });
    return found?.value;
  }

  /** Whether the record has any snapshot, whatever its day. */
  async exists(tenantId: string, id: string): Promise<boolean> {
    return (await this.view.get(this.collections.records, `${tenantId}/${id}`)) !== null;
  }

  /** The body of the list as of a day, by id. With a `name`: only records whose snapshot picked by the day bears it. */
  async list(tenantId: string, day: Day, name?: string): Promise<Buffer | Readable> {
    if (name) return listOfPages(this.named(tenantId, day, name));
    return this.remembered(tenantId, `${tenantId}/${day}`, () => listOfPages(this.snapshots(tenantId, day)));
  }

  private async *named(tenantId: string, day: Day, name: string): AsyncGenerator<readonly Buffer[]> {
    const line = memberLine('name', name);
    for await (const page of this.snapshots(tenantId, day)) yield page.filter((record) => record.includes(line));
  }

  /** The body from memory while the tenant's stamp is that under which it was made, else made anew. An absent or long one is not kept. */
  private async remembered<Body extends Buffer | Readable | undefined>(
    tenantId: string,
    key: string,
    make: () => Promise<Body>,
  ): Promise<Body | Buffer> {
    const stamp = (await this.view.get(this.collections.stamps, tenantId))?.toString('latin1') ?? '';
    const known = this.bodies.get(key);
    if (known?.stamp === stamp) return known.body;
    const body = await make(); // not older than the stamp, which was read before
    if (Buffer.isBuffer(body)) this.bodies.set(key, { stamp, body });
    return body;
  }

  /** The records as of a day, by id, each as it stands in a response, some at a time. */
  async *snapshots(tenantId: string, day: Day): AsyncGenerator<readonly Buffer[]> {
    for await (const records of pagesOf(this.view, this.collections.records, keysUnder(tenantId), { most: RECORDS_AT_ONCE })) {
      const picked = await this.view.ranges(
        this.collections.snapshots,
        records.map(({ key }) => ({ gte: `${key}/`, lte: `${key}/${day}`, reverse: true, limit: 1 })),
      );
      yield picked.flatMap(([snapshot]) => snapshot?.value ?? []);
    }
  }
}
