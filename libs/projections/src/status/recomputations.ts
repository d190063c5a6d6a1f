import {
  type Exclusions,
  RECOMPUTATIONS_CATEGORY,
  type RecomputationEvent,
  type RecomputationRequest,
  type RecomputationStatus,
  recomputationSubject,
  requestOf,
} from '#domain/status/recomputations.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants.js';
import { defineProjection } from '../shared/define.js';
import { type DocumentChange, type Projection, put, remove, removePrefix, type Sealing } from '../shared/projection.js';
import { RECORD_DEPTH, wireText } from './layout.js';

export const RECOMPUTATIONS_PROJECTION = 'status.recomputations';

export const recomputationCollections = {
  /** `<tenant>/<id>` → the record as it stands in a list. */
  records: 'recomputations',
  /** `<tenant>/<timestamp>/<log position of the request, 20 digits>` → the same: the order of the list. */
  ordered: 'recomputations.ordered',
  /** `<tenant>/<id>` → that log position. */
  positions: 'recomputations.positions',
} as const;

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

const { records, ordered, positions } = recomputationCollections;
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

/** Recomputations of every tenant, by id and in the order of their last move. */
export const recomputationsProjection: Projection = defineProjection<RecomputationEvent | TenantDeleted>({
  name: RECOMPUTATIONS_PROJECTION,
  version: 2,
  service: 'status',
  categories: [RECOMPUTATIONS_CATEGORY, TENANTS_CATEGORY],
  handles: ['RecomputationRequested', 'RecomputationRevised', 'RecomputationStatusChanged', 'RecomputationDeleted', 'TenantDeleted'],
  codecs: { [records]: recordCodec, [ordered]: recordCodec },
  sealed: { [records]: REQUESTER, [ordered]: REQUESTER },
  reads: ({ type, data }) =>
    type === 'RecomputationRequested' || type === 'TenantDeleted'
      ? []
      : [records, positions].map((collection) => ({ collection, key: `${data.tenantId}/${data.id}` })),
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
      return [put(positions, key, position), ...written(tenantId, document, position)];
    }
    const before = read(records, key) as RecomputationDocument | undefined;
    if (!before) return []; // the tenant was deleted in the meantime
    const position = String(read(positions, key));
    const outdated = remove(ordered, orderKey(tenantId, before, position));
    switch (event.type) {
      case 'RecomputationRevised':
        return [outdated, ...written(tenantId, revised(before, event.data), position)];
      case 'RecomputationStatusChanged':
        return [outdated, ...written(tenantId, moved(before, event.data.status, timestamp), position)];
      case 'RecomputationDeleted':
        return [outdated, remove(records, key), remove(positions, key)];
    }
  },
});
