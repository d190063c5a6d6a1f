import { Inject } from '@nestjs/common';
import { like } from '#api/ops-kit/answers-documentation.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import type { ResultsThread } from '#api/runtime/service-threads.js';
import { RESULTS_ENGINE } from '#api/shared/tokens.js';
import { type RecomputationRun, RunProgress } from '#api/status/recomputations/runs/run-progress.js';
import type { ResultsRun } from '#infra/engine/results/progress.js';

const MOST_LISTED = 1_000;

/** Computation of results in `GET /ops/results`. `recomputation`: its id; null if it was caused by a change of the input. */
type RunItem = Readonly<{
  kind: 'change' | 'recomputation';
  tenant: string;
  report: string;
  recomputation: string | null;
  from: string;
  to: string;
  /** `total`: null if it is not known. */
  days: Readonly<{ done: number; total: number | null }>;
  state: 'running' | 'done';
  since: string;
}>;

const ofChange = ({ tenantId, name, from, to, done, total, state, since }: ResultsRun): RunItem => ({
  kind: 'change',
  tenant: tenantId,
  report: name,
  recomputation: null,
  from,
  to,
  days: { done, total },
  state,
  since,
});

const ofRecomputation = ({ tenantId, id, report, startTime, endTime, startedAt, days }: RecomputationRun): RunItem => ({
  kind: 'recomputation',
  tenant: tenantId,
  report,
  recomputation: id,
  from: startTime.slice(0, 10),
  to: endTime.slice(0, 10),
  days: { done: days, total: null },
  state: 'running',
  since: startedAt,
});

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const EXAMPLE: RunItem = {
  kind: 'change',
  tenant: ID,
  report: 'Critical',
  recomputation: null,
  from: '2026-01-15',
  to: '2026-02-28',
  days: { done: 12, total: 45 },
  state: 'running',
  since: '2026-03-01T12:00:00.000Z',
};

/** Computation of results in the background. */
@OpsController('ops/results', 'operations')
export class ResultsController {
  constructor(
    private readonly recomputations: RunProgress,
    @Inject(RESULTS_ENGINE) private readonly engine: ResultsThread | null,
  ) {}

  @Get('', {
    id: 'listBackgroundResults',
    summary: 'Results that are computed in the background, and how far that is',
    description:
      'Recomputations that run on any node; and, on this node, days of large reports after profiles, topology, weights, downtimes or points of ' +
      'past days have changed: those under way, and the last 50 that are done. Reads do not wait for these days: what is not computed yet is computed for them.',
    answers: { 200: like('BackgroundResults', 'the runs', { state: 'live', daysWaiting: 33, bytes: 41_234_567, items: [EXAMPLE] }) },
  })
  async list(): Promise<object> {
    const { engine } = this;
    const progress = engine?.progress ?? null;
    const running = (await this.recomputations.list()).map(ofRecomputation);
    const changes = (progress?.runs ?? []).map(ofChange);
    return {
      state: engine?.state ?? 'off',
      daysWaiting: progress?.daysWaiting ?? 0,
      bytes: progress?.bytes ?? 0,
      items: [...running, ...changes].slice(0, MOST_LISTED),
    };
  }
}
