import type { Day } from '#domain/shared/time.js';
import { inPages, PAGE, type Slice } from '#projections/shared/pages.js';
import { wireText } from '#projections/status/layout.js';
import type { PartSummary } from '#projections/status/metric-results/documents.js';
import type { Point, Series, Texts } from '#projections/status/metric-results/point-set.js';
import type { Bucket, PartPoints, ResultDay } from '#projections/status/metric-results/results-reader.js';
import { LATEST_DEPTH, type LatestDocument, latestDocument } from './answers.js';
import type { ExpectedItems, OfReport } from './expected-items.js';
import { type NewestPoint, newestOf } from './newest.js';
import { TextFinder } from './text-finder.js';

/** The newest points of a report on a day. `wanted`: selects by status. `limit`: Infinity for all. */
export type LatestQuery = OfReport &
  Readonly<{
    group: string | undefined;
    wanted: ((status: string) => boolean) | undefined;
    limit: number;
  }>;

/** One of the newest points, and its bytes in the format of answers. */
export type LatestPoint = Readonly<{ point: LatestDocument; bytes: Buffer }>;

/** Assigns the points of a series to groups of a report, or to the one group `only`. */
class Placing {
  constructor(
    private readonly report: string,
    private readonly only: string | undefined,
    private readonly expected: ExpectedItems | undefined,
  ) {}

  /** Whether `groupsOf` has any, for less. */
  counts({ report, group, service, host, metric }: Series): boolean {
    if (report !== undefined) return report === this.report && this.isWanted(group);
    const given = group || (this.only ?? '');
    return (given === '' || this.isWanted(given)) && this.expected?.counts({ service, host, metric }, given) === true;
  }

  /** The groups in which they count, in order. */
  *groupsOf({ report, group, service, host, metric }: Series): Generator<string> {
    if (report === this.report && this.isWanted(group)) yield group;
    if (report !== undefined || !this.expected) return;
    for (const place of this.expected.groupsOf({ service, host, metric }, group || (this.only ?? '')))
      if (this.isWanted(place)) yield place;
  }

  private isWanted(group: string): boolean {
    return this.only === undefined || group === this.only;
  }
}

/** The greatest second of a part's points that the query may want. */
const latestIn = (
  { at, statuses, reports }: PartSummary,
  { report, group: only, wanted }: LatestQuery,
  expected: ExpectedItems | undefined,
): number | undefined => {
  const isOf = (named: string | 0, group: string): boolean =>
    named === 0 ? expected !== undefined : named === report && (only === undefined || group === only);
  if (reports !== 0 && !reports.some(([named, group]) => isOf(named, group))) return undefined;
  if (!wanted || statuses === 0) return at;
  const seconds = statuses.flatMap(([status, second]) => (wanted(status) ? [second] : []));
  return seconds.length > 0 ? Math.max(...seconds) : undefined;
};

/** The points in the format of answers, each in every group in which it counts, which may be many. */
async function* inGroups(day: Day, page: readonly NewestPoint[], placing: Placing, slice: Slice): AsyncGenerator<readonly LatestPoint[]> {
  const bucketOf = new Map(page.map(({ part, bucket }) => [part, bucket]));
  const finder = new TextFinder(async (part: PartPoints) => (bucketOf.get(part) as Bucket).textsOf(part));
  const texts: Texts[] = [];
  for (const { part, number } of page) texts.push(await finder.of(part, number));
  const placed = (function* () {
    for (const [index, { point: found }] of page.entries())
      for (const group of placing.groupsOf(found.series)) {
        const point = latestDocument(day, found, texts[index] as Texts, group);
        yield { point, bytes: Buffer.from(wireText(point, LATEST_DEPTH)) };
      }
  })();
  yield* inPages(placed, ({ bytes }) => bytes.length, slice);
}

/** The newest points of the query, newest first, at most its limit. `expected`: the items of the report, if any point has none. */
export async function* newestInGroups(
  day: ResultDay,
  query: LatestQuery,
  expected: ExpectedItems | undefined,
  slice: Slice,
): AsyncGenerator<readonly LatestPoint[]> {
  const { limit } = query;
  const placing = new Placing(query.report, query.group, expected);
  const isWanted = ({ status }: Point): boolean => query.wanted?.(status) ?? true;
  const series = (one: Series): boolean => placing.counts(one);
  const selects =
    query.group === undefined ? { points: (point: Point) => isWanted(point) && series(point.series) } : { series, points: isWanted };
  const latest = (summary: PartSummary) => latestIn(summary, query, expected);
  let left = limit;
  for await (const page of newestOf(day, { selects, latest, most: Math.min(limit, PAGE.limit) }, slice)) {
    for await (const part of inGroups(day.day, page, placing, slice)) {
      yield part.slice(0, left);
      left -= part.length;
      if (left <= 0) return;
    }
  }
}
