import { sha256 } from '#domain/shared/bytes/sha256.js';

/**
 * Cause of a change, as far as known. `metric`: a point of that metric at the same instant. `endpoint`: for a group or service, the endpoint that
 * changed at the same instant. `downtime`, `recomputation`: one that begins or ends then. `day`: a new day began. `configuration`: none of these,
 * that is, a profile, the topology or the report changed, or data for an earlier time arrived.
 */
export type ChangeCause =
  | Readonly<{ type: 'metric'; metric: string; status: string; timestamp: string }>
  | Readonly<{ type: 'endpoint'; service: string; hostname: string; cause: ChangeCause }>
  | Readonly<{ type: 'recomputation'; id: string }>
  | Readonly<{ type: 'downtime' | 'day' | 'configuration' }>;

/** Some statuses of a group of a report. `part`: empty for the group itself, otherwise one of the parts of its endpoints. */
export type AnnouncedPart = Readonly<{ tenantId: string; reportId: string; group: string; part: string }>;

export const ANNOUNCED_STATUSES_CATEGORY = 'status.told';

/** The endpoints of each group are divided into 16 parts by host. */
export const partOf = (hostname: string): string => (hostname === '' ? '' : sha256(hostname).charAt(0));
