import { Inject, Param } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { Reading, type ReadingCall, type TenantCaller } from '#api/status/parameters.js';
import { granularity, POSSIBLE_TIMES, RESOURCE_ID, TIMES, TIMES_OF_EXAMPLE } from '#api/status/queries.js';
import { reportNamed, unknownExample, unknownResource } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, routesWith, StatusController } from '#api/status/route.js';
import type { Work } from '#api/status/work.js';
import { dayAt } from '#domain/shared/time.js';
import { type Measures, sumOfFigures } from '#domain/status/results/figures/periods.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { allItems, type Level, type ResultItem, readDays, WholeLevel } from './items.js';
import { flatEndpointRows } from './levels.js';
import { GROUP_RESULTS_V3, RESOURCE_RESULTS_V3 } from './openapi.js';
import { type Granularity, type Period, periodOfV3 } from './period-query.js';
import { levelA, levelB, typesOf } from './result-levels.js';
import { type Layout, resultsJson } from './results-json.js';
import { monthOf, type PeriodRow } from './series.js';

const REFUSALS = [
  errors.refusalOf(() => periodOfV3({})),
  errors.refusalOf(() => periodOfV3({ ...TIMES_OF_EXAMPLE, granularity: 'weekly' })),
  unknownExample(errors.numericInJson),
];
const { Get } = routesWith({ who: READERS, errors: REFUSALS });

const GRANULARITY = granularity('daily, monthly or custom in any letter case; default daily');

/** Groups of groups, each with its own results and those of its endpoint groups. */
const groupsLayout = (reader: ReportReader, ownRows: Layout['ownRows']): Layout => {
  const { outer, inner } = typesOf(reader);
  return {
    groups: [{ type: outer, below: 'groups' }],
    head: ({ names }) => ({ name: names.at(-1), type: inner }),
    label: 'date',
    ownRows,
  };
};

const ENDPOINTS_LAYOUT: Layout = {
  groups: [],
  head: ({ names: [name, service, supergroup], info }) => ({ name, service, supergroup, info }),
  label: 'date',
};

/** Endpoints, on the days on which their tag `info_ID` equals the id. */
const endpointsOf = (id: string, granularity: Granularity): Level<ResultsDay<GroupDay>, Measures> => ({
  *rowsOf(day) {
    for (const row of flatEndpointRows(day, {})) if (row.info?.ID === id) yield row;
  },
  rule: { granularity, newSum: sumOfFigures },
});

/** From the first of the month to today. */
const thisMonth = (now: number): DaySpan => {
  const today = dayAt(now);
  return { from: `${monthOf(today)}-01`, to: today };
};

/** Availability and reliability in the shape of version 3 (results contract 12.5); JSON whatever the caller accepts. */
@AnswersOptions('The methods of availability and reliability')
@AnswersLargeCalls()
@StatusController('api/v3/results/:report', 'status: results')
export class ResultsV3Controller {
  constructor(@Inject(LARGE_RESULTS) private readonly results: Results) {}

  @Get('', {
    id: 'listGroupResultsV3',
    summary: 'Availability and reliability of groups of groups and of their endpoint groups',
    query: { ...GRANULARITY, end_time: TIMES.end_time, start_time: TIMES.start_time },
    answers: shows(GROUP_RESULTS_V3),
  })
  async groups(@Reading() { caller, query, work }: ReadingCall, @Param() { report }: Readonly<{ report: string }>): Promise<Answer> {
    const reader = await this.known(caller, report);
    const period = periodOfV3(query);
    const { items, rowsOf } = await this.groupItems(reader, period, work);
    const layout = groupsLayout(reader, (name) => rowsOf.get(name)?.());
    return json(bodyOfPieces(resultsJson(items, layout)));
  }

  @Get('id/:id', {
    id: 'listResourceResultsV3',
    summary: 'Availability and reliability of the endpoints of a resource, by their tag info_ID',
    path: RESOURCE_ID,
    query: {
      ...GRANULARITY,
      end_time: POSSIBLE_TIMES.end_time,
      start_time: parameter(
        'instant',
        `${POSSIBLE_TIMES.start_time.description}; without both times: this month up to today`,
        '2026-03-01T00:00:00Z',
      ),
    },
    errors: [...REFUSALS, unknownResource('resource-7')],
    answers: shows(RESOURCE_RESULTS_V3),
  })
  async byId(
    @Reading() { caller, query, work }: ReadingCall,
    @Param() { report, id }: Readonly<{ report: string; id: string }>,
  ): Promise<Answer> {
    const reader = await this.known(caller, report);
    const { span, granularity } = periodOfV3(query, thisMonth(reader.now));
    const items = reader.computations.ar ? await allItems(reader.details(span), endpointsOf(id, granularity), work) : [];
    if (items.length === 0) throw unknownResource(id);
    return json(bodyOfPieces(resultsJson(items, ENDPOINTS_LAYOUT, { before: { id }, list: 'endpoints' })));
  }

  /** @throws StatusError `EMSGN(404)` the tenant has no such report */
  private known({ tenantId }: TenantCaller, name: string): Promise<ReportReader> {
    return reportNamed(this.results, tenantId, name, errors.numericInJson);
  }

  /** Endpoint groups by the groups that contain them, with the own rows of those: both levels of the same days. */
  private async groupItems(
    reader: ReportReader,
    { span, granularity }: Period,
    work: Work,
  ): Promise<Readonly<{ items: readonly ResultItem[]; rowsOf: ReadonlyMap<string, () => readonly PeriodRow[]> }>> {
    if (!reader.computations.ar) return { items: [], rowsOf: new Map() };
    const [outer, inner] = [new WholeLevel(levelA({ granularity, names: {} })), new WholeLevel(levelB({ granularity, names: {} }))];
    await readDays(reader.days(span), [outer.reading, inner.reading], work);
    const own = await outer.inOrder(work.slice);
    return { items: await inner.inOrder(work.slice), rowsOf: new Map(own.map(({ names: [name = ''], rows }) => [name, rows])) };
  }
}
