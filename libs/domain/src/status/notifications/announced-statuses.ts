import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { none } from '#domain/shared/resource-change.js';
import { sha256 } from '#domain/shared/sha256.js';

/** A current status: of the group itself if `hostname` is empty, otherwise of an endpoint of it. `since`: `YYYY-MM-DDTHH:MM:SSZ`. */
export type CurrentStatus = Readonly<{ service: string; hostname: string; status: string; since: string }>;

/**
 * The cause of a change, as far as it is known. `metric`: a point of that metric at that very instant; `endpoint`: of a group or service, the
 * endpoint that changed with it; `downtime` and `recomputation`: one of them begins or ends there; `day`: a new day began; `configuration`: none of
 * these, so a profile, the topology or the report was changed, or something came for an earlier time.
 */
export type ChangeCause =
  | Readonly<{ type: 'metric'; metric: string; status: string; timestamp: string }>
  | Readonly<{ type: 'endpoint'; service: string; hostname: string; cause: ChangeCause }>
  | Readonly<{ type: 'recomputation'; id: string }>
  | Readonly<{ type: 'downtime' | 'day' | 'configuration' }>;

/** A status that is another one than was told last. */
type StatusChange = CurrentStatus & Readonly<{ previous: string; cause: ChangeCause }>;

/** Some statuses of a group of a report: `part` is empty for the group itself, otherwise some of its endpoints. */
export type AnnouncedPart = Readonly<{ tenantId: string; reportId: string; group: string; part: string }>;

/** As earlier releases told statuses: each event carries all that was told of its part. `report`: its name. */
export type StatusesNotified = Readonly<{
  type: 'StatusesNotified';
  data: AnnouncedPart & Readonly<{ epoch: number; report: string; statuses: readonly CurrentStatus[]; changes: readonly StatusChange[] }>;
}>;

export const ANNOUNCED_STATUSES_CATEGORY = 'status.told';

export const announcedStatusesEvents: CatalogueOf<StatusesNotified> = { StatusesNotified: { resource: none } };

/** Endpoints of a host always belong to the same of 16 parts of their group. */
export const partOf = (hostname: string): string => (hostname === '' ? '' : sha256(hostname).charAt(0));
