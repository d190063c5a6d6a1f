import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { granularity, POSSIBLE_TIMES, RESOURCE_ID, TIMES, TIMES_OF_EXAMPLE } from '#api/status/queries.js';
import type { AnswerSources, ReadTable } from '#api/status/reads.js';
import { reportNamed, unknownExample, unknownResource } from '#api/status/report-errors.js';
import { dayAt } from '#domain/shared/time.js';
import { type Measures, sumOfFigures } from '#domain/status/results/figures/periods.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import { allItems, type Level, readDays, WholeLevel } from './items.js';
import { flatEndpointRows } from './levels.js';
import { GROUP_RESULTS_V3, RESOURCE_RESULTS_V3 } from './openapi.js';
import { type Granularity, periodOfV3 } from './period-query.js';
import { levelA, levelB, typesOf } from './result-levels.js';
import { type Layout, resultsJson } from './results-json.js';
import { monthOf } from './series.js';

type OfReport = Readonly<{ report: string }>;
type OfResource = OfReport & Readonly<{ id: string }>;

/** Groups of groups, each with its own results and those of its endpoint groups: both levels of the same days. */
const groups = async ({ results }: AnswerSources, { caller, query, work }: ReadingCall, { report }: OfReport): Promise<Answer> => {
  const reader = await reportNamed(results, caller.tenantId, report, errors.numericInJson);
  const { span, granularity } = periodOfV3(query);
  const [outer, inner] = [new WholeLevel(levelA({ granularity, names: {} })), new WholeLevel(levelB({ granularity, names: {} }))];
  if (reader.computations.ar) await readDays(reader.days(span), [outer.reading, inner.reading], work);
  const own = new Map((await outer.inOrder(work.slice)).map(({ names: [name = ''], rows }) => [name, rows]));
  const types = typesOf(reader);
  const layout: Layout = {
    groups: [{ type: types.outer, below: 'groups' }],
    head: ({ names }) => ({ name: names.at(-1), type: types.inner }),
    label: 'date',
    ownRows: (name) => own.get(name)?.(),
  };
  return json(bodyOfPieces(resultsJson(await inner.inOrder(work.slice), layout)));
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

const resource = async ({ results }: AnswerSources, { caller, query, work }: ReadingCall, { report, id }: OfResource): Promise<Answer> => {
  const reader = await reportNamed(results, caller.tenantId, report, errors.numericInJson);
  const { span, granularity } = periodOfV3(query, thisMonth(reader.now));
  const items = reader.computations.ar ? await allItems(reader.details(span), endpointsOf(id, granularity), work) : [];
  if (items.length === 0) throw unknownResource(id);
  return json(bodyOfPieces(resultsJson(items, ENDPOINTS_LAYOUT, { before: { id }, list: 'endpoints' })));
};

const REFUSALS = [
  errors.refusalOf(() => periodOfV3({})),
  errors.refusalOf(() => periodOfV3({ ...TIMES_OF_EXAMPLE, granularity: 'weekly' })),
  unknownExample(errors.numericInJson),
];

const GRANULARITY = granularity('daily, monthly or custom in any letter case; default daily');
const { start_time, end_time } = POSSIBLE_TIMES;

/** Availability and reliability in the shape of version 3 (results contract 12.5); JSON whatever the caller accepts. */
export const RESULTS_V3: ReadTable = {
  path: 'api/v3/results/:report',
  tag: 'status: results',
  options: 'The methods of availability and reliability',
  errors: REFUSALS,
  reads: [
    {
      paths: { '': 'listGroupResultsV3' },
      summary: 'Availability and reliability of groups of groups and of their endpoint groups',
      query: { ...GRANULARITY, end_time: TIMES.end_time, start_time: TIMES.start_time },
      answers: shows(GROUP_RESULTS_V3),
      answer: groups,
    },
    {
      paths: { 'id/:id': 'listResourceResultsV3' },
      summary: 'Availability and reliability of the endpoints of a resource, by their tag info_ID',
      path: RESOURCE_ID,
      query: {
        ...GRANULARITY,
        end_time,
        start_time: parameter('instant', `${start_time.description}; without both times: this month up to today`, '2026-03-01T00:00:00Z'),
      },
      errors: [...REFUSALS, unknownResource('resource-7')],
      answers: shows(RESOURCE_RESULTS_V3),
      answer: resource,
    },
  ],
};
