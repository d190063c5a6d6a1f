import { LRUCache } from 'lru-cache';
import type { Day } from '#domain/shared/time.js';
import type { AnyDated } from '#domain/status/dated-records.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { datedCollections } from '#projections/status/dated-records.js';
import { memberLine } from '#projections/status/layout.js';
import { listOfStored } from './envelopes.js';

/** Of each kind of record: there are several, and all of it counts towards the memory of the process. */
const CACHE_BYTES = 8 * 1024 * 1024;

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
  return snapshot && (JSON.parse(snapshot.value.toString('utf8')) as Readonly<{ name: string }>).name;
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
  async list(tenantId: string, day: Day, name?: string): Promise<Buffer> {
    if (name) {
      const line = memberLine('name', name);
      return listOfStored((await this.snapshots(tenantId, day)).filter((record) => record.includes(line)));
    }
    return this.remembered(tenantId, `${tenantId}/${day}`, async () => listOfStored(await this.snapshots(tenantId, day)));
  }

  /** The body from memory while the tenant's stamp is that under which it was made, else made anew. An absent one is not kept. */
  private async remembered<Body extends Buffer | undefined>(
    tenantId: string,
    key: string,
    make: () => Promise<Body>,
  ): Promise<Body | Buffer> {
    const stamp = (await this.view.get(this.collections.stamps, tenantId))?.toString('latin1') ?? '';
    const known = this.bodies.get(key);
    if (known?.stamp === stamp) return known.body;
    const body = await make(); // not older than the stamp, which was read before
    if (body) this.bodies.set(key, { stamp, body });
    return body;
  }

  /** The records as of a day, by id, each as it stands in a response. */
  async snapshots(tenantId: string, day: Day): Promise<readonly Buffer[]> {
    const records = await this.view.range(this.collections.records, { gte: `${tenantId}/`, lt: `${tenantId}0` }); // `0` follows `/`
    const picked = await this.view.ranges(
      this.collections.snapshots,
      records.map(({ key }) => ({ gte: `${key}/`, lte: `${key}/${day}`, reverse: true, limit: 1 })),
    );
    return picked.flatMap(([snapshot]) => snapshot?.value ?? []);
  }
}
