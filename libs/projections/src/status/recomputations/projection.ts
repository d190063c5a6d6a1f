import { sizeOf } from '#domain/status/limits.js';
import {
  type Exclusions,
  RECOMPUTATIONS_CATEGORY,
  type RecomputationEvent,
  type RecomputationRequest,
  type RecomputationStatus,
  requestOf,
} from '#domain/status/recomputations/recomputations.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { RECOMPUTATIONS, type RecomputationDocument, type RecomputationTotals, recomputationCollections } from './documents.js';

const { records, ordered, positions, due, inForce, totals, requesters, waiting } = recomputationCollections;

type On<Type extends RecomputationEvent['type']> = EventOf<Extract<RecomputationEvent, { type: Type }>>;

/** The requester is empty after its key is destroyed. */
const shownRequest = (request: RecomputationRequest): RecomputationRequest => {
  const { requester_name, requester_email, ...rest } = requestOf(request);
  return { requester_name: requester_name ?? '', requester_email: requester_email ?? '', ...rest };
};

/** Only non-empty lists are part of a record. */
const exclusionsOf = (exclusions: Partial<Exclusions>): Partial<Exclusions> => ({
  ...(exclusions.exclude_metrics?.length ? { exclude_metrics: exclusions.exclude_metrics } : {}),
  ...(exclusions.exclude_monitoring_source?.length ? { exclude_monitoring_source: exclusions.exclude_monitoring_source } : {}),
  ...(exclusions.applied_status_changes?.length ? { applied_status_changes: exclusions.applied_status_changes } : {}),
});

const requested = (
  id: string,
  request: RecomputationRequest & Exclusions,
  timestamp: string,
  status: RecomputationStatus = 'pending',
): RecomputationDocument => ({
  id,
  ...shownRequest(request),
  status,
  timestamp,
  history: [{ status, timestamp }],
  ...exclusionsOf(request),
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

const timestampOf = (time: string): string => `${time.slice(0, 19)}Z`;

/** Statuses in which recomputations affect results (results contract 7). */
const IN_FORCE: readonly RecomputationStatus[] = ['approved', 'running', 'done'];

const isInForce = ({ status }: RecomputationDocument): boolean => IN_FORCE.includes(status);

const written = (tenantId: string, document: RecomputationDocument, position: string): readonly DocumentChange[] => {
  const { id, timestamp, report, start_time, end_time, exclude } = document;
  const forced = { id, start_time, end_time, exclude, ...exclusionsOf(document) };
  return [
    records.put({ tenantId, id }, document),
    ordered.put({ tenantId, timestamp, position }, document),
    ...(isInForce(document) ? [inForce.put({ tenantId, report, position }, forced)] : []),
  ];
};

const outdated = (tenantId: string, before: RecomputationDocument, position: string): readonly DocumentChange[] => [
  ordered.remove({ tenantId, timestamp: before.timestamp, position }),
  ...(isInForce(before) ? [inForce.remove({ tenantId, report: before.report, position })] : []),
];

/** Bytes in a list without the texts about the requester, so that the sum does not depend on an erasure. */
const sizeKept = (document: RecomputationDocument): number => sizeOf({ ...document, requester_name: '', requester_email: '' });

/** The tenant's totals after a record replaces another one. */
const counted = (
  tenantId: string,
  known: RecomputationTotals = { count: 0, size: 0 },
  { before, after }: Readonly<{ before?: RecomputationDocument; after?: RecomputationDocument }>,
): DocumentChange => {
  const count = known.count + (after ? 1 : 0) - (before ? 1 : 0);
  const size = known.size + (after ? sizeKept(after) : 0) - (before ? sizeKept(before) : 0);
  return count === 0 ? totals.remove(tenantId) : totals.put(tenantId, { count, size });
};

/** Updated by every event of a recomputation, because its version counts them. */
const dueOf = (tenantId: string, document: RecomputationDocument, revision: bigint): DocumentChange => {
  const { id, report, start_time, end_time, status } = document;
  if (status !== 'approved' && status !== 'running') return due.remove({ tenantId, id });
  return due.put({ tenantId, id }, { tenantId, id, report, start_time, end_time, status, version: Number(revision) + 1 });
};

const waitingOf = (
  tenantId: string,
  { id, report, start_time, end_time, status, timestamp: since }: RecomputationDocument,
): DocumentChange =>
  status === 'pending' || status === 'approved'
    ? waiting.put({ tenantId, id }, { tenantId, id, report, start_time, end_time, status, since })
    : waiting.remove({ tenantId, id });

/** A handler that replaces a recomputation by the result of `next`, or removes it. Ignored if its tenant was deleted meanwhile. */
const replacing = <Event extends Readonly<{ data: Readonly<{ tenantId: string; id: string }>; revision: bigint }>>(
  next: (before: RecomputationDocument, event: Event) => RecomputationDocument | undefined,
) =>
  reading(
    ({ data: { tenantId, id } }: Event) => ({
      before: records.at({ tenantId, id }),
      position: positions.at({ tenantId, id }),
      known: totals.at(tenantId),
    }),
    (event, { before, position, known }) => {
      if (!before || position === undefined) return [];
      const { tenantId, id } = event.data;
      const after = next(before, event);
      const replaced = after
        ? [...written(tenantId, after, position), dueOf(tenantId, after, event.revision), waitingOf(tenantId, after)]
        : [records, positions, due, requesters, waiting].map((one) => one.remove({ tenantId, id }));
      return [...outdated(tenantId, before, position), ...replaced, counted(tenantId, known, { before, after })];
    },
  );

/** Recomputations of all tenants, by id and in order of their last change of status. */
export const recomputationsProjection = readModel<RecomputationEvent | TenantDeleted>(
  {
    name: RECOMPUTATIONS,
    version: 5,
    readsFrom: 3, // first version with those in force
    service: 'status',
    categories: [RECOMPUTATIONS_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(recomputationCollections),
    partitionsOf: tenantPartitionsOf([]),
  },
  {
    RecomputationRequested: reading(
      ({ data }: On<'RecomputationRequested'>) => ({ known: totals.at(data.tenantId) }),
      ({ data: { tenantId, id, ...request }, metadata, position: inLog }, { known }) => {
        const position = inLog.toString().padStart(20, '0');
        const after = requested(id, request, timestampOf(metadata.time));
        return [
          positions.put({ tenantId, id }, position),
          requesters.put({ tenantId, id }, metadata.actor),
          waitingOf(tenantId, after),
          ...written(tenantId, after, position),
          counted(tenantId, known, { after }),
        ];
      },
    ),
    RecomputationRevised: replacing((before, { data }: On<'RecomputationRevised'>) => revised(before, data)),
    RecomputationStatusChanged: replacing((before, { data, metadata }: On<'RecomputationStatusChanged'>) =>
      moved(before, data.status, timestampOf(metadata.time)),
    ),
    RecomputationDeleted: replacing((_before, _event: On<'RecomputationDeleted'>) => undefined),
    TenantDeleted: ({ data: { tenantId } }) => Object.values(recomputationCollections).map((one) => one.removeUnder(`${tenantId}/`)),
  },
);
