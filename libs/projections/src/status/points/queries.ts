import type { Day } from '#domain/shared/time.js';
import type { EndpointPoints } from '#domain/status/results/plan.js';
import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { type KeyBounds, pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { type ChunkHead, POINTS, pointCollections, type StoredRun } from './documents.js';
import { GatheredPoints, type PointScope } from './gathered.js';

const { chunks, touched, days } = pointCollections;

/** An endpoint wherever groups do not matter. */
export type PointsOfEndpoint = Readonly<{ host: string; service: string; points: EndpointPoints }>;

const runsIn = ({ value }: StoredDocument): readonly StoredRun[] => JSON.parse(`[${bodyOf(value).toString('utf8')}]`) as StoredRun[];

/** Endpoints gathered from their chunks, in the order in which these come. */
class Endpoints {
  private readonly before: PointsOfEndpoint[] = [];
  private open: Readonly<{ host: string; service: string; gathered: GatheredPoints }> | undefined;

  constructor(private readonly wanted: PointScope) {}

  add(chunk: StoredDocument): void {
    const { host, service } = headOf<ChunkHead>(chunk.value);
    if (!this.open || this.open.host !== host || this.open.service !== service) {
      const last = this.last();
      if (last) this.before.push(last);
      this.open = { host, service, gathered: new GatheredPoints(this.wanted) };
    }
    this.open.gathered.add(runsIn(chunk));
  }

  /** Those of which no more chunks come, each once. */
  complete(): readonly PointsOfEndpoint[] {
    return this.before.splice(0);
  }

  last(): PointsOfEndpoint | undefined {
    return this.open && { host: this.open.host, service: this.open.service, points: this.open.gathered.all() };
  }
}

/** The day in a key of `days`. */
const dayIn = ({ key }: StoredDocument): Day => key.slice(-10);

/**
 * The points of tenants, as computed results need them: of several that came for one metric and second with the same report, group and monitoring
 * host, only the last in the log. All calls throw ReadStoreUnavailable; work is done in slices of time.
 */
export class PointQueries {
  private readonly view: ReadView;

  /** @param wanted of the points, default all */
  constructor(
    store: Pick<ReadStore, 'view'>,
    private readonly wanted: PointScope = 'all',
  ) {
    this.view = store.view(POINTS);
  }

  /** Empty if there are none. @throws DomainError `OVER_LIMIT` */
  async ofEndpoint(tenantId: string, day: Day, host: string, service: string, slice: Slice): Promise<EndpointPoints> {
    const gathered = new GatheredPoints(this.wanted);
    for await (const page of pagesOf(this.view, chunks.name, keysUnder(tenantId, day, host, service), { slice })) {
      for (const chunk of page) {
        gathered.add(runsIn(chunk));
        if (slice.isOver) await slice.next();
      }
    }
    return gathered.all();
  }

  /**
   * Adds the points of an endpoint on a day that came after a place in the log, empty: all. Returns the place of the last one.
   * @throws DomainError `OVER_LIMIT`
   */
  async addAfter(
    gathered: GatheredPoints,
    { tenantId, day, host, service }: Readonly<{ tenantId: string; day: Day; host: string; service: string }>,
    after: string,
    slice: Slice,
  ): Promise<string> {
    const { gte, lt } = keysUnder(tenantId, day, host, service);
    // Closed chunks are found by the place of their last point: all of those behind have newer ones. No character of a key sorts before a space.
    const newer: KeyBounds = { gte: after === '' ? gte : `${keyOf(tenantId, day, host, service, after)} `, lt };
    let last = after;
    for await (const page of pagesOf(this.view, chunks.name, newer, { slice }))
      for (const chunk of page) {
        const { stamp } = headOf<ChunkHead>(chunk.value);
        if (stamp <= after) continue;
        gathered.add(runsIn(chunk), after);
        if (stamp > last) last = stamp;
        if (slice.isOver) await slice.next();
      }
    return last;
  }

  /**
   * The points of every endpoint that has some on the day, each endpoint once, in the order of the keys made of host and service (`keyOf`).
   * No page is empty.
   * @throws DomainError `OVER_LIMIT` an endpoint has too many
   */
  async *ofDay(tenantId: string, day: Day, slice: Slice): AsyncGenerator<readonly PointsOfEndpoint[]> {
    const endpoints = new Endpoints(this.wanted);
    for await (const page of pagesOf(this.view, chunks.name, keysUnder(tenantId, day), { slice })) {
      for (const chunk of page) {
        endpoints.add(chunk);
        if (slice.isOver) await slice.next();
      }
      const complete = endpoints.complete();
      if (complete.length > 0) yield complete;
    }
    const last = endpoints.last();
    if (last) yield [last];
  }

  /**
   * A stamp for each day from one to another, both included, that changes with every point of the day. Stamps sort as the log does.
   * Days without points are left out.
   */
  async stamps(tenantId: string, from: Day, to: Day, slice: Slice): Promise<ReadonlyMap<Day, string>> {
    const stamps = new Map<Day, string>();
    // `:` follows the last digit of a day.
    const span = { gte: keyOf(tenantId, from), lt: `${keyOf(tenantId, to)}:` };
    for await (const page of pagesOf(this.view, days.name, span, { slice }))
      for (const document of page) stamps.set(dayIn(document), days.parse(document.value).stamp);
    return stamps;
  }

  /** The days that have points, in order. No page is empty. */
  async *days(tenantId: string, slice: Slice): AsyncGenerator<readonly Day[]> {
    for await (const page of pagesOf(this.view, days.name, keysUnder(tenantId), { slice })) yield page.map(dayIn);
  }

  /** The endpoints of which points of the day came after a stamp of it. One that gets more meanwhile may come twice. */
  async touchedAfter(
    tenantId: string,
    day: Day,
    stamp: string,
    slice: Slice,
  ): Promise<readonly Readonly<{ host: string; service: string }>[]> {
    const found: Readonly<{ host: string; service: string }>[] = [];
    const { gte, lt } = keysUnder(tenantId, day);
    // Keys behind the stamp: no character of a key sorts before a space.
    const after: KeyBounds = { gte: stamp === '' ? gte : `${keyOf(tenantId, day, stamp)} `, lt };
    for await (const page of pagesOf(this.view, touched.name, after, { slice }))
      for (const { value } of page) found.push(touched.parse(value));
    return found;
  }
}
