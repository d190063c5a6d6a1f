import { collection } from '#projections/shared/collection.js';
import { SHARED } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const COUNTS = 'accounting.counts';

/** By UTC day: how many clients were registered. */
export const clients = collection<number>('actors', { owner: SHARED });
/** By UTC day: how many of the metric definitions created on it are left. */
export const definitions = collection<number>('definitions', { owner: SHARED });

/** Every collection of the read model. */
export const countCollections = [clients, definitions] as const;
