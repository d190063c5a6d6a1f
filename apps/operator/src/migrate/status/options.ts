import type { Migration } from '../migration.js';

/** Options of `logbook migrate status`. */
export type StatusOptions = Readonly<{
  /** Name of the core database. */
  core?: string;
  /** Profiles of before 2020, which have no day, are taken over as of this day. */
  baseDay?: string;
  /** Writes the topology of every day, also where it is that of the day before. */
  everyDay?: boolean;
  /** Takes the statuses of metrics that the original has computed as metric data. */
  points?: boolean;
}>;

export type StatusMigration = Migration<StatusOptions>;
