import type { Day } from '#domain/shared/time.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { ReadModelsUnavailable, type ReadView } from '#projections/shared/read-store.js';
import { placeIn, sequenceOf } from '#projections/status/sequence.js';
import type { BucketLengths } from './bucket-lengths.js';
import { bucketOf } from './buckets.js';
import { decodedPoints, decodedRows, decodedTexts } from './decoded.js';
import { type BucketHead, type DayDocument, type OfBucket, type PartSummary, resultCollections } from './documents.js';
import { PointSet, type PointTexts, type Series } from './point-set.js';
import type { RowPoints } from './rows.js';

const { buckets, parts, texts, days, gone } = resultCollections;

/** Buckets that are read in one call. */
const AT_ONCE = 32;
/** Days that are read in one call. Most calls need the first ones, or those of a month. */
const DAYS_AT_ONCE = 40;

/** The points of a part that is closed or open. `part`: its number; absent if it is open. */
export type PartPoints = Readonly<{ set: PointSet; part?: number }>;

/** Finds the texts of points of a part by their numbers. `characters`: held in memory for it. */
type TextsOfPart = Readonly<{ of: (number: number) => PointTexts; characters: number }>;

/** Selects parts by their summary: those that cannot have a wanted point are not read. */
type SelectPart = (summary: PartSummary) => boolean;

/**
 * Points of one host, or of all; of the selected series; and the parts that may have any. `before`: called with the points of a part before its
 * series are selected.
 */
export type WantedPoints = Readonly<{
  host?: string;
  series?: (series: Series) => boolean;
  parts?: SelectPart;
  before?: (set: PointSet) => Promise<void>;
}>;

/** The points of a series in a part that are shown, by their numbers there. At least one. */
export type ShownSeries = Readonly<{ series: Series; part: PartPoints; numbers: readonly number[] }>;

const everyPart: SelectPart = () => true;
const everySeries = (): boolean => true;

/** Greatest index of a result in its event. */
const MOST_INDEX = 999;

/** Which points a view shows: not those after the position of the view, nor those before the tenant was deleted. */
class Shown {
  constructor(
    private readonly after: number,
    private readonly upTo: number,
  ) {}

  has(position: number): boolean {
    return position > this.after && position <= this.upTo;
  }

  /** The numbers of the points of a series that are shown. */
  of(set: PointSet, { points }: Series): readonly number[] {
    if (this.after < 0 && this.upTo === Number.POSITIVE_INFINITY) return points;
    return points.filter((number) => this.has(set.point(number).position));
  }

  /** Whether any position from one to another may be shown. */
  overlaps(first: number, last: number): boolean {
    return last > this.after && first <= this.upTo;
  }

  /** A stamp that is not after the view. */
  stampOf(last: string): string {
    return placeIn(last).position <= this.upTo ? last : sequenceOf(String(this.upTo), MOST_INDEX);
  }
}

/** The bucket of a day as one read found it. Its closed parts never change, so they may be read later. */
export class Bucket {
  constructor(
    private readonly view: ReadView,
    readonly of: OfBucket,
    private readonly head: BucketHead,
    private readonly rows: RowPoints | undefined,
    readonly shown: Shown,
  ) {}

  get open(): PartPoints | undefined {
    return this.rows && { set: this.rows.set };
  }

  /** Numbers of the closed parts, each with its summary, which it may share with neighbours. */
  *closed(selects: SelectPart = everyPart): Generator<PartSummary & Readonly<{ part: number }>> {
    let part = 0;
    for (const summary of this.head) {
      if (selects(summary)) for (let number = part; number < part + summary.parts; number++) yield { ...summary, part: number };
      part += summary.parts;
    }
  }

  /** A closed part by its number; `undefined`: the open one, if there is one. */
  async part(part: number | undefined): Promise<PartPoints> {
    if (part === undefined) return this.open ?? { set: new PointSet() };
    const { collection, key } = parts.at({ ...this.of, part });
    const stored = await this.view.get(collection, key);
    if (!stored) throw new ReadModelsUnavailable(`part ${key} is not there`); // another build is served by now
    return { set: decodedPoints(key, parts.parse(stored)), part };
  }

  /** All parts with wanted points: closed ones first. */
  async *parts(slice: Slice, selects: SelectPart = everyPart): AsyncGenerator<PartPoints> {
    for (const { part } of this.closed(selects)) {
      yield await this.part(part);
      if (slice.isOver) await slice.next();
    }
    if (this.open) yield this.open;
  }

  /** The wanted points that are shown, in no particular order, part by part. */
  async *points(
    { host, series: isWanted = everySeries, parts: selects, before }: WantedPoints,
    slice: Slice,
  ): AsyncGenerator<readonly ShownSeries[]> {
    for await (const part of this.parts(slice, selects)) {
      await before?.(part.set);
      const found: ShownSeries[] = [];
      for (const series of part.set.seriesFor(host)) {
        const numbers = isWanted(series) ? this.shown.of(part.set, series) : [];
        if (numbers.length > 0) found.push({ series, part, numbers });
      }
      if (found.length > 0) yield found;
      if (slice.isOver) await slice.next();
    }
  }

  async textsOf({ set, part }: PartPoints): Promise<TextsOfPart> {
    if (part === undefined) return { of: (number) => (this.rows as RowPoints).textsOf(number), characters: 0 };
    const { collection, key } = texts.at({ ...this.of, part });
    const stored = await this.view.get(collection, key);
    if (!stored) throw new ReadModelsUnavailable(`texts of part ${key} are not there`);
    const { all, characters } = decodedTexts(key, texts.parse(stored), set);
    return { of: (number) => all[number] as PointTexts, characters };
  }
}

/** A day of a tenant. */
export class ResultDay {
  constructor(
    private readonly view: ReadView,
    private readonly of: Readonly<{ tenantId: string; day: Day }>,
    private readonly document: DayDocument,
    private readonly shown: Shown,
  ) {}

  get day(): Day {
    return this.of.day;
  }

  get count(): number {
    return this.document.buckets;
  }

  /** Whether any shown point of the day has no report. */
  get hasCommon(): boolean {
    const { common } = this.document;
    return common !== undefined && this.shown.overlaps(common, placeIn(this.document.stamp).position);
  }

  async bucketOf(host: string): Promise<Bucket> {
    const [bucket] = await this.buckets([bucketOf(this.of.tenantId, host, this.count)]);
    return bucket as Bucket;
  }

  /** Buckets by their numbers, in this order. */
  async buckets(numbers: readonly number[]): Promise<readonly Bucket[]> {
    const keys = this.keysOf(numbers);
    const stored = await this.view.getMany(buckets.name, keys);
    return numbers.map((bucket, index) => {
      const [head, rows] = [stored[2 * index], stored[2 * index + 1]];
      const open = rows ? decodedRows(keys[2 * index + 1] as string, rows) : undefined;
      return new Bucket(this.view, { ...this.of, bucket }, head ? (JSON.parse(head.toString()) as BucketHead) : [], open, this.shown);
    });
  }

  /** All buckets. */
  async *allBuckets(slice: Slice): AsyncGenerator<Bucket> {
    for await (const numbers of this.numbers(slice)) yield* await this.buckets(numbers);
  }

  /** The numbers of the buckets that have other documents than when they were last looked at. No documents are read. */
  async *changed(known: BucketLengths, slice: Slice): AsyncGenerator<readonly number[]> {
    for await (const numbers of this.numbers(slice)) {
      const lengths = await this.view.lengths(buckets.name, this.keysOf(numbers));
      yield numbers.filter((bucket, index) => known.differ(bucket, lengths[2 * index] ?? 0, lengths[2 * index + 1] ?? 0));
    }
  }

  /**
   * The wanted points of the day that are shown, in no particular order.
   * @param known if given, only buckets are read that have other documents than when they were last looked at with it
   */
  async *points(wanted: WantedPoints, slice: Slice, known?: BucketLengths): AsyncGenerator<readonly ShownSeries[]> {
    for await (const numbers of known ? this.changed(known, slice) : this.numbers(slice))
      for (const bucket of await this.buckets(numbers)) yield* bucket.points(wanted, slice);
  }

  /** Position of the day's last shown point, or one after it. It sorts like the log, and changes with each point. */
  get stamp(): string {
    return this.shown.stampOf(this.document.stamp);
  }

  /** Keys of head and rows of each bucket. */
  private keysOf(numbers: readonly number[]): readonly string[] {
    return numbers.flatMap((bucket) => (['head', 'rows'] as const).map((part) => buckets.at({ ...this.of, bucket, part }).key));
  }

  /** The numbers of all buckets, as many at a time as are read in one call. */
  private async *numbers(slice: Slice): AsyncGenerator<readonly number[]> {
    for (let start = 0; start < this.count; start += AT_ONCE) {
      const length = Math.min(AT_ONCE, this.count - start);
      yield Array.from({ length }, (_, index) => start + index);
      if (slice.isOver) await slice.next();
    }
  }
}

/** Reads the points of tenants: as of now, or as of the position of the view. */
export class ResultsReader {
  constructor(private readonly view: ReadView) {}

  /** `undefined`: the day has no points. */
  async day(tenantId: string, day: Day): Promise<ResultDay | undefined> {
    const document = await days.get(this.view, { tenantId, day });
    return document && this.shownDay(tenantId, day, document, await this.shown(tenantId));
  }

  /** The days with points from one day to another, both inclusive, in order, a few at a time. */
  async *days(
    tenantId: string,
    slice: Slice,
    { from, to }: Readonly<{ from?: Day | undefined; to?: Day | undefined }> = {},
  ): AsyncGenerator<readonly ResultDay[]> {
    const { gte, lt } = keysUnder(tenantId);
    // `:` is the character after the last digit of a day.
    const span = { gte: from === undefined ? gte : `${gte}${from}`, lt: to === undefined ? lt : `${gte}${to}:` };
    const shown = this.shown(tenantId);
    shown.catch(() => undefined); // is thrown below, unless the first page is
    for await (const page of pagesOf(this.view, days.name, span, { slice, most: DAYS_AT_ONCE })) {
      const marks = await shown;
      const found = page.flatMap(({ key, value }) => this.shownDay(tenantId, key.slice(-10), days.parse(value), marks) ?? []);
      if (found.length > 0) yield found;
    }
  }

  private shownDay(tenantId: string, day: Day, document: DayDocument, shown: Shown): ResultDay | undefined {
    return shown.overlaps(document.first, placeIn(document.stamp).position)
      ? new ResultDay(this.view, { tenantId, day }, document, shown)
      : undefined;
  }

  private async shown(tenantId: string): Promise<Shown> {
    const { asOf } = this.view;
    const upTo = asOf === undefined ? Number.POSITIVE_INFINITY : Number(asOf);
    const deleted = await gone.get(this.view, tenantId);
    return new Shown(deleted && deleted.position <= upTo ? deleted.position : -1, upTo);
  }
}
