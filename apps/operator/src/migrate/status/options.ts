import type { Migration } from '../migration.js';

export type StatusOptions = Readonly<{
  /** Name of the core database. */
  core?: string;
  /** Day for profiles from before 2020, which have none. */
  baseDay?: string;
  /** Writes the topology of every day, even if it equals that of the previous day. */
  everyDay?: boolean;
  /** Takes computed statuses of metrics as metric data. */
  points?: boolean;
}>;

export type StatusMigration = Migration<StatusOptions>;
