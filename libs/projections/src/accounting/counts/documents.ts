import { collection } from '#projections/shared/collection.js';
import { SHARED } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const COUNTS = 'accounting.counts';

/** Number of clients registered on each UTC day. */
export const clients = collection<number>('actors', { owner: SHARED });
/** Number of existing metric definitions by the UTC day of their creation. */
export const definitions = collection<number>('definitions', { owner: SHARED });

export const countCollections = [clients, definitions] as const;
