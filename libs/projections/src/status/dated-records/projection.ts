import { categoryOfDated, type DatedEvent, type NamedRecord, shownSnapshot } from '#domain/status/dated-records/dated-records.js';
import { datedResources } from '#domain/status/index.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type Handler, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { DATED_RECORDS, type DatedCollections, datedCollections, recordKey, type SnapshotHead } from './documents.js';

const kinds = datedResources.map((resource) => ({
  resource,
  category: categoryOfDated(resource),
  collections: datedCollections(resource),
}));
const categories = kinds.map(({ category }) => category);

const forgetTenant = (tenantId: string): readonly DocumentChange[] =>
  kinds.flatMap(({ collections: { snapshots, records, lastChanges } }) => [
    snapshots.removeUnder(`${tenantId}/`),
    records.removeUnder(`${tenantId}/`),
    lastChanges.remove(tenantId),
  ]);

const headOf = (date: string, { name, weight_type }: NamedRecord & Readonly<{ weight_type?: string }>): SnapshotHead =>
  weight_type === undefined ? { date, name } : { date, name, weight_type };

/** Handles the events of one kind of record: a snapshot was written, or the record was deleted with all its snapshots. */
const handlerFor =
  ({ snapshots, records, lastChanges }: DatedCollections) =>
  ({ id: eventId, stream, data }: Readonly<{ id: string; stream: string }> & DatedEvent<NamedRecord>): readonly DocumentChange[] => {
    const tenantId = stream.slice(stream.indexOf('-') + 1);
    const { id } = data;
    const lastChange = lastChanges.put(tenantId, eventId);
    if (!('record' in data)) {
      const record = { tenantId, id };
      return [snapshots.removeUnder(`${recordKey(record)}/`), records.remove(record), lastChange];
    }
    const document = { head: headOf(data.date, data.record), body: shownSnapshot(data) };
    const snapshot = snapshots.put({ tenantId, id, date: data.date }, document);
    return data.change === 'created' ? [snapshot, records.put({ tenantId, id }, {}), lastChange] : [snapshot, lastChange];
  };

const handlersOfKinds: Readonly<Record<string, Handler<never> | ReturnType<typeof handlerFor>>> = Object.fromEntries(
  kinds.flatMap(({ resource: { events }, collections }) => {
    const handler = handlerFor(collections);
    return [
      [events.dated, handler],
      [events.deleted, handler],
    ];
  }),
);

/** All kinds of dated records. A write is one document. A dated read is one reverse range of length one, for any length of history. */
export const datedRecordsProjection = readModel<TenantDeleted>(
  {
    name: DATED_RECORDS,
    version: 3,
    readsFrom: 3, // first version with heads
    service: 'status',
    categories: [TENANTS_CATEGORY, ...categories],
    collections: kinds.flatMap(({ collections }) => Object.values(collections)),
    partitionsOf: tenantPartitionsOf(categories),
  },
  { ...handlersOfKinds, TenantDeleted: ({ data }) => forgetTenant(data.tenantId) },
);
