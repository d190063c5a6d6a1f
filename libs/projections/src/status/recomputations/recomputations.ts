import { sizeOf } from '#domain/status/limits.js';
import {
  type Exclusions,
  RECOMPUTATIONS_CATEGORY,
  type RecomputationEvent,
  type RecomputationRequest,
  type RecomputationStatus,
  recomputationSubject,
  requestOf,
} from '#domain/status/recomputations/recomputations.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { defineProjection } from '#projections/shared/define.js';
import {
  type DocumentChange,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
  type Sealing,
} from '#projections/shared/projection.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';

export const RECOMPUTATIONS_PROJECTION = 'status.recomputations';

export const recomputationCollections = {
  /** `<tenant>/<id>` → the record as it stands in a list. */
  records: 'recomputations',
  /** `<tenant>/<timestamp>/<log position of the request, 20 digits>` → the same: the order of the list. */
  ordered: 'recomputations.ordered',
  /** `<tenant>/<id>` → that log position. */
  positions: 'recomputations.positions',
  /** `<tenant>/` → {@link RecomputationTotals} of the tenant. */
  totals: 'recomputations.totals',
} as const;

/** How many there are, and their bytes in a list. */
export type RecomputationTotals = Readonly<{ count: number; size: number }>;

/** Members in the order of the wire (status contract 11.1). */
export type RecomputationDocument = Readonly<{ id: string }> &
  RecomputationRequest &
  Readonly<{
    status: RecomputationStatus;
    /** When the status was set, `YYYY-MM-DDTHH:MM:SSZ`. */
    timestamp: string;
    /** Oldest first; the current status is the last. */
    history: readonly Readonly<{ status: RecomputationStatus; timestamp: string }>[];
  }> &
  Partial<Exclusions>;

const { records, ordered, positions, totals } = recomputationCollections;

export const totalsKey = (tenantId: string): string => `${tenantId}/`;
const recordCodec = {
  encode: (document: unknown) => wireText(document, RECORD_DEPTH),
  decode: (text: string): unknown => JSON.parse(text),
};

const REQUESTER: Sealing = ['requester_name', 'requester_email'].map((path) => ({
  path,
  subject: ({ document }) => recomputationSubject(document.id),
}));

/** The requester shows as empty once its key is destroyed. */
const shownRequest = (request: RecomputationRequest): RecomputationRequest => {
  const { requester_name, requester_email, ...rest } = requestOf(request);
  return { requester_name: requester_name ?? '', requester_email: requester_email ?? '', ...rest };
};

/** Only lists that are not empty are part of a record. */
const exclusionsOf = (exclusions: Partial<Exclusions>): Partial<Exclusions> => ({
  ...(exclusions.exclude_metrics?.length ? { exclude_metrics: exclusions.exclude_metrics } : {}),
  ...(exclusions.exclude_monitoring_source?.length ? { exclude_monitoring_source: exclusions.exclude_monitoring_source } : {}),
  ...(exclusions.applied_status_changes?.length ? { applied_status_changes: exclusions.applied_status_changes } : {}),
});

const revised = (
  { id, status, timestamp, history, ...before }: RecomputationDocument,
  data: RecomputationRequest & Partial<Exclusions>,
): RecomputationDocument => ({ id, ...shownRequest(data), status, timestamp, history, ...exclusionsOf({ ...before, ...data }) });

const moved = (before: RecomputationDocument, status: RecomputationStatus, timestamp: string): RecomputationDocument => ({
  ...before,
  status,
  timestamp,
  history: [...before.history, { status, timestamp }],
});

const orderKey = (tenantId: string, { timestamp }: RecomputationDocument, position: string): string =>
  `${tenantId}/${timestamp}/${position}`;

const written = (tenantId: string, document: RecomputationDocument, position: string): DocumentChange[] => [
  put(records, `${tenantId}/${document.id}`, document),
  put(ordered, orderKey(tenantId, document, position), document),
];

/** The tenant's totals when a record takes the place of another. */
const counted = (
  read: ReadDocument,
  tenantId: string,
  before: RecomputationDocument | undefined,
  after: RecomputationDocument | undefined,
): DocumentChange => {
  const known = (read(totals, totalsKey(tenantId)) ?? { count: 0, size: 0 }) as RecomputationTotals;
  const [count, size] = [(after ? 1 : 0) - (before ? 1 : 0), (after ? sizeOf(after) : 0) - (before ? sizeOf(before) : 0)];
  const next: RecomputationTotals = { count: known.count + count, size: known.size + size };
  return next.count === 0 ? remove(totals, totalsKey(tenantId)) : put(totals, totalsKey(tenantId), next);
};

/** Recomputations of every tenant, by id and in the order of their last move. */
export const recomputationsProjection: Projection = defineProjection<RecomputationEvent | TenantDeleted>({
  name: RECOMPUTATIONS_PROJECTION,
  version: 2,
  service: 'status',
  categories: [RECOMPUTATIONS_CATEGORY, TENANTS_CATEGORY],
  handles: ['RecomputationRequested', 'RecomputationRevised', 'RecomputationStatusChanged', 'RecomputationDeleted', 'TenantDeleted'],
  partitions: byTenant([], Object.values(recomputationCollections)),
  codecs: { [records]: recordCodec, [ordered]: recordCodec },
  sealed: { [records]: REQUESTER, [ordered]: REQUESTER },
  reads: ({ type, data }) => {
    if (type === 'TenantDeleted') return [];
    const ofTenant = { collection: totals, key: totalsKey(data.tenantId) };
    if (type === 'RecomputationRequested') return [ofTenant];
    return [ofTenant, ...[records, positions].map((collection) => ({ collection, key: `${data.tenantId}/${data.id}` }))];
  },
  apply: (event, read) => {
    const { tenantId } = event.data;
    if (event.type === 'TenantDeleted')
      return Object.values(recomputationCollections).map((collection) => removePrefix(collection, `${tenantId}/`));
    const key = `${tenantId}/${event.data.id}`;
    const timestamp = `${event.metadata.time.slice(0, 19)}Z`;
    if (event.type === 'RecomputationRequested') {
      const { id, ...request } = event.data;
      const status = 'pending';
      const position = event.position.toString().padStart(20, '0');
      const document = {
        id,
        ...shownRequest(request),
        status,
        timestamp,
        history: [{ status, timestamp }],
        ...exclusionsOf(request),
      } as const;
      return [put(positions, key, position), ...written(tenantId, document, position), counted(read, tenantId, undefined, document)];
    }
    const before = read(records, key) as RecomputationDocument | undefined;
    if (!before) return []; // the tenant was deleted in the meantime
    const position = String(read(positions, key));
    const outdated = remove(ordered, orderKey(tenantId, before, position));
    if (event.type === 'RecomputationDeleted')
      return [outdated, remove(records, key), remove(positions, key), counted(read, tenantId, before, undefined)];
    const after = event.type === 'RecomputationRevised' ? revised(before, event.data) : moved(before, event.data.status, timestamp);
    return [outdated, ...written(tenantId, after, position), counted(read, tenantId, before, after)];
  },
});
