import {
  problemsOf,
  type RecomputationCommand,
  type RecomputationEvent,
  recomputation,
  streamOfRecomputation,
} from '#domain/status/recomputations/recomputations.js';
import type { MigratedStep } from '../write/log-writer.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { idIn } from './documents/members.js';
import { type ExportedRecomputation, recomputationDocument, shownTimestamp, timestampsOf } from './documents/recomputation-documents.js';
import type { TenantRow } from './row.js';
import { remarkFlaws } from './tolerant.js';

const PENDING = 'pending';

/** A request begins as pending; a history that begins with another status gets an entry for that. */
const stepsOf = (
  tenantId: string,
  { id, request, history }: ExportedRecomputation,
): readonly MigratedStep<RecomputationCommand, RecomputationEvent>[] => {
  const later = history[0]?.status === PENDING ? history.slice(1) : history;
  return [
    { command: { tenantId, id, type: 'RequestRecomputation', request, takenOver: true }, time: history[0]?.time ?? '' },
    ...later.map(({ status, time }) => ({ command: { tenantId, id, type: 'SetRecomputationStatus', status } as const, time })),
  ];
};

/** Statuses that Logbook acts on when it starts. */
const DUE: readonly string[] = ['approved', 'running'];

/** Recomputations of a tenant with their histories, even if their report has another name or is deleted. */
export const recomputationRow: TenantRow = {
  collection: 'recomputations',
  take: ({ writer, report }, tenant) => {
    let due = 0;
    return {
      each: async ({ fields, origin, place }) => {
        const exported = recomputationDocument(fields);
        const stream = streamOfRecomputation(exported.id);
        const steps = stepsOf(tenant.tenantId, exported);
        const written = await writer.decide({ origin, stream, decider: recomputation, steps });
        const problems = problemsOf(exported.request).map(({ details }) => details);
        remarkFlaws(report, place, problems);
        sayChangedTimes(report, place, timestampsOf(fields, exported));
        if (exported.history[0]?.status !== PENDING) report.changed(place, 'its history begins with pending');
        if (DUE.includes(exported.history.at(-1)?.status ?? '')) due += 1;
        return written;
      },
      end: async () => {
        if (due > 0) report.note(`${due} recomputations of ${tenant.name} are approved or running: Logbook computes them when it starts`);
      },
    };
  },
  compared: {
    whole: true,
    expected: ({ fields }) => {
      const { id, request, history } = recomputationDocument(fields);
      return { id, ...request, history: history.map(({ status, time }) => ({ status, timestamp: shownTimestamp(time) })) };
    },
    found: async ({ fields }, { queries, scope: { tenantId } }) => {
      const found = await queries.recomputations.recomputation({ tenantId, id: idIn(fields) });
      if (!found) return undefined;
      const { history } = recomputationDocument(fields);
      const { status: _status, timestamp: _timestamp, ...rest } = found;
      const none = { exclude_metrics: [], exclude_monitoring_source: [], applied_status_changes: [] };
      return { ...none, ...rest, history: rest.history.slice(-history.length) }; // a first entry may have been added
    },
  },
};
