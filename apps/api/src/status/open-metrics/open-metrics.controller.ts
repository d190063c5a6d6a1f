import { Inject, Query } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/openapi/described.js';
import * as errors from '#api/status/errors.js';
import { Call, type StatusCall } from '#api/status/parameters.js';
import { existing, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, Get, READERS, StatusController } from '#api/status/route.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { ReportThresholds } from '#domain/status/reports/reports.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { exposition, OPEN_METRICS, OPEN_METRICS_TYPE, seriesIn } from './exposition.js';
import { measurementOf, type ReportMeasurement } from './measurements.js';

const MOST_REPORTS = STATUS_LIMITS.reportsPerScrape.value;

const EXAMPLE = `# TYPE logbook_group_status stateset
# HELP logbook_group_status Current status of an endpoint group
logbook_group_status{report="Critical",group="SITE-A",logbook_group_status="OK"} 1
logbook_group_status{report="Critical",group="SITE-A",logbook_group_status="CRITICAL"} 0
# EOF
`;

type Measured = Readonly<{ name: string; thresholds?: ReportThresholds }>;

/** Status, figures and error budgets of endpoint groups for Prometheus and similar systems. */
@AnswersOptions('The methods of measurements')
@StatusController('metrics/status', 'status: results')
export class OpenMetricsController {
  constructor(
    @Inject(RESULTS) private readonly results: Results,
    private readonly reports: ReportQueries,
  ) {}

  @Get('', {
    id: 'getStatusMeasurements',
    summary: 'Current status, figures of today and error budgets of the endpoint groups of reports, as OpenMetrics',
    description: 'Budgets and burn rates are those of the thresholds of the report, over the last 1 h, 6 h, 1 d and 30 d.',
    who: READERS,
    produces: OPEN_METRICS,
    query: { report: parameter(['text'], 'Name of a report; default all of the tenant') },
    errors: [unknownExample(errors.numericMessage)],
    answers: { 200: { description: 'One family of series after the other', type: OPEN_METRICS, example: EXAMPLE } },
  })
  async measurements(@Call() { tenantId, work }: StatusCall, @Query('report') wanted?: string | readonly string[]): Promise<Answer> {
    const reports = wanted === undefined ? await this.all(tenantId) : await this.named(tenantId, [...new Set([wanted].flat())]);
    const measurements: ReportMeasurement[] = [];
    const slice = new TimeSlice();
    let series = 0;
    for (const { name, thresholds } of reports) {
      if (work.isPointless) throw errors.nobodyWaits();
      const reader = await this.results.report(tenantId, name, () => work.isPointless);
      if (!reader) continue; // deleted meanwhile
      const measurement = await measurementOf(reader, thresholds, slice);
      series += await seriesIn(measurement, slice);
      if (series > STATUS_LIMITS.seriesPerScrape.value) throw overLimit('seriesPerScrape');
      measurements.push(measurement);
    }
    return new Answer(bodyOfPieces(exposition(measurements)), { type: OPEN_METRICS_TYPE });
  }

  /** All reports, by name. @throws DomainError `OVER_LIMIT` */
  private async all(tenantId: string): Promise<readonly Measured[]> {
    const found: Measured[] = [];
    for await (const page of this.reports.records(tenantId, '', new TimeSlice())) {
      found.push(...page.map(measuredOf));
      if (found.length > MOST_REPORTS) throw overLimit('reportsPerScrape');
    }
    return found.sort((one, other) => byBytes(one.name, other.name));
  }

  /** Reports in the order of the names. @throws StatusError `EMSGN(404)` the tenant has no such report; DomainError `OVER_LIMIT` */
  private async named(tenantId: string, names: readonly string[]): Promise<readonly Measured[]> {
    if (names.length > MOST_REPORTS) throw overLimit('reportsPerScrape');
    const found: Measured[] = [];
    for (const name of names) {
      const report = await this.reports.byName({ tenantId, name });
      const record = report && (await this.reports.record({ tenantId, id: report.id }, ''));
      found.push(measuredOf(existing(record, name, errors.numericInJson)));
    }
    return found;
  }
}

/** Reads a report from its record in lists. */
const measuredOf = (record: Buffer): Measured => {
  const { info, thresholds } = JSON.parse(record.toString('utf8')) as Readonly<{ info: { name: string }; thresholds?: ReportThresholds }>;
  return { name: info.name, ...(thresholds && { thresholds }) };
};
