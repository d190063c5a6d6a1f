import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import { parameter, shows } from '#api/shared/openapi/described.js';
import { json } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import type { ReadingCall } from '#api/status/parameters.js';
import type { AnswerSources, ReadTable } from '#api/status/reads.js';
import { reportNamed, unknownExample } from '#api/status/report-errors.js';
import { oneOf } from '#domain/shared/shape.js';
import { dayAt } from '#domain/shared/time.js';
import { FLAPPING_ITEMS, ITEMS_IN_TROUBLE } from './openapi.js';
import { trendQuery } from './trend-query.js';
import { endpointTrends, FLAPPING, groupTrends, metricTrends, STATUSES, serviceTrends } from './trend-rows.js';
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

const trends =
  ({ family, measure }: (typeof FAMILIES)[number], level: Level) =>
  async (
    { results, metricList }: AnswerSources,
    { caller, query, work }: ReadingCall,
    { report }: Readonly<{ report: string }>,
  ): Promise<Answer> => {
    const reader = await reportNamed(results, caller.tenantId, report, errors.messageInJson);
    const wanted = trendQuery(query, dayAt(reader.now));
    const { trends: on } = reader.computations;
    const lists = async (): Promise<readonly TrendList[]> => {
      if (!on.includes(family) || (level === 'tags' && !on.includes('tags'))) return [];
      if (level === 'groups') return trendLists(reader.days(wanted.span), (day) => groupTrends(day, measure), wanted, work);
      const metrics = level === 'tags' ? await metricList.metrics() : undefined;
      return trendLists(reader.details(wanted.span), (day) => DETAILS[level](day, measure), { ...wanted, metrics }, work);
    };
    const member = level === 'metrics' || level === 'tags' ? measure.ofMetrics : measure.ofTimelines;
    return json(bodyOfPieces(trendsJson(await lists(), member, family === 'flapping' && level !== 'tags' && !wanted.monthly)));
  };

const badQuery = (query: object): errors.StatusError => errors.refusalOf(() => trendQuery({ ...query }, '2026-03-01'));

/** Items that change often, and items that are in trouble often or for long (results contract 12.7); JSON whatever the caller accepts. */
export const TRENDS: ReadTable = {
  path: 'api/v2/trends/:report',
  tag: 'status: trends',
  options: 'The methods of trends',
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
  reads: FAMILIES.flatMap((family) =>
    LEVELS.map(({ level, path, noun, words, ...more }) => {
      const byTag = 'byTag' in more;
      return {
        paths: { [`${family.family}/${path}`]: `${family.idOf(noun)}${byTag ? 'ByTag' : ''}` },
        summary: `${words} by ${family.by[noun === 'Metric' ? 0 : 1]}${byTag ? ', for each tag' : ''}`,
        answers: shows(family.items[level]),
        answer: trends(family, level),
      };
    }),
  ),
};
