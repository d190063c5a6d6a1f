import type { Day } from '#domain/shared/time.js';
import type { NotifiedLevel } from '#domain/status/notifications/notification-settings.js';
import { type CurrentStatus, partOf } from '#domain/status/notifications/told-statuses.js';
import type { EndpointDay, GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';

/** Statuses of a group that are told together. */
export type PartStatuses = Readonly<{ part: string; statuses: readonly CurrentStatus[] }>;

/** The results of today, and of the day before if it has any. */
export type TwoDays = Readonly<{ today: ResultsDay<GroupDay>; before: ResultsDay<GroupDay> | undefined }>;

/** `YYYY-MM-DDTHH:MM:SSZ` of a second of a day. */
export const instantOf = (day: Day, second: number): string => `${new Date(Date.parse(day) + second * 1_000).toISOString().slice(0, 19)}Z`;

/** The last status, and since when it holds: at most since the day before began. */
const lastOf = (
  today: Timeline,
  day: Day,
  before: Timeline | undefined,
  dayBefore: Day | undefined,
): Pick<CurrentStatus, 'status' | 'since'> => {
  const last = today.at(-1);
  if (!last) throw new Error(`a timeline of ${day} is empty`);
  const earlier = before?.at(-1);
  const goesOn = last.at === 0 && dayBefore !== undefined && earlier?.status === last.status;
  return { status: last.status, since: goesOn ? instantOf(dayBefore, earlier.at) : instantOf(day, last.at) };
};

const endpointsOf = (group: GroupDay | undefined): ReadonlyMap<string, EndpointDay> =>
  new Map(group?.services.flatMap(({ service, endpoints }) => endpoints.map((one) => [JSON.stringify([service, one.host]), one] as const)));

/** The current statuses of a group of today, by part; only of the levels asked for. */
export const statusesOf = (group: GroupDay, { today, before }: TwoDays, levels: readonly NotifiedLevel[]): readonly PartStatuses[] => {
  const earlier = before?.groups.find(({ name }) => name === group.name);
  const last = (timeline: Timeline, old: Timeline | undefined) => lastOf(timeline, today.day, old, before?.day);
  const parts = new Map<string, CurrentStatus[]>();
  if (levels.includes('group')) parts.set('', [{ service: '', hostname: '', ...last(group.timeline, earlier?.timeline) }]);
  if (!levels.includes('endpoint')) return partsIn(parts);
  const old = endpointsOf(earlier);
  for (const { service, endpoints } of group.services) {
    for (const { host: hostname, timeline } of endpoints) {
      const part = partOf(hostname);
      const statuses = parts.get(part) ?? [];
      parts.set(part, statuses);
      statuses.push({ service, hostname, ...last(timeline, old.get(JSON.stringify([service, hostname]))?.timeline) });
    }
  }
  return partsIn(parts);
};

const partsIn = (parts: ReadonlyMap<string, readonly CurrentStatus[]>): readonly PartStatuses[] =>
  Array.from(parts, ([part, statuses]) => ({ part, statuses }));
