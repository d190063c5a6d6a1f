import type { Day } from '#domain/shared/time.js';
import { inPages, PAGE, type Slice } from '#projections/shared/pages.js';
import { wireText } from '#projections/status/layout.js';
import type { PartSummary } from '#projections/status/metric-results/documents.js';
import type { Point } from '#projections/status/metric-results/point-set.js';
import type { Bucket, PartPoints, ResultDay } from '#projections/status/metric-results/results-reader.js';
import { LATEST_DEPTH, type LatestDocument, latestDocument } from './answers.js';
import type { OfReport } from './expected-items.js';
import { type NewestPoint, newestOf } from './newest.js';
import { PartFinder } from './part-finder.js';
import { PointGroups } from './point-groups.js';

/** The newest points of a report on a day. `wanted`: selects by status. `limit`: Infinity for all. */
export type LatestQuery = OfReport &
  Readonly<{
    group: string | undefined;
    wanted: ((status: string) => boolean) | undefined;
    limit: number;
  }>;

/** One of the newest points, and its bytes in the format of answers. */
export type LatestPoint = Readonly<{ point: LatestDocument; bytes: Buffer }>;

/** The greatest second of a part's points that the query may want. */
const latestIn = (summary: PartSummary, placing: PointGroups, wanted: LatestQuery['wanted']): number | undefined => {
  const { at, statuses } = summary;
  if (!placing.parts(summary)) return undefined;
  if (!wanted || statuses === 0) return at;
  const seconds = statuses.flatMap(([status, second]) => (wanted(status) ? [second] : []));
  return seconds.length > 0 ? Math.max(...seconds) : undefined;
};

/** The points in the format of answers, each in every group in which it counts, which may be many. */
async function* inGroups(
  day: Day,
  page: readonly NewestPoint[],
  placing: PointGroups,
  slice: Slice,
): AsyncGenerator<readonly LatestPoint[]> {
  const bucketOf = new Map(page.map(({ part, bucket }) => [part, bucket]));
  const finder = new PartFinder(async (part: PartPoints) => (bucketOf.get(part) as Bucket).textsOf(part));
  const placed = (async function* () {
    for (const { point: found, part, number } of page) {
      const texts = await finder.of(part);
      for (const group of placing.groupsOf(found.series)) {
        const point = latestDocument(day, found, texts.of(number), group);
        yield { point, bytes: Buffer.from(wireText(point, LATEST_DEPTH)) };
      }
    }
  })();
  yield* inPages(placed, ({ bytes }) => bytes.length, slice);
}

/** The newest points of the query, newest first, at most its limit. */
export async function* newestInGroups(day: ResultDay, query: LatestQuery, slice: Slice): AsyncGenerator<readonly LatestPoint[]> {
  const { limit, group, wanted } = query;
  const placing = await PointGroups.on(day, query);
  const { before, series } = placing;
  const isWanted = ({ status }: Point): boolean => wanted?.(status) ?? true;
  const points = group === undefined ? (point: Point) => isWanted(point) && series(point.series) : isWanted;
  const selects = { before, points, ...(group !== undefined && { series }) };
  const latest = (summary: PartSummary) => latestIn(summary, placing, wanted);
  let left = limit;
  for await (const page of newestOf(day, { selects, latest, most: Math.min(limit, PAGE.limit) }, slice)) {
    for await (const part of inGroups(day.day, page, placing, slice)) {
      yield part.slice(0, left);
      left -= part.length;
      if (left <= 0) return;
    }
  }
}
