import { type AnyDated, shownSnapshot } from '#domain/status/dated-records/dated-records.js';
import { collection } from '#projections/shared/collection.js';
import { type HeadAndBody, headedCodec } from '#projections/shared/headed.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const DATED_RECORDS = 'status.dated-records';

export type RecordId = Readonly<{ tenantId: string; id: string }>;
type SnapshotId = RecordId & Readonly<{ date: string }>;

/** Members for queries. `weight_type`: present only if the record has one. */
export type SnapshotHead = Readonly<{ date: string; name: string; weight_type?: string }>;

/** A record as of a day. The body has its members in wire order. */
type SnapshotDocument = HeadAndBody<SnapshotHead, ReturnType<typeof shownSnapshot>>;

/** Keys start with the tenant, so that no range can reach the documents of another tenant. */
export const recordKey = ({ tenantId, id }: RecordId): string => `${tenantId}/${id}`;
const snapshotKey = (snapshot: SnapshotId): string => `${recordKey(snapshot)}/${snapshot.date}`;

export const datedCollections = ({ kind }: AnyDated) => ({
  snapshots: collection<SnapshotDocument, SnapshotId>(kind, {
    key: snapshotKey,
    codec: headedCodec((body) => wireText(body, RECORD_DEPTH)),
    owner: tenantFirst,
  }),
  /** All records with at least one snapshot. */
  records: collection<object, RecordId>(`${kind}.records`, { key: recordKey, owner: tenantFirst }),
  /** By tenant: id of the event that last changed any of its records. Unique to that state, even in a copied log, so answers may be cached by it. */
  lastChanges: collection<string>(`${kind}.stamps`, { owner: tenantFirst }),
});

export type DatedCollections = ReturnType<typeof datedCollections>;
