import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { EndpointPoints, MetricPoint } from '#domain/status/results/plan.js';
import { isLater, type LogPlace } from '#projections/status/sequence.js';
import { originOf, type Point } from './point-set.js';
import type { ShownSeries } from './results-reader.js';

/** Number of a metric's points at which superseded ones are removed. Repeated each time that the number has doubled. */
const MANY = 10_000;

const inOrder = (left: MetricPoint, right: MetricPoint): number =>
  left.at - right.at || left.position - right.position || left.index - right.index;

const originText = ({ origin: { report = '', group = '', monitoringHost = '' } }: MetricPoint): string =>
  JSON.stringify([report, group, monitoringHost]);

/**
 * Removes points that are followed by another one with the same second, report, group and monitoring host. The second one counts wherever the first
 * does, and supersedes it (results contract 1). `points` are in order.
 */
const withoutSuperseded = (points: readonly MetricPoint[]): MetricPoint[] => {
  const kept: MetricPoint[] = [];
  let seen: Set<string> | undefined;
  for (let index = points.length - 1; index >= 0; index--) {
    const point = points[index] as MetricPoint;
    const later = points[index + 1];
    if (later?.at !== point.at) seen = undefined;
    else {
      seen ??= new Set([originText(later)]);
      const origin = originText(point);
      if (seen.has(origin)) continue;
      seen.add(origin);
    }
    kept.push(point);
  }
  return kept.reverse();
};

/** Number of gathered points, and characters of their actual data. */
type Amount = { count: number; size: number };

class MetricPoints {
  private list: MetricPoint[] = [];
  private size = 0;
  private sorted = true;
  private repeated = false;
  private lookAt = MANY;

  /** Adds or subtracts the amount of this metric. */
  change(amount: Amount, sign: 1 | -1): void {
    amount.count += sign * this.list.length;
    amount.size += sign * this.size;
  }

  add(point: MetricPoint): void {
    const last = this.list.at(-1);
    if (last && last.at >= point.at) {
      this.repeated ||= last.at === point.at;
      this.sorted &&= inOrder(last, point) < 0;
    }
    this.list.push(point);
    this.size += point.actualData?.length ?? 0;
    if (this.list.length >= this.lookAt) {
      this.settle();
      this.lookAt = Math.max(MANY, 2 * this.list.length);
    }
  }

  /** The points in order, without superseded ones. */
  settle(): readonly MetricPoint[] {
    const repeated = this.repeated || !this.sorted;
    if (!this.sorted) this.list.sort(inOrder);
    if (repeated) {
      this.list = withoutSuperseded(this.list);
      this.size = this.list.reduce((sum, { actualData }) => sum + (actualData?.length ?? 0), 0);
    }
    this.sorted = true;
    this.repeated = false;
    return this.list;
  }
}

/** Returns the same string object for equal texts, to save memory. */
class Texts {
  private readonly known = new Map<string, string>();
  size = 0;

  of(text: string): string {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    this.known.set(text, text);
    this.size += text.length;
    return text;
  }
}

/** Whether points include actual data, which may be long. */
export type PointScope = 'all' | 'without-data';

/** The points of one endpoint on one day, gathered from its chunks. */
export class GatheredPoints {
  private readonly metrics = new Map<string, MetricPoints>();
  private readonly texts = new Texts();
  private readonly amount: Amount = { count: 0, size: 0 };

  constructor(private readonly of: PointScope) {}

  /** Number of points, plus one per 128 bytes of long texts. */
  get weight(): number {
    return this.amount.count + Math.ceil((this.amount.size + this.texts.size) / 128);
  }

  /**
   * Adds points of a series of the endpoint.
   * @param after skips points up to this place in the log, which have been added before
   * @returns the last added one in the log; `undefined` if there is none
   */
  add({ series, part, numbers }: ShownSeries, after?: LogPlace): Point | undefined {
    const origin = originOf(series, (text) => this.texts.of(text));
    const list = getOrInsert(this.metrics, series.metric, () => new MetricPoints());
    list.change(this.amount, -1);
    let last: Point | undefined;
    let [given, status] = ['', ''];
    for (const number of numbers) {
      const point = part.set.point(number);
      if (after && !isLater(point, after)) continue;
      const { at, position, index, extras } = point;
      if (point.status !== given) [given, status] = [point.status, this.texts.of(point.status)];
      const actualData = this.of === 'all' ? extras?.actual_data : undefined;
      list.add(actualData === undefined ? { at, status, position, index, origin } : { at, status, position, index, origin, actualData });
      if (!last || isLater(point, last)) last = point;
    }
    list.change(this.amount, 1);
    return last;
  }

  /** @throws DomainError `OVER_LIMIT` the endpoint has more points than can be computed */
  check(): void {
    if (this.amount.count > STATUS_LIMITS.pointsPerEndpoint.value) throw overLimit('pointsPerEndpoint');
    if (this.amount.size + this.texts.size > STATUS_LIMITS.pointsSize.value) throw overLimit('pointsSize');
  }

  /** By metric, in order of time, then of the log. The result is invalid once more points are added. */
  all(): EndpointPoints {
    return new Map(
      Array.from(this.metrics, ([metric, points]) => {
        points.change(this.amount, -1);
        const settled = points.settle();
        points.change(this.amount, 1);
        return [metric, settled];
      }),
    );
  }
}
