import { Inject } from '@nestjs/common';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { oneOf } from '#api/shared/openapi/shape.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import { AnswersLargeCalls, LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { reportNamed, unknownExample } from '#api/status/report-errors.js';
import { AnswersOptions, READERS, Reads, routesWith, StatusController } from '#api/status/route.js';
import type { Work } from '#api/status/work.js';
import { dayAt } from '#domain/shared/time.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { FLAPPING_ITEMS, ITEMS_IN_TROUBLE } from './openapi.js';
import { type TrendQuery, trendQuery } from './trend-query.js';
import { endpointTrends, FLAPPING, groupTrends, type Measure, metricTrends, STATUSES, serviceTrends } from './trend-rows.js';
import { type TrendList, trendLists } from './trends.js';
import { trendsJson } from './trends-json.js';

/** Levels of trends, with their names in paths and in OpenAPI. */
const LEVELS = [
  { level: 'metrics', path: 'metrics', noun: 'Metric', words: 'Metrics' },
  { level: 'tags', path: 'metrics/tags', noun: 'Metric', words: 'Metrics', byTag: true },
  { level: 'endpoints', path: 'endpoints', noun: 'Endpoint', words: 'Endpoints' },
  { level: 'services', path: 'services', noun: 'Service', words: 'Services' },
  { level: 'groups', path: 'groups', noun: 'Group', words: 'Endpoint groups' },
] as const;
type Level = (typeof LEVELS)[number]['level'];

/** Rows of the levels inside of groups. */
const DETAILS = { metrics: metricTrends, tags: metricTrends, endpoints: endpointTrends, services: serviceTrends };

/** Families of trends by their measure. `by`: description, for metrics and for all other levels. */
const FAMILIES = [
  {
    family: 'flapping',
    measure: FLAPPING,
    items: FLAPPING_ITEMS,
    idOf: (noun: string) => `listFlapping${noun}s`,
    by: ['changes of their status', 'changes of their status'],
  },
  {
    family: 'status',
    measure: STATUSES,
    items: ITEMS_IN_TROUBLE,
    idOf: (noun: string) => `list${noun}StatusTrends`,
    by: ['results in trouble', 'minutes in trouble'],
  },
] as const;
type Family = (typeof FAMILIES)[number];

const badQuery = (query: object): errors.StatusError => errors.refusalOf(() => trendQuery({ ...query }, '2026-03-01'));

const { Get } = routesWith({
  who: READERS,
  errors: [
    badQuery({ date: '2026-02-30' }),
    badQuery({ start_date: '2026-03-01' }),
    badQuery({ top: 'ten' }),
    unknownExample(errors.messageInJson),
  ],
  query: {
    date: parameter('day', 'one UTC day, YYYY-MM-DD; default today'),
    start_date: parameter('day', 'first UTC day, with end_date, without date'),
    end_date: parameter('day', 'last UTC day'),
    granularity: parameter(oneOf('monthly'), 'monthly: by calendar month'),
    top: parameter('integer', 'items of a list; default all'),
  },
});

const READS = FAMILIES.flatMap((family) =>
  LEVELS.map(({ level, path, noun, words, ...more }) => {
    const byTag = 'byTag' in more;
    const id = `${family.idOf(noun)}${byTag ? 'ByTag' : ''}`;
    const summary = `${words} by ${family.by[noun === 'Metric' ? 0 : 1]}${byTag ? ', for each tag' : ''}`;
    return {
      name: id,
      route: Get(`${family.family}/${path}`, { id, summary, answers: shows(family.items[level]) }),
      answer: (controller: TrendsController, call: ReadingCall, { report }: Readonly<{ report: string }>) =>
        controller.answer(call, report, family, level),
    };
  }),
);

/** Items that change often, and items that are in trouble often or for long (results contract 12.7); JSON whatever the caller accepts. */
@AnswersOptions('The methods of trends')
@AnswersLargeCalls()
@Reads(READS)
@StatusController('api/v2/trends/:report', 'status: trends')
export class TrendsController {
  constructor(
    @Inject(LARGE_RESULTS) private readonly results: Results,
    private readonly metricList: MetricListQueries,
  ) {}

  async answer({ caller, query, work }: ReadingCall, name: string, { family, measure }: Family, level: Level): Promise<Answer> {
    const reader = await reportNamed(this.results, caller.tenantId, name, errors.messageInJson);
    const wanted = trendQuery(query, dayAt(reader.now));
    const { trends } = reader.computations;
    const isOn = trends.includes(family) && (level !== 'tags' || trends.includes('tags'));
    const lists = isOn ? await this.lists(reader, wanted, measure, level, work) : [];
    const member = level === 'metrics' || level === 'tags' ? measure.ofMetrics : measure.ofTimelines;
    return json(bodyOfPieces(trendsJson(lists, member, family === 'flapping' && level !== 'tags' && !wanted.monthly)));
  }

  private async lists(reader: ReportReader, wanted: TrendQuery, measure: Measure, level: Level, work: Work): Promise<readonly TrendList[]> {
    const { span } = wanted;
    if (level === 'groups') return trendLists(reader.days(span), (day) => groupTrends(day, measure), wanted, work);
    const metrics = level === 'tags' ? await this.metricList.metrics() : undefined;
    return trendLists(reader.details(span), (day) => DETAILS[level](day, measure), { ...wanted, metrics }, work);
  }
}
