import { byBytes } from '#domain/shared/text/text-order.js';
import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import { type AnyDayList, type DayDeleted, type DayListed } from '#domain/status/day-lists/day-lists.js';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import { queriesOf } from '#projections/shared/queries.js';
import { DAY_LISTS, dayListCollections, type GapsDocument, gaps, type ListGap } from './documents.js';

/** Maximum time that a list may be missing before it counts as deleted. Clients replace a list by deleting and writing it again. */
const GAP_MS = 60_000;
/** Maximum time of a look at statuses: one that began before midnight is concerned by other days. */
const LOOK_MS = 3_600_000;
/** Maximum stored gaps per tenant. */
const MOST = 100;

const NO_GAPS: GapsDocument = { begun: 0, recent: [] };

/** Kinds of lists on which statuses depend. */
const KINDS = [topologyEndpoints, topologyGroups, downtimes].map(({ kind }) => kind);

/** `time`: time of the event, ISO 8601. `hasEndpoints`: whether the day has a list of endpoints. */
type GapEvent = Readonly<{ list: AnyDayList; data: DayListed<object> | DayDeleted; time: string; hasEndpoints: boolean }>;

const gapOf = ({ list, data, hasEndpoints }: GapEvent): string | undefined => {
  if (!('items' in data)) return list.kind;
  // A report uses the endpoints of the same day as its groups.
  return list.kind === topologyGroups.kind && data.part === data.parts - 1 && !hasEndpoints ? topologyEndpoints.kind : undefined;
};

type DaySpan = Readonly<{ from: Day; to: Day }>;

const concerns = ({ kind, date }: Pick<ListGap, 'kind' | 'date'>, { from, to }: DaySpan): boolean =>
  date <= to && (kind !== downtimes.kind || date >= from);

/** Days on whose statuses an event may have an effect, while looks at today and the day before are under way or the gap is open. */
const daysAround = (time: string): DaySpan => {
  const now = Date.parse(time);
  return { from: dayBefore(dayAt(now - LOOK_MS)), to: dayAt(now + GAP_MS) };
};

/** Gaps of a tenant after an event. Those that concern other days are left out. `undefined`: unchanged. */
export const gapsAfter = (event: GapEvent, { begun, recent }: GapsDocument = NO_GAPS): GapsDocument | undefined => {
  const { list, data, time } = event;
  if (!KINDS.includes(list.kind)) return undefined;
  const closes = 'items' in data && data.part === data.parts - 1;
  const after = recent.map((gap): ListGap => (closes && isOf(gap, list.kind, data.date) ? { ...gap, closed: true } : gap));
  const kind = gapOf(event);
  if (kind !== undefined && concerns({ kind, date: data.date }, daysAround(time))) {
    const others = after.filter((gap) => Date.parse(time) - Date.parse(gap.since) < LOOK_MS && !isOf(gap, kind, data.date));
    const all = [...others, { kind, date: data.date, number: begun + 1, since: time }];
    // The lists with the latest dates count.
    return { begun: begun + 1, recent: all.sort((one, other) => byBytes(one.date, other.date)).slice(-MOST) };
  }
  return recent.some((gap, index) => gap.closed !== after[index]?.closed) ? { begun, recent: after } : undefined;
};

const isOf = (gap: ListGap, kind: string, date: Day): boolean => gap.kind === kind && gap.date === date;

/** The lists on which statuses of these days depend. `since`: day of the first topology list. `number`: of the last gap before a look at them. */
type Look = Readonly<{ tenantId: string; span: DaySpan; since: Day; number: number }>;

const groupDays = dayListCollections(topologyGroups).days;

/** Lists that are being replaced by deleting them and writing them again. */
export class GapQueries extends queriesOf(DAY_LISTS) {
  /**
   * Begins a look at the statuses of these days. `undefined`: a list on which they depend was deleted less than {@link GAP_MS} ago and is not there
   * again. A topology list before the groups that are valid on the first day does not count.
   */
  async begin(tenantId: string, span: DaySpan, now: number): Promise<Look | undefined> {
    const bounds = { gte: groupDays.key({ tenantId, date: '' }), lte: groupDays.key({ tenantId, date: span.from }) };
    const [groups] = await this.view.range(groupDays.name, { ...bounds, reverse: true, limit: 1 });
    const since = groups?.key.slice(tenantId.length + 1) ?? '';
    const { begun, recent } = await this.of(tenantId);
    const isOpen = (gap: ListGap): boolean => !gap.closed && now - Date.parse(gap.since) < GAP_MS;
    return recent.some((gap) => isOpen(gap) && counts(gap, span, since)) ? undefined : { tenantId, span, since, number: begun };
  }

  /** Whether all lists on which the statuses depend were there since the look began. */
  async holds({ tenantId, span, since, number }: Look): Promise<boolean> {
    const { recent } = await this.of(tenantId);
    return !recent.some((gap) => gap.number > number && counts(gap, span, since));
  }

  /** A document of a version before 7 has no `recent`: none are known until this version is built. */
  private async of(tenantId: string): Promise<GapsDocument> {
    const found: Partial<GapsDocument> | undefined = await gaps.get(this.view, tenantId);
    return { ...NO_GAPS, ...found };
  }
}

const counts = (gap: ListGap, span: DaySpan, since: Day): boolean =>
  concerns(gap, span) && (gap.kind === downtimes.kind || gap.date >= since);
