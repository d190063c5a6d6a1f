import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { sha256 } from '#domain/shared/sha256.js';
import { byBytes } from '#domain/shared/text-order.js';
import { ANNOUNCED_STATUSES_CATEGORY, type ChangeCause, partOf } from './announced-statuses.js';
import type { NotifiedLevel } from './notification-settings.js';

/** An item of a group with a status: the group itself, a service, an endpoint or a metric. Members that its level does not have are empty. */
export type NotifiedItem = Readonly<{ level: NotifiedLevel; service: string; hostname: string; metric: string }>;

/** `since`: `YYYY-MM-DDTHH:MM:SSZ`. */
export type Status = Readonly<{ status: string; since: string }>;
export type ItemStatus = NotifiedItem & Status;

/** A status with the one before it. */
export type StatusAfter = Status & Readonly<{ previous: string; previousSince: string }>;

/** The metric result that a change came from. What is empty is left out. */
export type ChangeSource = Readonly<{
  service: string;
  hostname: string;
  metric: string;
  monitoringHost?: string;
  summary?: string;
  message?: string;
}>;

/** Statuses from the change on, as far as they are known: of the item, of the items it belongs to, and of the item that caused the change. */
export type ParentStatuses = Readonly<{ group?: StatusAfter; service?: StatusAfter; endpoint?: StatusAfter; metric?: StatusAfter }>;

/** A status that is told. Of one that goes on (`repeat`), `previous` is the same. */
export type FoundChange = ItemStatus &
  StatusAfter &
  Readonly<{
    cause: ChangeCause;
    repeat?: true;
    source?: ChangeSource;
    /** URL of the endpoint (its tag `info_URL`), of endpoints and metrics. */
    url?: string;
    around?: ParentStatuses;
    /** Of a group: its endpoints. Absent where there are too many. */
    endpoints?: readonly Readonly<{ service: string; hostname: string; status: string }>[];
    /** Of an endpoint: its metrics. Absent where there are too many. */
    metrics?: readonly Readonly<{ metric: string; status: string }>[];
  }>;

export type GroupOfReport = Readonly<{ tenantId: string; reportId: string; group: string }>;

/** Findings of a check. `report`: its name. */
export type FoundStatuses = Readonly<{
  report: string;
  /** Seen for the first time: known from now on, and told when they change. */
  seen: readonly ItemStatus[];
  /** Not there any more: not known from now on. */
  gone: readonly NotifiedItem[];
  /** In the order in which they are told. */
  changes: readonly FoundChange[];
}>;

/** `number`: of the group's events of this epoch, from 1. Whoever looked before the one of the number before was recorded has found nothing. */
export type StatusChangesFound = Readonly<{
  type: 'StatusChangesFound';
  data: GroupOfReport & FoundStatuses & Readonly<{ epoch: number; number: number }>;
}>;

/** `after`: number of the last event that whoever looked knew, 0 without any. */
export type RecordStatusChanges = GroupOfReport & FoundStatuses & Readonly<{ type: 'RecordStatusChanges'; epoch: number; after: number }>;

/** All that is told of a group is in one stream, in order. */
export const streamOfStatusChanges = ({ tenantId, reportId, group }: GroupOfReport): string =>
  `${ANNOUNCED_STATUSES_CATEGORY}-${tenantId}.${sha256(JSON.stringify([reportId, group]))}`;

export const statusChangeEvents: CatalogueOf<StatusChangesFound> = { StatusChangesFound: { resource: none } };

/** Of one group. */
export const itemKey = ({ level, service, hostname, metric }: NotifiedItem): string => JSON.stringify([level, service, hostname, metric]);

/** Which part of what is told of a group an item belongs to: few items change at a time, and of large groups only their parts are written. */
export const partOfItem = ({ level, hostname }: NotifiedItem): string => {
  if (level === 'endpoint') return partOf(hostname);
  return level === 'metric' ? `m${sha256(hostname).slice(0, 2)}` : '';
};

/** Changes of one moment: what a status is made of first. */
const ORDER: Readonly<Record<NotifiedLevel, number>> = { metric: 0, endpoint: 1, service: 2, group: 3 };

/** In order of time, then from metrics to the group. */
export const inOrderOfTime = (one: ItemStatus, other: ItemStatus): number =>
  byBytes(one.since, other.since) ||
  ORDER[one.level] - ORDER[other.level] ||
  byBytes(one.service, other.service) ||
  byBytes(one.hostname, other.hostname) ||
  byBytes(one.metric, other.metric);

/**
 * Every change after what was told last, in order. What has become different up to then, because something came late or was changed, counts only if
 * the status of now is another one. `statuses`: all that held, in order, the last one of now; neighbours differ.
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

/** Announced statuses of a group: each change once, whichever node finds it. */
export const statusChanges: Decider<State, RecordStatusChanges, StatusChangesFound> = {
  window: 1,
  initialState: () => ({ epoch: 0, number: 0 }),
  decide: ({ tenantId, reportId, group, report, epoch, after, seen, gone, changes }, state) => {
    if (state.epoch > epoch) return []; // by a node that does not know the settings of now
    const number = state.epoch === epoch ? state.number : 0;
    if (number !== after || seen.length + gone.length + changes.length === 0) return [];
    const found = { report, seen, gone, changes };
    return [{ type: 'StatusChangesFound', data: { tenantId, reportId, group, epoch, number: number + 1, ...found } }];
  },
  evolve: (_state, { data: { epoch, number } }) => ({ epoch, number }),
};
