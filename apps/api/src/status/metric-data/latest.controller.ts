import { hash } from 'node:crypto';
import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import { CLOCK } from '#api/shared/tokens.js';
import { arrayPieces, json, LIST_START } from '#api/status/answers/answers.js';
import { today } from '#api/status/day-query.js';
import * as errors from '#api/status/errors.js';
import { Reading, type ReadingCall } from '#api/status/parameters.js';
import { DAY_OF_INSTANT, STATUS_FILTER } from '#api/status/queries.js';
import { OTHER_GROUP_TYPE, unknownExample, withGroups } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import { bounded, oneOf } from '#domain/shared/shape.js';
import { type Day, dayOf, zuluSecond } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { LATEST_DEPTH, type LatestPoint, type LatestQuery, MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { expectingOf } from './expecting.js';
import { NEWEST } from './openapi.js';
import { statusFilter } from './status-filter.js';

const DEFAULT_LIMIT = 500;

const { Get } = routesWith({
  who: READERS,
  query: {
    strict: parameter(oneOf('true', 'false'), 'true: of each metric of an endpoint only the newest point'),
    limit: parameter(bounded('integer', { minimum: -1, default: DEFAULT_LIMIT }), `how many points; -1: all; default ${DEFAULT_LIMIT}`),
    ...STATUS_FILTER,
    ...DAY_OF_INSTANT,
  },
  errors: [unknownExample(errors.messageOnly), OTHER_GROUP_TYPE],
});

/** The default also for an invalid number; -1 for all, but not together with `strict`. */
const limitOf = (given: string | undefined, strict: boolean): number => {
  if (given === '-1') return strict ? DEFAULT_LIMIT : Number.POSITIVE_INFINITY;
  return /^\d{1,15}$/.test(given ?? '') ? Number(given) || DEFAULT_LIMIT : DEFAULT_LIMIT;
};

/** The newest point of each metric of an endpoint; `points` are newest first. @throws DomainError `OVER_LIMIT` */
async function* newestOnly(points: AsyncIterable<readonly LatestPoint[]>): AsyncGenerator<readonly Buffer[]> {
  const seen = new Set<string>();
  for await (const page of points) {
    yield page.flatMap(({ point: { endpoint_group, endpoint, service, metric }, bytes }) => {
      const identity = hash('sha256', JSON.stringify([endpoint_group, endpoint, service, metric]), 'base64');
      if (seen.has(identity)) return [];
      seen.add(identity);
      return [bytes];
    });
    if (seen.size > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  }
}

const HEAD = `${LIST_START}{\n  "metric_data": `;

/** The body of status extended contract 8 with points that are stored in their answer form. */
async function* pieces(points: AsyncIterable<readonly Buffer[]> | undefined): Pieces {
  yield [HEAD];
  yield* arrayPieces(points ?? [], LATEST_DEPTH);
  yield ['\n }\n}'];
}

type Params = Readonly<{ report: string; type: string; group?: string }>;

/** The newest metric results of a report (status extended contract 8). */
@AnswersOptions('The methods of the newest points')
@StatusController('api/v2/latest/:report/:type', 'status: metric results')
export class LatestController {
  constructor(
    private readonly metrics: MetricDataQueries,
    private readonly reports: ReportQueries,
    @Inject(RESULTS) private readonly results: Results,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get(
    { '': 'listLatestResults', ':group': { id: 'listLatestGroupResults', summary: 'The newest points of a group of a report on a day' } },
    { summary: 'The newest points of a report on a day', answers: NEWEST },
  )
  async newest(@Reading() { caller: { tenantId }, query }: ReadingCall, @Param() { report: name, type, group }: Params): Promise<Answer> {
    const { id: report } = withGroups(await this.reports.byName({ tenantId, name }), name, type);
    const strict = firstOf(query.strict) === 'true';
    const day = this.dayOf(firstOf(query.date));
    if (day === undefined) return json(bodyOfPieces(pieces(undefined)));
    const wanted = statusFilter(firstOf(query.filter));
    const expecting = expectingOf(this.results, { tenantId, name, day });
    const limit = limitOf(firstOf(query.limit), strict);
    const points = this.points({ tenantId, report, group, day, wanted, limit, expecting }, strict);
    return json(bodyOfPieces(pieces(points)));
  }

  private points(query: LatestQuery, strict: boolean): AsyncIterable<readonly Buffer[]> {
    const slice = new TimeSlice();
    return strict ? newestOnly(this.metrics.latestPoints(query, slice)) : this.metrics.latest(query, slice);
  }

  /** `undefined` for an invalid date, which has no data. */
  private dayOf(date: string | undefined): Day | undefined {
    if (!date) return today(this.clock);
    const second = zuluSecond(date);
    return second === undefined ? undefined : dayOf(second);
  }
}
