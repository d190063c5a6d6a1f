import {
  type AnyDated,
  categoryOfDated,
  type DatedEvent,
  type NamedRecord,
  shownSnapshot,
} from '#domain/status/dated-records/dated-records.js';
import { datedResources } from '#domain/status/index.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { defineProjection } from '#projections/shared/define.js';
import { type DocumentChange, type DocumentCodec, type Projection, put, remove, removePrefix } from '#projections/shared/projection.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';

export const DATED_PROJECTION = 'status.dated-records';

/** Collections of one kind. Keys begin with the tenant, so that no range can reach another tenant's documents. */
export const datedCollections = (resource: AnyDated) => ({
  /** `<tenant>/<id>/<day>` → the record as it stands in a response. */
  snapshots: resource.kind,
  /** `<tenant>/<id>` for every record with at least one snapshot. */
  records: `${resource.kind}.records`,
  /** `<tenant>` → id of the event that last changed any record of the tenant: never the same for another state, not in another copy of the log either. */
  stamps: `${resource.kind}.stamps`,
});

/** The collections of a kind, by the category of its streams. */
const byCategory = new Map(datedResources.map((resource) => [categoryOfDated(resource), datedCollections(resource)]));

const wireCodec: DocumentCodec = { encode: (document) => wireText(document, RECORD_DEPTH), decode: (text) => JSON.parse(text) };

const forgetTenant = (tenantId: string): readonly DocumentChange[] =>
  [...byCategory.values()].flatMap(({ snapshots, records, stamps }) => [
    removePrefix(snapshots, `${tenantId}/`),
    removePrefix(records, `${tenantId}/`),
    remove(stamps, tenantId),
  ]);

/** All kinds of dated records: a write is one document, a dated read one reverse range of length one, whatever the history. */
export const datedRecordsProjection: Projection = defineProjection<DatedEvent<NamedRecord> | TenantDeleted>({
  name: DATED_PROJECTION,
  version: 2,
  service: 'status',
  categories: [TENANTS_CATEGORY, ...byCategory.keys()],
  handles: ['TenantDeleted', ...datedResources.flatMap(({ events }) => [events.dated, events.deleted])],
  partitions: byTenant(
    [...byCategory.keys()],
    [...byCategory.values()].flatMap((collections) => Object.values(collections)),
  ),
  codecs: Object.fromEntries(Array.from(byCategory.values(), ({ snapshots }) => [snapshots, wireCodec])),
  apply: ({ id, stream, data }) => {
    if ('tenantId' in data) return forgetTenant(data.tenantId);
    const dash = stream.indexOf('-');
    const collections = byCategory.get(stream.slice(0, dash));
    if (!collections) throw new Error(`no dated resource has the stream ${stream}`);
    const { snapshots, records, stamps } = collections;
    const tenant = stream.slice(dash + 1);
    const record = `${tenant}/${data.id}`;
    const stamp = put(stamps, tenant, id);
    if (!('record' in data)) return [removePrefix(snapshots, `${record}/`), remove(records, record), stamp];
    const snapshot = put(snapshots, `${record}/${data.date}`, shownSnapshot(data));
    return data.change === 'created' ? [snapshot, put(records, record, {}), stamp] : [snapshot, stamp];
  },
});
