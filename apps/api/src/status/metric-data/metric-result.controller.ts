import { Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter } from '#api/shared/openapi/described.js';
import type { WireFormat } from '#api/status/answers/accept.js';
import { json } from '#api/status/answers/answers.js';
import { XML_TYPE } from '#api/status/answers/xml.js';
import * as errors from '#api/status/errors.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { type PeekedPages, peekFirst } from '#api/status/peeked-pages.js';
import { atInstant, SERVICE, STATUS_FILTER } from '#api/status/queries.js';
import { existing, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import { executionTime } from '#api/status/time-query.js';
import { dayOf } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MetricDataQueries, type StoredResult } from '#projections/status/metric-data/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { metricResultJson, metricResultXml } from './metric-result.js';
import { SHOWS_HOST_RESULTS } from './openapi.js';
import { statusFilter } from './status-filter.js';

const REFUSALS = [{}, { exec_time: 'noon' }].map((query) => errors.refusalOf(() => executionTime(query)));
const { Get } = routesWith({ who: READERS, errors: REFUSALS, answers: SHOWS_HOST_RESULTS });

const metricNotFound = (): errors.StatusError => errors.numericMessage(404, 'Metric not found!');

type HostParams = Readonly<{ hostname: string }>;
type MetricParams = HostParams & Readonly<{ metric: string }>;

const answer = async (host: string, results: PeekedPages<StoredResult>, format: WireFormat): Promise<Answer> => {
  if (format === 'json') return json(bodyOfPieces(metricResultJson(host, results)));
  return new Answer(bodyOfPieces(metricResultXml(host, results)), { type: XML_TYPE });
};

/** Detailed results of the metrics of a host (status contract 13). */
@AnswersOptions('The methods of the results of a host')
@StatusController('api/v2/metric_result', 'status: metric results')
export class MetricResultController {
  constructor(
    private readonly metrics: MetricDataQueries,
    private readonly reports: ReportQueries,
  ) {}

  @Get(':hostname', {
    id: 'listHostMetricResults',
    summary: 'All results of a host on the day of exec_time',
    query: { ...SERVICE, ...STATUS_FILTER, exec_time: atInstant() },
  })
  async day(@Call() { tenantId, format, query }: StatusCall, @Param() { hostname }: HostParams): Promise<Answer> {
    const day = dayOf(executionTime(query));
    const wanted = statusFilter(firstOf(query.filter));
    const service = firstOf(query.service);
    const results = this.metrics.ofDay(
      tenantId,
      hostname,
      day,
      (head) => (!wanted || wanted(head.status)) && (!service || head.service === service),
      new TimeSlice(),
    );
    return answer(hostname, await peekFirst(results), format);
  }

  @Get(':hostname/:metric', {
    id: 'getMetricResult',
    summary: 'The results of one metric of a host at exactly the second of exec_time',
    query: {
      report: parameter('text', 'Only results for the report of this name, and those for every report'),
      ...SERVICE,
      exec_time: atInstant(),
    },
    errors: [...REFUSALS, metricNotFound(), unknownExample(errors.numericMessage)],
  })
  async single(@Call() { tenantId, format, query }: StatusCall, @Param() { hostname, metric }: MetricParams): Promise<Answer> {
    const second = executionTime(query);
    const report = await this.reportId(tenantId, firstOf(query.report));
    const service = firstOf(query.service);
    const results = this.metrics.atSecond(
      { tenantId, host: hostname, metric },
      second,
      (head) => (!report || head.report === undefined || head.report === report) && (!service || head.service === service),
      new TimeSlice(),
    );
    const found = await peekFirst(results);
    if (!found.first) throw metricNotFound();
    return answer(hostname, found, format);
  }

  /** `undefined` if the call names no report. @throws StatusError `EMSGN(404)` */
  private async reportId(tenantId: string, name: string | undefined): Promise<string | undefined> {
    if (!name) return undefined;
    return existing(await this.reports.byName({ tenantId, name }), name, errors.numericMessage).id;
  }
}
