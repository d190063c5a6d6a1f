import type { EventCatalogue } from '#domain/shared/catalogue.js';

export const LOG_CATEGORY = 'ops.log';

/** Facts about the log itself, copied with it. Its events never expire. */
export const LOG_STREAM = `${LOG_CATEGORY}-global`;

/** The first event of {@link LOG_STREAM}: `installation` is the UUID that this log and its copies have in common. */
export type InstallationFounded = Readonly<{ installation: string }>;

/**
 * `LogOpened`: a process is about to write. Of two copies of a log that were both written to, each has an opening that the other one lacks,
 * right behind what they have in common.
 */
export const logEvents: EventCatalogue = { InstallationFounded: {}, LogOpened: {} };
