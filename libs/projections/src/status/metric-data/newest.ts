import type { Slice } from '#projections/shared/pages.js';
import type { PartSummary } from '#projections/status/metric-results/documents.js';
import { byTime, type Point, type Series } from '#projections/status/metric-results/point-set.js';
import type { Bucket, PartPoints, ResultDay, WantedPoints } from '#projections/status/metric-results/results-reader.js';

/** Characters of a part that are kept while it is read. */
const MOST_CHARACTERS = 64 * 1024;

/** A point of a bucket, and where its texts are. */
export type NewestPoint = Readonly<{ point: Point; number: number; part: PartPoints; bucket: Bucket }>;

/** A part that is not read yet: none of its points is later than `at`. Or the rest of one that is read, whose next point is `next`. */
type Source =
  | Readonly<{ bucket: Bucket; at: number; part: number }>
  | { bucket: Bucket; read: PartPoints; next: NewestPoint; left: Iterator<NewestPoint> };

const isRead = (source: Source): source is ReadSource => 'read' in source;

/** Whether the first source comes before the other. A part that is not read comes before the points of its greatest second. */
const isBefore = (one: Source, other: Source): boolean => {
  if (isRead(one) && isRead(other)) return byTime(one.next.point, other.next.point) > 0;
  const [at, otherAt] = [isRead(one) ? one.next.point.at : one.at, isRead(other) ? other.next.point.at : other.at];
  return at === otherAt ? !isRead(one) : at > otherAt;
};

/** A binary heap, whose first item comes before all others. */
class Sources {
  private readonly items: Source[] = [];

  get first(): Source | undefined {
    return this.items[0];
  }

  push(source: Source): void {
    let at = this.items.push(source) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  /** Puts another source in the place of the first one, or none. */
  replaceFirst(source: Source | undefined): void {
    const last = source ?? this.items.pop();
    if (last === undefined || (source === undefined && this.items.length === 0)) return;
    this.items[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = right < this.items.length && isBefore(this.items[right] as Source, this.items[left] as Source) ? right : left;
      if (child >= this.items.length || !this.swapIfBefore(child, at)) return;
      at = child;
    }
  }

  private swapIfBefore(child: number, parent: number): boolean {
    const [one, other] = [this.items[child] as Source, this.items[parent] as Source];
    if (!isBefore(one, other)) return false;
    [this.items[parent], this.items[child]] = [one, other];
    return true;
  }
}

type Selected = Readonly<{
  before: WantedPoints['before'];
  /** If few series are wanted: those. */
  series?: ((series: Series) => boolean) | undefined;
  points: (point: Point) => boolean;
}>;

function* pointsOf(bucket: Bucket, part: PartPoints, { series, points }: Selected): Generator<NewestPoint> {
  const { set } = part;
  for (const number of series ? set.newestOf(set.series.filter(series)) : set.newestFirst()) {
    const point = set.point(number);
    if (bucket.shown.has(point.position) && points(point)) yield { point, number, part, bucket };
  }
}

type ReadSource = Extract<Source, { read: PartPoints }>;

/** A part from its newest selected point on. `undefined`: it has none. */
const begun = async (bucket: Bucket, read: PartPoints, selects: Selected): Promise<ReadSource | undefined> => {
  await selects.before?.(read.set);
  const left = pointsOf(bucket, read, selects);
  const { value, done } = left.next();
  return done ? undefined : { bucket, read, next: value, left };
};

/** Without long extras: many parts may be in memory, and these are in no answer. */
const withoutLong = (part: PartPoints): PartPoints =>
  part.set.characters > MOST_CHARACTERS ? { ...part, set: part.set.withoutExtras() } : part;

/** The part from its next point on. */
const advanced = (source: ReadSource): ReadSource | undefined => {
  const { value, done } = source.left.next();
  if (done) return undefined;
  source.next = value;
  return source;
};

type NewestQuery = Readonly<{
  selects: Selected;
  /** Greatest second of the wanted points of a part; `undefined`: it has none. */
  latest: (summary: PartSummary) => number | undefined;
  /** Maximum points of a page. */
  most: number;
}>;

const sourcesOf = async (
  day: ResultDay,
  selects: NewestQuery['selects'],
  latest: NewestQuery['latest'],
  slice: Slice,
): Promise<Sources> => {
  const sources = new Sources();
  for await (const bucket of day.allBuckets(slice)) {
    const open = bucket.open && (await begun(bucket, bucket.open, selects));
    if (open) sources.push(open);
    for (const { part, ...summary } of bucket.closed()) {
      const at = latest(summary);
      if (at !== undefined) sources.push({ bucket, part, at });
    }
  }
  return sources;
};

/**
 * The selected points of a day in pages, newest first, of one second those that are later in the log. Closed parts are read only when their points
 * come next.
 */
export async function* newestOf(
  day: ResultDay,
  { selects, latest, most }: NewestQuery,
  slice: Slice,
): AsyncGenerator<readonly NewestPoint[]> {
  const sources = await sourcesOf(day, selects, latest, slice);
  let page: NewestPoint[] = [];
  for (let first = sources.first; first; first = sources.first) {
    if (isRead(first)) {
      page.push(first.next);
      sources.replaceFirst(advanced(first));
    } else sources.replaceFirst(await begun(first.bucket, withoutLong(await first.bucket.part(first.part)), selects));
    if (page.length >= most) {
      yield page;
      page = [];
    }
    if (slice.isOver) await slice.next();
  }
  if (page.length > 0) yield page;
}
