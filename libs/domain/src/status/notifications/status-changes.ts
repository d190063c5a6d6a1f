import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import { ANNOUNCED_STATUSES_CATEGORY, type ChangeCause, partOf } from './announced-statuses.js';
import type { NotifiedLevel } from './notification-settings.js';

/** An item with a status in a group: the group itself, a service, an endpoint or a metric. Members that do not apply to its level are empty. */
export type NotifiedItem = Readonly<{ level: NotifiedLevel; service: string; hostname: string; metric: string }>;

/** `since`: `YYYY-MM-DDTHH:MM:SSZ`. */
export type Status = Readonly<{ status: string; since: string }>;
export type ItemStatus = NotifiedItem & Status;

export type StatusAfter = Status & Readonly<{ previous: string; previousSince: string }>;

/** The metric result that caused a change. Optional members are absent if empty. */
export type ChangeSource = Readonly<{
  service: string;
  hostname: string;
  metric: string;
  monitoringHost?: string;
  summary?: string;
  message?: string;
}>;

/** Known statuses from the change on: of the item, of the items that contain it, and of the item that caused the change. */
export type ParentStatuses = Readonly<{ group?: StatusAfter; service?: StatusAfter; endpoint?: StatusAfter; metric?: StatusAfter }>;

/** An announced status. If it is repeated (`repeat`), `previous` is the same status. */
export type FoundChange = ItemStatus &
  StatusAfter &
  Readonly<{
    cause: ChangeCause;
    repeat?: true;
    source?: ChangeSource;
    /** URL of the endpoint (its tag `info_URL`), for endpoints and metrics. */
    url?: string;
    around?: ParentStatuses;
    /** For a group: its endpoints. Absent if there are too many. */
    endpoints?: readonly Readonly<{ service: string; hostname: string; status: string }>[];
    /** For an endpoint: its metrics. Absent if there are too many. */
    metrics?: readonly Readonly<{ metric: string; status: string }>[];
  }>;

export type GroupOfReport = Readonly<{ tenantId: string; reportId: string; group: string }>;

/** Result of a check. `report`: its name. */
export type FoundStatuses = Readonly<{
  report: string;
  /** Items found for the first time. Their later changes are announced. */
  seen: readonly ItemStatus[];
  /** Items that no longer exist. */
  gone: readonly NotifiedItem[];
  /** In the order of announcement. */
  changes: readonly FoundChange[];
}>;

/** `number`: number of the group's event in this epoch, from 1. Results of a check that started before the previous event are discarded. */
export type StatusChangesFound = Readonly<{
  type: 'StatusChangesFound';
  data: GroupOfReport & FoundStatuses & Readonly<{ epoch: number; number: number }>;
}>;

/** `after`: number of the last event known to the check, 0 if none. */
export type RecordStatusChanges = GroupOfReport & FoundStatuses & Readonly<{ type: 'RecordStatusChanges'; epoch: number; after: number }>;

/** One stream per group for all its announced statuses, in order. */
export const streamOfStatusChanges = ({ tenantId, reportId, group }: GroupOfReport): string =>
  `${ANNOUNCED_STATUSES_CATEGORY}-${tenantId}.${sha256(JSON.stringify([reportId, group]))}`;

export const statusChangeEvents: CatalogueOf<StatusChangesFound> = { StatusChangesFound: { resource: none } };

export const itemKey = ({ level, service, hostname, metric }: NotifiedItem): string => JSON.stringify([level, service, hostname, metric]);

/** The part of the group's announced statuses to which an item belongs. As few items change at a time, few parts of a large group are written. */
export const partOfItem = ({ level, hostname }: NotifiedItem): string => {
  if (level === 'endpoint') return partOf(hostname);
  return level === 'metric' ? `m${sha256(hostname).slice(0, 2)}` : '';
};

/** Order of simultaneous changes: causes before their effects. */
const ORDER: Readonly<Record<NotifiedLevel, number>> = { metric: 0, endpoint: 1, service: 2, group: 3 };

/** Orders by time, then from metrics to the group. */
export const inOrderOfTime = (one: ItemStatus, other: ItemStatus): number =>
  byBytes(one.since, other.since) ||
  ORDER[one.level] - ORDER[other.level] ||
  byBytes(one.service, other.service) ||
  byBytes(one.hostname, other.hostname) ||
  byBytes(one.metric, other.metric);

/**
 * All changes after the last announced status, in order. Changes before it, caused by late data or changed configuration, count only if the current
 * status differs. `statuses`: the whole history in order, ending with the current status; neighbours differ.
 */
export const changesSince = (told: Status, statuses: readonly Status[]): readonly StatusAfter[] => {
  const changes: StatusAfter[] = [];
  let current = told;
  const add = ({ status, since }: Status): void => {
    changes.push({ status, since, previous: current.status, previousSince: current.since });
    current = { status, since };
  };
  for (const one of statuses) if (one.since > told.since && one.status !== current.status) add(one);
  const last = statuses.at(-1);
  if (last && last.status !== current.status) add(last);
  return changes;
};

type State = Readonly<{ epoch: number; number: number }>;

/** Announced statuses of a group. Each change is recorded once, even if several nodes find it. */
export const statusChanges: Decider<State, RecordStatusChanges, StatusChangesFound> = {
  window: 1,
  initialState: () => ({ epoch: 0, number: 0 }),
  decide: ({ tenantId, reportId, group, report, epoch, after, seen, gone, changes }, state) => {
    if (state.epoch > epoch) return []; // recorded by a node with outdated settings
    const number = state.epoch === epoch ? state.number : 0;
    if (number !== after || seen.length + gone.length + changes.length === 0) return [];
    const found = { report, seen, gone, changes };
    return [{ type: 'StatusChangesFound', data: { tenantId, reportId, group, epoch, number: number + 1, ...found } }];
  },
  evolve: (_state, { data: { epoch, number } }) => ({ epoch, number }),
};
