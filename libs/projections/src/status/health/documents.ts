import type { Verdict } from '#domain/status/health/health.js';
import { collection } from '#projections/shared/collection.js';

/** Name of the read model. */
export const HEALTH = 'status.health';

/** The only partition of the read model. */
export const HEALTH_PARTITION = 'health';

/** `at`: `YYYY-MM-DDTHH:MM:SS.sssZ`. */
type Said = Verdict & Readonly<{ at: string }>;

/** The last automatic check and the last acknowledgement. */
export type HealthDocument = Readonly<{ check: Said; acknowledgement?: Said & Readonly<{ timeoutHours: number }> }>;

export const healthCollections = {
  /** One document, `global`. Absent before the first check. */
  records: collection<HealthDocument, 'global'>('health', { owner: { by: 'collection', partition: HEALTH_PARTITION } }),
} as const;
