import { applyDecorators, Controller, Get, Inject, Options, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { json, methods } from '#api/status/answers.js';
import { begun } from '#api/status/begun.js';
import * as errors from '#api/status/errors.js';
import { TenantRoute } from '#api/status/http-policy.js';
import { Caller, type TenantCaller } from '#api/status/parameters.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import { typesOf } from '#api/status/results/result-levels.js';
import { type Query as Parameters, parsingError } from '#api/status/time-query.js';
import type { Collected } from '#api/status/timelines/collected.js';
import { type AnswerRoom, type Asking, Asks, HeldAnswers } from '#api/status/timelines/held-answers.js';
import { collectedOrEarlier, nowOf, wantsDetails } from '#api/status/timelines/reading.js';
import { endpointRows, groupRows, metricRows, serviceRows } from '#api/status/timelines/rows.js';
import { groupsBody, listedStatuses, wholeTimeline } from '#api/status/timelines/views.js';
import { dayAt, zuluSecond } from '#domain/shared/time.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { wireText } from '#projections/status/layout.js';
import { detailIn, MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { type DaySpan, RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { spanOfV5 } from './v5-query.js';

type Params = Readonly<{ report: string; group?: string; service?: string; endpoint?: string; metric?: string }>;
type Call = Readonly<{ asking: Asking; params: Params; query: Parameters }>;
type Collecting = Readonly<{ report: ReportReader; span: DaySpan; room: AnswerRoom; flags: boolean }>;

const TIME = 'UTC instant, YYYY-MM-DDTHH:MM:SSZ; its day counts; default the day of the other time, or today';
const StatusOf = (paths: string[], route: 'status.list' | 'status.get', summary: string) =>
  applyDecorators(
    Get(paths),
    TenantRoute(route),
    ApiOperation({ summary }),
    ApiQuery({ name: 'start-time', required: false, description: TIME }),
    ApiQuery({ name: 'end-time', required: false, description: TIME }),
    ApiQuery({ name: 'view', required: false, description: 'details: with what thresholds did' }),
  );

const IN_GROUP = ['groups/:group/endpoints', 'groups/:group/service-types/:service/endpoints'];
const GROUPS = ['groups', 'groups/:group'];
const SERVICES = ['groups/:group/service-types', 'groups/:group/service-types/:service'];
const ENDPOINTS = ['endpoints', ...IN_GROUP].flatMap((path) => [path, `${path}/:endpoint`]);
const METRICS = IN_GROUP.flatMap((path) => [`${path}/:endpoint/metrics`, `${path}/:endpoint/metrics/:metric`]);
const DETAILS = IN_GROUP.map((path) => `${path}/:endpoint/metrics/:metric/details`);

/** Status timelines in the shape of version 5 (status contract of 2026, 10). JSON whatever the caller accepts. */
@ApiTags('status: timelines')
@ApiSecurity('x-api-key')
@Controller('api/v5/status/:report')
export class StatusV5Controller {
  constructor(
    @Inject(RESULTS) private readonly results: Results,
    private readonly answers: HeldAnswers,
    private readonly metricData: MetricDataQueries,
  ) {}

  @StatusOf(GROUPS, 'status.list', 'The statuses of endpoint groups')
  groups(@Asks() asking: Asking, @Param() params: Params, @Query() query: Parameters): Promise<Answer> {
    return this.answer({ asking, params, query }, ({ report, span, room, flags }) =>
      collectedOrEarlier(report, span, room, { daysOf: (days) => report.days(days), rowsOf: groupRows({ flags }, params.group) }),
    );
  }

  @StatusOf(SERVICES, 'status.get', 'The statuses of the services of an endpoint group')
  services(@Asks() asking: Asking, @Param() params: Params, @Query() query: Parameters): Promise<Answer> {
    const { group, service } = params;
    return this.answer({ asking, params, query }, ({ report, span, room, flags }) =>
      collectedOrEarlier(report, span, room, {
        daysOf: (days) => report.details(days, group),
        rowsOf: serviceRows({ flags }, { service }),
      }),
    );
  }

  @StatusOf(ENDPOINTS, 'status.get', 'The statuses of endpoints')
  endpoints(@Asks() asking: Asking, @Param() params: Params, @Query() query: Parameters): Promise<Answer> {
    const { group, service, endpoint: host } = params;
    return this.answer({ asking, params, query }, ({ report, span, room, flags }) =>
      collectedOrEarlier(report, span, room, {
        daysOf: (days) => report.details(days, group),
        rowsOf: endpointRows({ flags }, { service, host }),
      }),
    );
  }

  @StatusOf(METRICS, 'status.get', 'The statuses of the metrics of an endpoint')
  metrics(@Asks() asking: Asking, @Param() params: Params, @Query() query: Parameters): Promise<Answer> {
    const { group, service, endpoint: host, metric } = params;
    const filter = { ...(group && { group }), ...(service && { service }), ...(host && { host }), ...(metric && { metric }) };
    const collect = ({ report, span, room, flags }: Collecting) =>
      collectedOrEarlier(report, span, room, { daysOf: (days) => report.metrics(days, filter), rowsOf: metricRows(flags, true) });
    return this.answer({ asking, params, query }, collect, () => listedStatuses);
  }

  @Get(DETAILS)
  @TenantRoute('status.get')
  @ApiOperation({ summary: 'What a probe said at exactly that second' })
  @ApiQuery({ name: 'timestamp', required: true, description: 'UTC instant, YYYY-MM-DDTHH:MM:SSZ' })
  async details(@Caller() { tenantId }: TenantCaller, @Param() params: Params, @Query() query: Parameters): Promise<Answer> {
    const { group, service, endpoint: host = '', metric = '' } = params;
    const report = await this.known(tenantId, params.report);
    const given = firstOf(query.timestamp) ?? '';
    const second = zuluSecond(given);
    if (second === undefined) throw errors.asJson(errors.badParameters([parsingError('timestamp', given)]));
    const isOfReport = (of: string | undefined) => of === undefined || of === report.id;
    const results = this.metricData.atSecond(
      { tenantId, host, metric },
      second,
      (head) => isOfReport(head.report) && (service === undefined || head.service === service),
      new TimeSlice(),
    );
    const { first } = await begun(results);
    if (!first) throw errors.asJson(errors.numericMessage(404, 'Metric not found!'));
    const { Timestamp, Value, Summary, Message, actual_data, threshold_rule_applied, original_status } = detailIn(first);
    const optional = { info: first.info, actual_data, threshold_rule_applied, original_status };
    return json(
      wireText({
        timestamp: Timestamp,
        group,
        hostname: host,
        service_type: first.service,
        metric,
        status: Value,
        summary: Summary,
        message: Message,
        ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)),
      }),
    );
  }

  @Options([...GROUPS, ...SERVICES, ...ENDPOINTS, ...METRICS, ...DETAILS])
  @ApiOperation({ summary: 'The methods of status timelines of version 5' })
  options(): Answer {
    return methods('GET, OPTIONS');
  }

  /** @throws StatusError `EMSGN(404)` */
  private async known(tenantId: string, name: string): Promise<ReportReader> {
    const report = await this.results.report(tenantId, name);
    if (!report) throw errors.asJson(errors.numericMessage(404, unknownReport(name)));
    return report;
  }

  private async answer(
    { asking, params, query }: Call,
    collect: (what: Collecting) => Promise<Collected>,
    statuses: typeof wholeTimeline = wholeTimeline,
  ): Promise<Answer> {
    const report = await this.known(asking.tenantId, params.report);
    const today = dayAt(report.now);
    const span = spanOfV5(query) ?? { from: today, to: today };
    return this.answers.answer({ ...asking, format: 'json' }, async (room) => {
      const collected = await collect({ report, span, room, flags: wantsDetails(query) });
      if (collected.count === 0) return { branches: { name: 'groups', items: null } };
      return groupsBody(collected, typesOf(report).inner, statuses(nowOf(report)), 'service-types');
    });
  }
}
