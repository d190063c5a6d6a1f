import type { EventCatalogue } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { sha256 } from '#domain/shared/sha256.js';

/** A current status: of the group itself if `hostname` is empty, otherwise of an endpoint of it. `since`: `YYYY-MM-DDTHH:MM:SSZ`. */
export type CurrentStatus = Readonly<{ service: string; hostname: string; status: string; since: string }>;

/**
 * What a change came from, as far as it can be told. `metric`: a point of that metric at that very instant; `endpoint`: of a group, the endpoint that
 * changed with it; `downtime` and `recomputation`: one of them begins or ends there; `day`: a new day began; `configuration`: none of these, so a
 * profile, the topology or the report was changed, or something came for an earlier time.
 */
export type ChangeCause =
  | Readonly<{ type: 'metric'; metric: string; status: string; timestamp: string }>
  | Readonly<{ type: 'endpoint'; service: string; hostname: string; cause: ChangeCause }>
  | Readonly<{ type: 'recomputation'; id: string }>
  | Readonly<{ type: 'downtime' | 'day' | 'configuration' }>;

/** A status that is another one than was told last. */
export type StatusChange = CurrentStatus & Readonly<{ previous: string; cause: ChangeCause }>;

/** Some statuses of a group of a report that are told together: `part` is empty for the group itself, otherwise some of its endpoints. */
export type ToldPart = Readonly<{ tenantId: string; reportId: string; group: string; part: string }>;

/** Each event carries all that was told of its part, so the last one is enough to go on. `report`: its name. */
export type StatusesNotified = Readonly<{
  type: 'StatusesNotified';
  data: ToldPart & Readonly<{ epoch: number; report: string; statuses: readonly CurrentStatus[]; changes: readonly StatusChange[] }>;
}>;

/** `causes`: by {@link statusKey}, of statuses that differ. */
export type NotifyStatuses = ToldPart &
  Readonly<{
    type: 'NotifyStatuses';
    epoch: number;
    report: string;
    statuses: readonly CurrentStatus[];
    causes: ReadonlyMap<string, ChangeCause>;
  }>;

export const TOLD_STATUSES_CATEGORY = 'status.told';
/** One stream for each part: long lists of endpoints are divided, so that no event gets large, and parts do not wait for each other. */
export const streamOfToldStatuses = ({ tenantId, reportId, group, part }: ToldPart): string =>
  `${TOLD_STATUSES_CATEGORY}-${tenantId}.${sha256(JSON.stringify([reportId, group, part]))}`;

export const toldStatusesEvents: EventCatalogue = { StatusesNotified: {} };

/** Endpoints of a host always belong to the same of 16 parts of their group. */
export const partOf = (hostname: string): string => (hostname === '' ? '' : sha256(hostname).charAt(0));

/** Of one part. */
export const statusKey = ({ service, hostname }: Pick<CurrentStatus, 'service' | 'hostname'>): string =>
  JSON.stringify([service, hostname]);

/** What was told of a part; `null`: nothing yet. */
export type Told = Readonly<{ epoch: number; statuses: readonly CurrentStatus[] }> | null;

/** The statuses that differ from what was told in the same epoch; what was not told before is none of them. */
export const differing = (
  told: Told,
  epoch: number,
  statuses: readonly CurrentStatus[],
): readonly (CurrentStatus & { previous: string })[] => {
  if (told?.epoch !== epoch) return [];
  const known = new Map(told.statuses.map((one) => [statusKey(one), one.status]));
  return statuses.flatMap((one) => {
    const previous = known.get(statusKey(one));
    return previous === undefined || previous === one.status ? [] : [{ ...one, previous }];
  });
};

/** Whether there is anything to record: a change, or a status that was not there or is gone. Statuses are in the same order always. */
export const isNews = (told: Told, epoch: number, statuses: readonly CurrentStatus[]): boolean =>
  told?.epoch !== epoch ||
  told.statuses.length !== statuses.length ||
  statuses.some((one, index) => {
    const before = told.statuses[index];
    return before?.status !== one.status || statusKey(before) !== statusKey(one);
  });

const UNKNOWN_CAUSE: ChangeCause = { type: 'configuration' };

/**
 * What was told of the statuses of a part: a change is told once, and what is seen for the first time is only remembered. So the first look after
 * notifications were turned on tells nothing, nor does an endpoint that is new.
 */
export const toldStatuses: Decider<Told, NotifyStatuses, StatusesNotified> = {
  window: 1,
  initialState: () => null,
  decide: ({ tenantId, reportId, group, part, epoch, report, statuses, causes }, told) => {
    if (told && told.epoch > epoch) return []; // by a node that does not know the settings of now
    if (!isNews(told, epoch, statuses)) return [];
    const changes = differing(told, epoch, statuses).map((one) => ({ ...one, cause: causes.get(statusKey(one)) ?? UNKNOWN_CAUSE }));
    return [{ type: 'StatusesNotified', data: { tenantId, reportId, group, part, epoch, report, statuses, changes } }];
  },
  evolve: (_told, { data: { epoch, statuses } }) => ({ epoch, statuses }),
};
