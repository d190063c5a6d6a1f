import { type Day, dayBefore } from '#domain/shared/time.js';
import type { PointsOfDays } from '#domain/status/results/compute-endpoint.js';
import { endpointKey } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import { GatheredPoints } from '#projections/status/metric-results/gathered.js';
import type { PointQueries } from '#projections/status/metric-results/point-queries.js';

type Growing = Readonly<{ gathered: GatheredPoints; last: string }>;

/** `size`: number of points counted. */
type Known = Readonly<{ today: Growing; before: Growing; size: number }>;

type Endpoint = Readonly<{ host: string; service: string }>;

/** Maximum points in memory, of a day and the day before: about 150 MB. Beyond it they are read each time. */
const MOST_POINTS = 1_000_000;

/** Points of endpoints that still receive some: only newer ones are read. Reading costs five times as much as computing. */
export class GrowingPoints {
  private readonly known = new Map<string, Known>();
  private count = 0;
  private isFull = false;

  constructor(
    private readonly points: Pick<PointQueries, 'addAfter'>,
    private readonly tenantId: string,
    private readonly day: Day,
  ) {}

  /** Number of points in memory. */
  get size(): number {
    return this.count;
  }

  /** The points of an endpoint on the day and the day before. They are valid until its next call. @throws as PointQueries */
  async of({ host, service }: Endpoint, slice: Slice): Promise<PointsOfDays> {
    const key = endpointKey(service, host);
    const known = this.known.get(key);
    this.forget(key); // after an error it is unknown which points were added
    const today = await this.grown(known?.today ?? nothing(), this.day, { host, service }, slice);
    const before = await this.grown(known?.before ?? nothing(), dayBefore(this.day), { host, service }, slice);
    this.keep(key, { today, before, size: today.gathered.weight + before.gathered.weight });
    return { today: today.gathered.all(), before: before.gathered.all() };
  }

  private async grown({ gathered, last }: Growing, day: Day, { host, service }: Endpoint, slice: Slice): Promise<Growing> {
    const { tenantId, points } = this;
    return { gathered, last: await points.addAfter(gathered, { tenantId, day, host, service }, last, slice) };
  }

  private keep(key: string, known: Known): void {
    if (this.isFull) return;
    this.known.set(key, known);
    this.count += known.size;
    if (this.count <= MOST_POINTS) return;
    this.isFull = true;
    this.known.clear();
    this.count = 0;
  }

  private forget(key: string): void {
    this.count -= this.known.get(key)?.size ?? 0;
    this.known.delete(key);
  }
}

const nothing = (): Growing => ({ gathered: new GatheredPoints('all'), last: '' });
