import type { Day } from '#domain/shared/time.js';
import type { EndpointPoints } from '#domain/status/results/plan.js';
import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keyOf, keysUnder } from '#projections/shared/key-part.js';
import { type KeyBounds, pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { type ChunkHead, POINTS, pointCollections, type StoredRun } from './documents.js';
import { GatheredPoints, type PointScope } from './gathered.js';

const { chunks, touched, days } = pointCollections;

/** An endpoint independent of groups. */
export type PointsOfEndpoint = Readonly<{ host: string; service: string; points: EndpointPoints }>;

const runsIn = ({ value }: StoredDocument): readonly StoredRun[] => JSON.parse(`[${bodyOf(value).toString('utf8')}]`) as StoredRun[];

/** Gathers endpoints from their chunks, in the order of the chunks. */
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

  /** Endpoints without further chunks. Each is returned once. */
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
 * The points of tenants for computed results. Of several points with the same metric, second, report, group and monitoring host, only the last in the
 * log is returned. All calls throw ReadStoreUnavailable. Work is divided into time slices.
 */
export class PointQueries {
  private readonly view: ReadView;

  /** @param wanted scope of the points. Default: all */
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
   * Adds the points of an endpoint on a day after a position in the log (empty: all). Returns the position of the last one.
   * @throws DomainError `OVER_LIMIT`
   */
  async addAfter(
    gathered: GatheredPoints,
    { tenantId, day, host, service }: Readonly<{ tenantId: string; day: Day; host: string; service: string }>,
    after: string,
    slice: Slice,
  ): Promise<string> {
    const { gte, lt } = keysUnder(tenantId, day, host, service);
    // The key of a closed chunk contains the position of its last point, so all later keys have newer points. No character in a key sorts before a
    // space.
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
   * The points of every endpoint on a day, each endpoint once, in the order of keys made of host and service (`keyOf`). No page is empty.
   * @throws DomainError `OVER_LIMIT` an endpoint has too many points
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

  /** A stamp per day from one day to another (inclusive), changed by every point of the day. Stamps sort like the log. Empty days have none. */
  async stamps(tenantId: string, from: Day, to: Day, slice: Slice): Promise<ReadonlyMap<Day, string>> {
    const stamps = new Map<Day, string>();
    // `:` is the character after the last digit of a day.
    const span = { gte: keyOf(tenantId, from), lt: `${keyOf(tenantId, to)}:` };
    for await (const page of pagesOf(this.view, days.name, span, { slice }))
      for (const document of page) stamps.set(dayIn(document), days.parse(document.value).stamp);
    return stamps;
  }

  /** The days with points, in order. No page is empty. */
  async *days(tenantId: string, slice: Slice): AsyncGenerator<readonly Day[]> {
    for await (const page of pagesOf(this.view, days.name, keysUnder(tenantId), { slice })) yield page.map(dayIn);
  }

  /** The endpoints with points of the day after a stamp. An endpoint that receives points meanwhile may be returned twice. */
  async touchedAfter(
    tenantId: string,
    day: Day,
    stamp: string,
    slice: Slice,
  ): Promise<readonly Readonly<{ host: string; service: string }>[]> {
    const found: Readonly<{ host: string; service: string }>[] = [];
    const { gte, lt } = keysUnder(tenantId, day);
    // Keys after the stamp. No character in a key sorts before a space.
    const after: KeyBounds = { gte: stamp === '' ? gte : `${keyOf(tenantId, day, stamp)} `, lt };
    for await (const page of pagesOf(this.view, touched.name, after, { slice }))
      for (const { value } of page) found.push(touched.parse(value));
    return found;
  }
}
