import { Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { answerOf, shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody, StrictQuery } from '#api/ops-kit/strict-input.js';
import { day, instant, membersOf, millisecondsOf, optional, text } from '#api/ops-kit/strict-members.js';
import type { ResultsThread } from '#api/runtime/results-thread.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { RESULTS_ENGINE } from '#api/shared/tokens.js';
import { RequestRecomputation } from '#api/status/recomputations/commands.js';
import { RunProgress } from '#api/status/recomputations/runs/run-progress.js';
import { LONGEST_REASON } from '#domain/operations/given-texts.js';
import { doc, oneOf, type Static } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { RECOMPUTATION_STATUSES } from '#domain/status/recomputations/recomputations.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { type RecomputationDocument, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { BACKGROUND_RESULTS, ofChange, ofRun, ofWaiting } from './result-runs.js';
import { WaitingRecomputations } from './waiting-recomputations.js';

const MOST_LISTED = 1_000;
const MOST_REQUESTED = 100;

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const LONGEST_NAME = 400;

class RequestBody extends membersOf({
  tenant: text(LONGEST_NAME, { description: 'id of the tenant', example: ID }),
  report: text(LONGEST_NAME, { description: 'name of the report', example: 'Critical' }),
  from: instant({ description: 'inclusive' }),
  to: instant({ description: 'inclusive', example: '2026-03-01T23:59:59Z' }),
  reason: text(LONGEST_REASON, { description: 'stays in the log: no personal data', example: 'a site sent its data a day late' }),
}) {}

class RequestedQuery extends membersOf({
  tenant: text(LONGEST_NAME, { description: 'id of the tenant', example: ID }),
  report: optional(text(LONGEST_NAME, { description: 'name of the report', example: 'Critical' })),
  day: optional(day({ description: 'that they include', example: '2026-03-01' })),
}) {}

const REQUESTED = {
  id: 'uuid',
  report: 'text',
  from: doc('text', 'inclusive'),
  to: doc('text', 'inclusive'),
  reason: 'text',
  status: oneOf(...RECOMPUTATION_STATUSES),
  since: doc('text', 'when it got its status'),
} as const;

const REQUESTED_EXAMPLE = {
  id: ID,
  report: 'Critical',
  from: '2026-03-01T00:00:00Z',
  to: '2026-03-01T23:59:59Z',
  reason: 'a site sent its data a day late',
  status: 'pending',
  since: '2026-03-02T08:00:00Z',
} as const;

/** A recomputation in `GET /ops/results/recomputations`. `since`: when it got its status. */
const requestedItem = ({
  id,
  report,
  start_time: from,
  end_time: to,
  reason,
  status,
  timestamp: since,
}: RecomputationDocument): Static<typeof REQUESTED> => ({
  id,
  report,
  from,
  to,
  reason,
  status,
  since,
});

/** Without fractions of a second, as the service has it. */
const secondOf = (text: string): string => new Date(Math.floor(millisecondsOf(text) / 1_000) * 1_000).toISOString().replace('.000', '');

/** Computation of results in the background. */
@OpsController('ops/results', 'operations')
export class ResultsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly reports: ReportQueries,
    private readonly recomputations: RunProgress,
    private readonly waiting: WaitingRecomputations,
    private readonly requests: RecomputationQueries,
    @Inject(RESULTS_ENGINE) private readonly engine: ResultsThread | null,
  ) {}

  @Get('', {
    id: 'listBackgroundResults',
    summary: 'Results that are computed in the background, and how far that is',
    description:
      'Recomputations that run on any node; those that wait for approval by their tenant (`pending`) or for their turn (`approved`), with the newest ' +
      'status first, 100 at most; and, on this node, days of large reports after profiles, topology, weights, downtimes or points of ' +
      'past days have changed: those under way, and the last 50 that are done. Reads do not wait for these days: what is not computed yet is computed for them.',
    answers: { 200: BACKGROUND_RESULTS },
  })
  async list(): Promise<Answered<typeof BACKGROUND_RESULTS>> {
    const { engine, requests } = this;
    const progress = engine?.progress ?? null;
    const runs = await this.recomputations.list();
    const requesters = await readAcross(() => requests.requesters(runs));
    const waiting = await this.waiting.newest();
    const running = new Set(runs.map(({ id }) => id));
    return {
      state: engine?.state ?? 'off',
      daysWaiting: progress?.daysWaiting ?? 0,
      bytes: progress?.bytes ?? 0,
      recomputationsWaiting: waiting?.total ?? null,
      items: [
        ...runs.map((run, at) => ofRun(run, requesters[at])),
        ...(waiting?.items ?? []).filter(({ id }) => !running.has(id)).map(ofWaiting),
        ...(progress?.runs ?? []).map(ofChange),
      ].slice(0, MOST_LISTED),
    };
  }

  @Get('recomputations', {
    id: 'listRequestedRecomputations',
    summary: 'Recomputations that a tenant was asked for, those with the newest status first',
    description: 'The last 100, without the persons who asked for them.',
    answers: {
      200: shaped('the requests', shownInside('RequestedRecomputations', { items: [REQUESTED] }, { items: [REQUESTED_EXAMPLE] })),
    },
  })
  requested(
    @StrictQuery(RequestedQuery) { tenant, report, day: including }: RequestedQuery,
  ): Promise<Readonly<{ items: readonly Static<typeof REQUESTED>[] }>> {
    return readAcross(async () => {
      const found: Static<typeof REQUESTED>[] = [];
      const wanted = { ...(report !== undefined && { report }), ...(including !== undefined && { day: including }) };
      for await (const page of this.requests.list(tenant, wanted, new TimeSlice()))
        found.push(...page.map((bytes) => requestedItem(JSON.parse(bytes.toString('utf8')) as RecomputationDocument)));
      return { items: found.slice(-MOST_REQUESTED).reverse() };
    });
  }

  @Post('recomputations', {
    id: 'requestRecomputation',
    summary: 'Asks for a recomputation of a report, in the name of the key; the tenant approves or rejects it',
    description:
      'Nothing is left out by it: the request has no exclusions until somebody of the tenant adds some. It is `pending`, and runs once it is approved.',
    who: OPERATOR,
    limit: 'form',
    answers: {
      201: answerOf('the request', 'RequestedRecomputation', { id: 'text' }, { id: ID }),
    },
  })
  async request(
    @Call() call: OpsCall,
    @StrictBody(RequestBody) { tenant: tenantId, report, from, to, reason }: RequestBody,
  ): Promise<Readonly<{ id: string }>> {
    if (millisecondsOf(to) < millisecondsOf(from))
      throw new Problem(400, 'the request is not as this call takes it', [{ member: 'to', detail: 'must not be before `from`' }]);
    const check = async (): Promise<void> => {
      if (!(await this.reports.byName({ tenantId, name: report }))) throw new Problem(404, 'the tenant has no report of this name');
    };
    const { keyId = '', name = keyId } = call.request.operator ?? {};
    const requester = { requester_name: name, requester_email: `key ${keyId}` }; // both are mandatory
    const period = { start_time: secondOf(from), end_time: secondOf(to) };
    const request = { ...requester, ...period, reason, report, exclude: [] };
    const { id, readable } = await this.bus.execute(new RequestRecomputation(call.context, { tenantId, request, check }));
    noteReadability(call.reply, readable);
    return { id };
  }
}
