import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import { type AnyDayList, type DayDeleted, type DayListed } from '#domain/status/day-lists/day-lists.js';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import { queriesOf } from '#projections/shared/queries.js';
import { DAY_LISTS, type Gap, type GapsDocument, gaps } from './documents.js';

/** Maximum time that a list may be missing before it counts as deleted. Clients replace a list by deleting and writing it again. */
const GAP_MS = 60_000;
/** Maximum time of a look at statuses: one that began before midnight is concerned by other days. */
const LOOK_MS = 3_600_000;
/** Maximum stored gaps per tenant. */
const MOST = 100;

const NO_GAPS: GapsDocument = { begun: 0, open: [] };

/** Kinds of lists on which statuses depend. */
const KINDS = [topologyEndpoints, topologyGroups, downtimes].map(({ kind }) => kind);

/** `time`: time of the event, ISO 8601. `hasEndpoints`: whether the day has a list of endpoints. */
type GapEvent = Readonly<{ list: AnyDayList; data: DayListed<object> | DayDeleted; time: string; hasEndpoints: boolean }>;

const gapOf = ({ list, data, hasEndpoints }: GapEvent): string | undefined => {
  if (!('items' in data)) return list.kind;
  // A report uses the endpoints of the same day as its groups.
  return list.kind === topologyGroups.kind && data.part === data.parts - 1 && !hasEndpoints ? topologyEndpoints.kind : undefined;
};

const concerns = ({ kind, date }: Pick<Gap, 'kind' | 'date'>, { from, to }: Readonly<{ from: Day; to: Day }>): boolean =>
  date <= to && (kind !== downtimes.kind || date >= from);

/** Days on whose statuses an event may have an effect, while looks at today and the day before are under way or the gap is open. */
const daysAround = (time: string): Readonly<{ from: Day; to: Day }> => {
  const now = Date.parse(time);
  return { from: dayBefore(dayAt(now - LOOK_MS)), to: dayAt(now + GAP_MS) };
};

/** Gaps of a tenant after an event. Those that concern other days are left out. `undefined`: unchanged. */
export const gapsAfter = (event: GapEvent, before: GapsDocument = NO_GAPS): GapsDocument | undefined => {
  const { list, data, time } = event;
  if (!KINDS.includes(list.kind)) return undefined;
  const closes = 'items' in data && data.part === data.parts - 1;
  const kind = gapOf(event);
  const open = before.open.filter(
    (gap) => Date.parse(time) - Date.parse(gap.since) < GAP_MS && !(closes && gap.kind === list.kind && gap.date === data.date),
  );
  if (kind !== undefined && concerns({ kind, date: data.date }, daysAround(time)))
    return { begun: before.begun + 1, open: [...open, { kind, date: data.date, since: time }].slice(-MOST) };
  return open.length === before.open.length ? undefined : { ...before, open };
};

/** Lists that are being replaced by deleting them and writing them again. */
export class GapQueries extends queriesOf(DAY_LISTS) {
  /**
   * Number of gaps in a tenant's lists so far that concerned the statuses of their time. `undefined`: a gap is open that may affect statuses of
   * these days, for at most {@link GAP_MS}. Data read between two calls with the same result was read without gaps.
   */
  async begun(tenantId: string, span: Readonly<{ from: Day; to: Day }>, now: number): Promise<number | undefined> {
    const { begun, open } = (await gaps.get(this.view, tenantId)) ?? NO_GAPS;
    return open.some((gap) => now - Date.parse(gap.since) < GAP_MS && concerns(gap, span)) ? undefined : begun;
  }
}
