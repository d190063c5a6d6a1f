import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { CLOCK } from '#api/shared/tokens.js';
import { json, listOfPages, withData } from '#api/status/answers/answers.js';
import { dayIn } from '#api/status/day-query.js';
import * as errors from '#api/status/errors.js';
import { lists } from '#api/status/openapi/envelopes.js';
import { Call, Day, type StatusCall } from '#api/status/parameters.js';
import { peekFirst } from '#api/status/peeked-pages.js';
import { DATE } from '#api/status/queries.js';
import { noSuchReport, reportNamed, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, Get, READERS, StatusController, WRITERS } from '#api/status/route.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Day as DayText } from '#domain/shared/time.js';
import { type ReportFilters, reportFilters } from '#domain/status/topology/report-topology.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { TOPOLOGY_ENDPOINT } from './endpoints.js';
import { TOPOLOGY_GROUP } from './groups.js';
import { SHOWS_STATISTICS, TAG_VALUES } from './openapi.js';
import { isCombined, MODE } from './topology-controller.js';
import { TopologyLists } from './topology-lists.js';
import { topologyStats } from './topology-stats.js';
import { tagsOf, tagsPieces } from './topology-tags.js';

type Params = Readonly<{ report: string }>;
/** The topology of a report, and summaries of it (status extended contract 3.4 to 3.6). */
@AnswersOptions('The methods of the topology of a report, and of its summaries')
@StatusController('api/v2/topology', 'status: topology')
export class TopologyReportsController {
  constructor(
    private readonly topology: TopologyLists,
    private readonly reports: ReportQueries,
    @Inject(RESULTS) private readonly results: Results,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('endpoints/by_report/:report', {
    id: 'listReportEndpoints',
    summary: 'The endpoints of a report, once for each of its groups that they belong to',
    who: WRITERS,
    query: { ...MODE, ...DATE },
    errors: [noSuchReport('Critical')],
    answers: lists(TOPOLOGY_ENDPOINT),
  })
  async endpoints(@Call() { caller, tenantId, query }: StatusCall, @Param() { report }: Params): Promise<Answer> {
    const filters = await this.filtersOf(tenantId, report);
    const share = this.topology.endpointsOfReport(dayIn(query, this.clock), filters);
    const others = isCombined(query) ? await this.topology.neighbours(caller) : [];
    return json(await listOfPages(this.topology.combined(share, await share.read(tenantId), others)));
  }

  @Get('groups/by_report/:report', {
    id: 'listReportGroups',
    summary: 'The groups of a report',
    who: WRITERS,
    query: { ...MODE, ...DATE },
    errors: [noSuchReport('Critical'), errors.queryFoundNothing()],
    answers: lists(TOPOLOGY_GROUP),
  })
  async groups(@Call() { caller, tenantId, query }: StatusCall, @Param() { report }: Params): Promise<Answer> {
    const filters = await this.filtersOf(tenantId, report);
    const share = this.topology.groupsOfReport(dayIn(query, this.clock), filters);
    const groups = await share.read(tenantId);
    const own = groups && (await peekFirst(groups));
    if (!own?.first) throw errors.queryFoundNothing();
    const others = isCombined(query) ? await this.topology.neighbours(caller) : [];
    return json(await listOfPages(this.topology.combined(share, own.pages, others)));
  }

  @Get('tags', {
    id: 'listTopologyTags',
    summary: 'The tags of endpoints and groups, with their values',
    who: READERS,
    query: DATE,
    errors: [errors.queryFoundNothing()],
    answers: lists(TAG_VALUES),
  })
  async tags(@Call() { tenantId }: StatusCall, @Day() day: DayText): Promise<Answer> {
    const endpoints = await this.topology.endpoints.asOf(tenantId, day);
    const groups = await this.topology.groups.asOf(tenantId, day);
    if (!endpoints || !groups) throw errors.queryFoundNothing();
    const summary = [
      { name: 'endpoints', tags: await tagsOf(endpoints) },
      { name: 'groups', tags: await tagsOf(groups) },
    ];
    return json(bodyOfPieces(tagsPieces(summary)));
  }

  @Get('stats/:report', {
    id: 'getTopologyStatistics',
    summary: 'How many groups and services of a report have availability results on a day',
    who: READERS,
    query: DATE,
    errors: [unknownExample(errors.messageOnly)],
    answers: SHOWS_STATISTICS,
  })
  async stats(@Call() { tenantId }: StatusCall, @Day() day: DayText, @Param() { report }: Params): Promise<Answer> {
    const reader = await reportNamed(this.results, tenantId, report, errors.messageOnly);
    return json(withData('Success', await topologyStats(reader, day)));
  }

  /** @throws StatusError the tenant has no such report */
  private async filtersOf(tenantId: string, report: string): Promise<ReportFilters> {
    const known = await this.reports.byName({ tenantId, name: report });
    if (!known) throw noSuchReport(report);
    return reportFilters(known);
  }
}
