import {
  type Exclusions,
  type RecomputationRequest,
  type RecomputationStatus,
  recomputationSubject,
} from '#domain/status/recomputations/recomputations.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import type { Sealing } from '#projections/shared/projection.js';
import { RECORD_DEPTH, wireCodec } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const RECOMPUTATIONS = 'status.recomputations';

export type RecomputationId = Readonly<{ tenantId: string; id: string }>;

/** Where a recomputation stands in the list: after those of earlier timestamps, and of one timestamp in the order of the requests. */
type RecomputationPlace = Readonly<{ tenantId: string; timestamp: string; position: string }>;

/** Where a recomputation that is in force stands: after those of its report that were requested before. */
type InForcePlace = Readonly<{ tenantId: string; report: string; position: string }>;

/** What results are computed with; nothing about people. Lists that are left out are empty. */
export type InForceDocument = Readonly<{ id: string }> &
  Pick<RecomputationRequest, 'start_time' | 'end_time' | 'exclude'> &
  Partial<Exclusions>;

/** How many a tenant has, and their bytes in a list apart from `requester_name` and `requester_email`. */
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

/**
 * A recomputation that is approved or running, as those that run them need it. `report`: name. `version`: number of events of its stream, which
 * changes with everything that happens to it.
 */
export type DueRecomputation = RecomputationId &
  Pick<RecomputationRequest, 'report' | 'start_time' | 'end_time'> &
  Readonly<{ status: 'approved' | 'running'; version: number }>;

const key = ({ tenantId, id }: RecomputationId): string => `${tenantId}/${id}`;

const sealed: Sealing = ['requester_name', 'requester_email'].map((path) => ({
  path,
  subject: ({ document }) => recomputationSubject(document.id),
  mark: 'personal',
}));

const inWireForm = { codec: wireCodec(RECORD_DEPTH), owner: tenantFirst, sealed };

export const recomputationCollections = {
  /** As they stand in a list. */
  records: collection<RecomputationDocument, RecomputationId>('recomputations', { ...inWireForm, key }),
  /** The same in the order of the list. */
  ordered: collection<RecomputationDocument, RecomputationPlace>('recomputations.ordered', {
    ...inWireForm,
    key: ({ tenantId, timestamp, position }) => `${tenantId}/${timestamp}/${position}`,
  }),
  /** The position of the request in the log, 20 digits. */
  positions: collection<string, RecomputationId>('recomputations.positions', { key, owner: tenantFirst }),
  /** Those that are approved or running. */
  due: collection<DueRecomputation, RecomputationId>('recomputations.due', { key, owner: tenantFirst }),
  /** Those in force by the name of their report, in the order of the requests (results contract 7). */
  inForce: collection<InForceDocument, InForcePlace>('recomputations.in-force', {
    key: ({ tenantId, report, position }) => keyOf(tenantId, report, position),
    owner: tenantFirst,
  }),
  /** By tenant; absent where it has no recomputations. */
  totals: collection<RecomputationTotals>('recomputations.totals', { key: (tenantId) => `${tenantId}/`, owner: tenantFirst }),
} as const;
