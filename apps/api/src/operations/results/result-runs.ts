import { shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import type { Answered } from '#api/shared/openapi/described.js';
import type { RecomputationRun } from '#api/status/recomputations/runs/run-progress.js';
import type { Actor } from '#domain/shared/events.js';
import { doc, nullable, oneOf, type Static } from '#domain/shared/shape.js';
import type { ResultsRun } from '#infra/engine/results/progress.js';
import type { AskedFor } from './waiting-recomputations.js';

type RunItem = Answered<typeof BACKGROUND_RESULTS>['items'][number];

export const ofChange = ({ tenantId, name, from, to, done, total, state, since }: ResultsRun): RunItem => ({
  kind: 'change',
  tenant: tenantId,
  report: name,
  recomputation: null,
  from,
  to,
  days: { done, total },
  state,
  since,
  askedBy: null,
});

export const ofRun = (run: RecomputationRun, askedBy: Actor | undefined): RunItem => ({
  kind: 'recomputation',
  tenant: run.tenantId,
  report: run.report,
  recomputation: run.id,
  from: run.startTime.slice(0, 10),
  to: run.endTime.slice(0, 10),
  days: { done: run.days, total: null },
  state: 'running',
  since: run.startedAt,
  askedBy: askedBy ?? null,
});

export const ofWaiting = ({ tenantId, id, report, start_time, end_time, status, since, askedBy }: AskedFor): RunItem => ({
  kind: 'recomputation',
  tenant: tenantId,
  report,
  recomputation: id,
  from: start_time.slice(0, 10),
  to: end_time.slice(0, 10),
  days: { done: 0, total: null },
  state: status,
  since,
  askedBy,
});

const RUN = {
  kind: oneOf('change', 'recomputation'),
  tenant: 'text',
  report: 'text',
  recomputation: doc(nullable('text'), 'its id'),
  from: 'text',
  to: 'text',
  days: { done: 'count', total: doc(nullable('count'), 'null if it is not known') },
  state: doc(
    oneOf('running', 'done', 'pending', 'approved'),
    '`pending`: waits for approval by the tenant; `approved`: waits for its turn',
  ),
  since: doc('text', 'when it got the state'),
  askedBy: doc(nullable({ kind: oneOf('key', 'user', 'system'), id: 'text' }), 'actor that asked for the recomputation'),
} as const;

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const EXAMPLE: readonly Static<typeof RUN>[] = [
  {
    ...{ kind: 'recomputation', tenant: ID, report: 'Critical', recomputation: '0b0c4a43-5d0e-4a62-8f0e-6b9c6d1d7a55' },
    ...{ from: '2026-02-01', to: '2026-02-02', days: { done: 0, total: null }, state: 'pending', since: '2026-03-01T11:00:00Z' },
    askedBy: { kind: 'key', id: '3fa0a1c2-7b1d-4c83-9d13-0d1f3f7f4a11' },
  },
  {
    ...{ kind: 'change', tenant: ID, report: 'Critical', recomputation: null, from: '2026-01-15', to: '2026-02-28' },
    ...{ days: { done: 12, total: 45 }, state: 'running', since: '2026-03-01T12:00:00.000Z', askedBy: null },
  },
];

export const BACKGROUND_RESULTS = shaped(
  'the runs',
  shownInside(
    'BackgroundResults',
    {
      state: 'text',
      daysWaiting: 'count',
      bytes: 'count',
      recomputationsWaiting: doc(nullable('count'), 'those that are `pending` or `approved`; null while they are first counted'),
      items: [RUN],
    },
    { state: 'live', daysWaiting: 33, bytes: 41_234_567, recomputationsWaiting: 1, items: EXAMPLE },
  ),
);
