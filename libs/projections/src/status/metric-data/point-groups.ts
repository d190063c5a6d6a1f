import type { PartSummary } from '#projections/status/metric-results/documents.js';
import type { Series } from '#projections/status/metric-results/point-set.js';
import type { ResultDay, WantedPoints } from '#projections/status/metric-results/results-reader.js';
import type { ExpectedItems, FindExpectedItems } from './expected-items.js';

/** A report, by id, on a day. `group`: only points in this group are wanted; `undefined`: all. */
type Placed = Readonly<{ report: string; group: string | undefined; expecting: FindExpectedItems }>;

/**
 * Assigns the points of a day to groups of a report (results contract 1). A point with the report is in the group that it contains, or else in those
 * that expect it; if there are none, in the group `''`, which is part of the lists of all groups. A point without a report is in the groups that
 * expect it.
 */
export class PointGroups implements WantedPoints {
  /** @param expected absent as long as no point needs it. Until then, points without a report do not count */
  constructor(
    private readonly of: Placed,
    private expected?: ExpectedItems,
  ) {}

  static async on(day: ResultDay, of: Placed): Promise<PointGroups> {
    return new PointGroups(of, day.hasCommon ? await of.expecting() : undefined);
  }

  /** Whether a part may have points that count. */
  readonly parts = ({ reports }: PartSummary): boolean => reports === 0 || reports.some(([report, group]) => this.mayCount(report, group));

  /** Looks up the expected items before the points of a part are selected, if any of them needs these. */
  readonly before: WantedPoints['before'] = async ({ ungrouped }) => {
    if (ungrouped.has(this.of.report)) this.expected ??= await this.of.expecting();
  };

  /** Whether points of a series are in any wanted group. */
  readonly series = (one: Series): boolean => {
    const { report, group } = one;
    if (report !== undefined && report !== this.of.report) return false;
    if (group !== '' && !this.isWanted(group)) return false;
    return (report !== undefined && (group !== '' || this.of.group === undefined)) || this.isExpected(one);
  };

  /** Whether the topology determines the groups of a series that counts. */
  isExpanded(one: Series): boolean {
    return (one.report === undefined || one.group === '') && this.isExpected(one);
  }

  /** The wanted groups of a series that counts, in order. */
  *groupsOf(one: Series): Generator<string> {
    if (this.isExpanded(one)) yield* (this.expected as ExpectedItems).groupsOf(one, this.givenOf(one));
    else yield one.group;
  }

  private isExpected(one: Series): boolean {
    return this.expected?.counts(one, this.givenOf(one)) === true;
  }

  private givenOf({ group }: Series): string {
    return group || (this.of.group ?? '');
  }

  private mayCount(report: string | 0, group: string): boolean {
    const isOf = report === 0 ? this.expected !== undefined : report === this.of.report;
    return isOf && (group === '' || this.isWanted(group));
  }

  private isWanted(group: string): boolean {
    return this.of.group === undefined || group === this.of.group;
  }
}
