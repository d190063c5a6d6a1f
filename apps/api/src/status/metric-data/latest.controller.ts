import { hash } from 'node:crypto';
import { Controller, Get, Inject, Options, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import { today } from '#api/status/day-query.js';
import { arrayPieces, LIST_START } from '#api/status/envelopes.js';
import { TenantRoute, tenantAdmission } from '#api/status/http-policy.js';
import { reportWithGroups } from '#api/status/reports/report-lookup.js';
import { answerOptions, JSON_TYPE } from '#api/status/responses.js';
import type { Query as Parameters } from '#api/status/time-query.js';
import type { Clock } from '#domain/shared/clock.js';
import { type Day, dayOf, zuluSecond } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { LATEST_DEPTH, type LatestDocument, METRIC_DATA_PROJECTION } from '#projections/status/metric-data/metric-data.js';
import { REPORTS_PROJECTION } from '#projections/status/reports/reports.js';
import { MetricReader } from './metric-reader.js';
import { statusFilter } from './status-filter.js';

const DATE = { name: 'date', required: false, description: 'UTC instant, YYYY-MM-DDTHH:MM:SSZ; its day counts; default today' };
const FILTER = { name: 'filter', required: false, description: 'non-ok, ok, critical, warning, unknown or missing' };
const LIMIT = { name: 'limit', required: false, description: 'how many points; -1: all; default 500' };
const STRICT = { name: 'strict', required: false, description: 'true: of each metric of an endpoint only the newest point' };

const DEFAULT_LIMIT = 500;

/** Default 500, which also stands for what is no number of points; -1 = all, but not together with `strict`. */
const limitOf = (given: string | undefined, strict: boolean): number => {
  if (given === '-1') return strict ? DEFAULT_LIMIT : Number.POSITIVE_INFINITY;
  return /^\d{1,15}$/.test(given ?? '') ? Number(given) || DEFAULT_LIMIT : DEFAULT_LIMIT;
};

/** The newest point of each metric of an endpoint; `points` are newest first. @throws DomainError `OVER_LIMIT` */
async function* newestOnly(points: AsyncIterable<readonly Buffer[]>): AsyncGenerator<readonly Buffer[]> {
  const seen = new Set<string>();
  for await (const page of points) {
    yield page.filter((point) => {
      const { endpoint_group, endpoint, service, metric } = JSON.parse(point.toString('utf8')) as LatestDocument;
      const identity = hash('sha256', JSON.stringify([endpoint_group, endpoint, service, metric]), 'base64');
      return !seen.has(identity) && seen.add(identity);
    });
    if (seen.size > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
  }
}

const HEAD = `${LIST_START}{\n  "metric_data": `;

/** The body of extended contract 8 around points that are stored in the form they have in it. */
async function* pieces(points: AsyncIterable<readonly Buffer[]> | undefined): Pieces {
  yield [HEAD];
  yield* arrayPieces(points ?? [], LATEST_DEPTH);
  yield ['\n }\n}'];
}

type Params = Readonly<{ report: string; type: string; group?: string }>;

/** The newest metric results of a report (extended contract 8). */
@ApiTags('status: metric results')
@ApiSecurity('x-api-key')
@Controller('api/v2/latest/:report/:type')
export class LatestController {
  private readonly reader: MetricReader;
  private readonly reports: ReadView;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new MetricReader(store.view(METRIC_DATA_PROJECTION));
    this.reports = store.view(REPORTS_PROJECTION);
  }

  @Get()
  @TenantRoute('latest.get')
  @ApiOperation({ summary: 'The newest points of a report on a day' })
  @ApiQuery(DATE)
  @ApiQuery(FILTER)
  @ApiQuery(LIMIT)
  @ApiQuery(STRICT)
  ofReport(@Param() params: Params, @Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(params, query, request, reply);
  }

  @Get(':group')
  @TenantRoute('latest.get')
  @ApiOperation({ summary: 'The newest points of a group of a report on a day' })
  @ApiQuery(DATE)
  @ApiQuery(FILTER)
  @ApiQuery(LIMIT)
  @ApiQuery(STRICT)
  ofGroup(@Param() params: Params, @Query() query: Parameters, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(params, query, request, reply);
  }

  @Options(['', ':group'])
  @ApiOperation({ summary: 'The methods of the newest points' })
  options(@Res() reply: FastifyReply): void {
    answerOptions(reply, 'GET, OPTIONS');
  }

  private async answer(params: Params, query: Parameters, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { tenantId } = tenantAdmission(request).caller;
    const report = await reportWithGroups(this.reports, tenantId, params.report, params.type);
    const strict = firstOf(query.strict) === 'true';
    const limit = limitOf(firstOf(query.limit), strict);
    const wanted = statusFilter(firstOf(query.filter));
    const day = this.dayOf(firstOf(query.date));
    const points = day === undefined ? undefined : this.reader.latest({ tenantId, report, group: params.group, day, wanted, limit });
    reply.type(JSON_TYPE).send(await bodyOfPieces(pieces(points && strict ? newestOnly(points) : points)));
  }

  /** Nothing for a date that cannot be read: it has no data. */
  private dayOf(date: string | undefined): Day | undefined {
    if (!date) return today(this.clock);
    const second = zuluSecond(date);
    return second === undefined ? undefined : dayOf(second);
  }
}
