import type { Actor } from '#domain/shared/events.js';
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

/** Position of a recomputation in the list: ordered by timestamp, then in order of requests. */
type RecomputationPlace = Readonly<{ tenantId: string; timestamp: string; position: string }>;

/** Position of a recomputation in force: in order of the requests for its report. */
type InForcePlace = Readonly<{ tenantId: string; report: string; position: string }>;

/** Data of a recomputation for the computation of results, without personal data. Absent lists are empty. */
export type InForceDocument = Readonly<{ id: string }> &
  Pick<RecomputationRequest, 'start_time' | 'end_time' | 'exclude'> &
  Partial<Exclusions>;

/** Number of a tenant's recomputations, and their bytes in a list without `requester_name` and `requester_email`. */
export type RecomputationTotals = Readonly<{ count: number; size: number }>;

/** Members in wire order (status contract 11.1). */
export type RecomputationDocument = Readonly<{ id: string }> &
  RecomputationRequest &
  Readonly<{
    status: RecomputationStatus;
    /** Time when the status was set, `YYYY-MM-DDTHH:MM:SSZ`. */
    timestamp: string;
    /** Oldest first. The last one is the current status. */
    history: readonly Readonly<{ status: RecomputationStatus; timestamp: string }>[];
  }> &
  Partial<Exclusions>;

/** An approved or running recomputation, for its runner. `report`: name. `version`: number of events in its stream. */
export type DueRecomputation = RecomputationId &
  Pick<RecomputationRequest, 'report' | 'start_time' | 'end_time'> &
  Readonly<{ status: 'approved' | 'running'; version: number }>;

/** A recomputation that waits for approval by its tenant (`pending`) or for its turn (`approved`). `since`: when it got the status. */
export type WaitingRecomputation = RecomputationId &
  Pick<RecomputationRequest, 'report' | 'start_time' | 'end_time'> &
  Readonly<{ status: 'pending' | 'approved'; since: string }>;

const key = ({ tenantId, id }: RecomputationId): string => `${tenantId}/${id}`;

const sealed: Sealing = ['requester_name', 'requester_email'].map((path) => ({
  path,
  subject: ({ document }) => recomputationSubject(document.id),
  mark: 'personal',
}));

const inWireForm = { codec: wireCodec(RECORD_DEPTH), owner: tenantFirst, sealed };

export const recomputationCollections = {
  /** In the format of a list. */
  records: collection<RecomputationDocument, RecomputationId>('recomputations', { ...inWireForm, key }),
  /** In the order and format of a list. */
  ordered: collection<RecomputationDocument, RecomputationPlace>('recomputations.ordered', {
    ...inWireForm,
    key: ({ tenantId, timestamp, position }) => `${tenantId}/${timestamp}/${position}`,
  }),
  /** Position of the request in the log, 20 digits. */
  positions: collection<string, RecomputationId>('recomputations.positions', { key, owner: tenantFirst }),
  /** Approved and running recomputations. */
  due: collection<DueRecomputation, RecomputationId>('recomputations.due', { key, owner: tenantFirst }),
  /** Actors that asked for the recomputations. */
  requesters: collection<Actor, RecomputationId>('recomputations.requesters', { key, owner: tenantFirst }),
  /** Pending and approved recomputations. */
  waiting: collection<WaitingRecomputation, RecomputationId>('recomputations.waiting', { key, owner: tenantFirst }),
  /** Recomputations in force by the name of their report, in order of requests (results contract 7). */
  inForce: collection<InForceDocument, InForcePlace>('recomputations.in-force', {
    key: ({ tenantId, report, position }) => keyOf(tenantId, report, position),
    owner: tenantFirst,
  }),
  /** By tenant. Absent if it has no recomputations. */
  totals: collection<RecomputationTotals>('recomputations.totals', { key: (tenantId) => `${tenantId}/`, owner: tenantFirst }),
} as const;
