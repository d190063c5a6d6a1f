import {
  changesSince,
  type ItemStatus,
  inOrderOfTime,
  itemKey,
  type NotifiedItem,
  type StatusAfter,
} from '#domain/status/notifications/status-changes.js';
import type { AnnouncedDocument, AnnouncedStatus } from '#projections/status/notifications/queries.js';
import { type EndpointName, endpointName } from './endpoint-metrics.js';
import { type ItemSteps, lastOf } from './item-steps.js';

/** Maximum time by which the clock of the node that announced a status counts as ahead. A day that far ahead has no data yet. */
const MOST_AHEAD_MS = 86_400_000;

/** Last announced statuses of a group, by {@link itemKey}. `number`: of the last event of the group. */
export type AnnouncedStatuses = Readonly<{ statuses: ReadonlyMap<string, AnnouncedStatus>; number: number }>;

export type NewStatus = ItemStatus & StatusAfter & Readonly<{ repeat?: true }>;

type StatusDelta = Readonly<{ seen: readonly ItemStatus[]; gone: readonly NotifiedItem[]; changes: readonly NewStatus[] }>;

/** `unread`: endpoints whose metrics have not changed since the last check. `now`: milliseconds since 1970. */
type StatusCheck = Readonly<{ unread: ReadonlySet<string>; now: number; repeatSeconds: number | undefined }>;

/** Statuses of a group that were announced in this epoch. */
export const announcedStatuses = (documents: readonly AnnouncedDocument[], epoch: number): AnnouncedStatuses => {
  const current = documents.filter((one) => one.epoch === epoch);
  return {
    statuses: new Map(current.flatMap(({ statuses }) => statuses.map((one) => [itemKey(one), one] as const))),
    number: current.find(({ part }) => part === '')?.number ?? 0,
  };
};

/** Whether the status was announced by a clock ahead of this one. */
const isAhead = ({ since }: ItemStatus, now: number): boolean => {
  const ahead = Date.parse(since) - now;
  return ahead > 0 && ahead < MOST_AHEAD_MS;
};

/**
 * Until when the same statuses make no difference to announced ones, if they make none now: then one is repeated, or the time of one that was announced
 * by a clock ahead of this one has come. Milliseconds since 1970.
 */
export const sameUntil = (
  { statuses }: Pick<AnnouncedStatuses, 'statuses'>,
  { now, repeatSeconds }: Pick<StatusCheck, 'now' | 'repeatSeconds'>,
): number => {
  let until = Number.POSITIVE_INFINITY;
  for (const one of statuses.values()) {
    if (isAhead(one, now)) until = Math.min(until, Date.parse(one.since));
    if (repeatSeconds !== undefined) until = Math.min(until, Date.parse(one.told) + repeatSeconds * 1_000);
  }
  return until;
};

const isUnread = ({ level, ...endpoint }: NotifiedItem & EndpointName, unread: ReadonlySet<string>): boolean =>
  level === 'metric' && unread.has(endpointName(endpoint));

/**
 * Items of a group that differ from the announced statuses. An item seen for the first time is recorded without being announced. A status that was
 * announced by a clock ahead of this one counts until its time has come.
 */
export const statusDelta = (
  { statuses: known }: AnnouncedStatuses,
  items: readonly ItemSteps[],
  { unread, now, repeatSeconds }: StatusCheck,
): StatusDelta => {
  const seen: ItemStatus[] = [];
  const changes: NewStatus[] = [];
  const same = new Set<string>();
  const there = new Set<string>();
  for (const one of items) {
    const key = itemKey(one.item);
    there.add(key);
    const before = known.get(key);
    if (!before) {
      seen.push(lastOf(one));
      continue;
    }
    const found = isAhead(before, now) ? [] : changesSince(before, one.steps);
    if (found.length === 0) same.add(key);
    for (const change of found) changes.push({ ...one.item, ...change });
  }
  const stays = (status: NotifiedItem): boolean => isUnread(status, unread);
  const gone = [...known].flatMap(([key, status]) => (there.has(key) || stays(status) ? [] : [itemOf(status)]));
  const isDue = (told: string): boolean => repeatSeconds !== undefined && Date.parse(told) + repeatSeconds * 1_000 <= now;
  const repeats = [...known].flatMap(([key, { told, ...status }]): readonly NewStatus[] =>
    isDue(told) && (same.has(key) || stays(status))
      ? [{ ...status, previous: status.status, previousSince: status.since, repeat: true }]
      : [],
  );
  return { seen, gone, changes: [...changes.sort(inOrderOfTime), ...repeats.sort(inOrderOfTime)] };
};

const itemOf = ({ level, service, hostname, metric }: NotifiedItem): NotifiedItem => ({ level, service, hostname, metric });
