import type { Day } from '#domain/shared/time.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { inPages, pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { wireText } from '#projections/status/layout.js';
import { LATEST_DEPTH, type LatestDocument, metricCollections, NO_REPORT } from './documents.js';
import type { ExpectedItems, FindExpectedItems } from './expected-items.js';

const { latest } = metricCollections;

type OfDay = Readonly<{ tenantId: string; day: Day }>;

/** `place`: time of day and position in the log, which sort in this order. */
type PlacedPoint = Readonly<{ place: string; point: LatestDocument; bytes: Buffer }>;

/** Time of day and position in the log, from the end of a key. */
export const placeIn = ({ key }: StoredDocument): string => key.slice(key.lastIndexOf('/', key.lastIndexOf('/') - 1) + 1);

/** Points without a report, as shown in one report on one day: those of expected items, in the groups in which they count. */
export class CommonPoints {
  constructor(
    private readonly view: ReadView,
    private readonly of: OfDay,
    private readonly expected: ExpectedItems,
    private readonly slice: Slice,
  ) {}

  /** `undefined`: there are no such points on the day, or the day cannot be computed. */
  static async on(view: ReadView, of: OfDay, expecting: FindExpectedItems, slice: Slice): Promise<CommonPoints | undefined> {
    const [any] = await view.range(latest.name, { ...keysUnder(of.tenantId, NO_REPORT, of.day), limit: 1 });
    const expected = any && (await expecting());
    return expected && new CommonPoints(view, of, expected, slice);
  }

  /** Newest first. @param group restricts the points to this group */
  async *latest(wanted: (status: string) => boolean, group: string | undefined): AsyncGenerator<readonly PlacedPoint[]> {
    const day = keysUnder(this.of.tenantId, NO_REPORT, this.of.day);
    for await (const page of pagesOf(this.view, latest.name, day, { slice: this.slice, reverse: true })) {
      yield* inPages(this.placed(page, wanted, group), ({ bytes }) => bytes.length, this.slice);
    }
  }

  /** Yields each point once per group in which it counts. `only`: restricts the groups to this one. */
  private *placed(page: readonly StoredDocument[], wanted: (status: string) => boolean, only: string | undefined): Generator<PlacedPoint> {
    for (const document of page) {
      const point = latest.parse(document.value);
      const { endpoint_group: given, service, endpoint: host, metric, status } = point;
      if (!wanted(status)) continue;
      const place = placeIn(document);
      for (const group of this.expected.groupsOf({ service, host, metric }, given || (only ?? ''))) {
        if (only !== undefined && group !== only) continue;
        const inGroup = { ...point, endpoint_group: group };
        const bytes = group === given ? document.value : Buffer.from(wireText(inGroup, LATEST_DEPTH));
        yield { place, point: inGroup, bytes };
      }
    }
  }
}
