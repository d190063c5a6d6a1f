import type { Command } from 'commander';
import type { Migration } from './migration.js';
import type { ExportedFile } from './read/exported-files.js';
import type { MigrationVerification } from './verification.js';

/** How the data of one original service become Logbook's. */
export type MigrationPlan<Options extends object = object> = Readonly<{
  service: 'messaging' | 'accounting' | 'status';
  /** The files that are taken, of all that were found. @throws CommandFailed there are none, or it is not clear which */
  select(files: readonly ExportedFile[], options: Options): readonly ExportedFile[];
  /** How often a file is read, the verification left out, and 0 for one that is not taken: for the progress that is shown. */
  readings(file: ExportedFile, options: Options): number;
  /** Collections that are taken, and that the verification does not read. */
  uncompared: readonly string[];
  /** Brings everything over, in an order in which what is referred to comes first. */
  run(migration: Migration<Options>): Promise<void>;
  /** Compares what the queries answer with the files. Comes after `run`, in the same process, when the read models of the service are built. */
  verify(verification: MigrationVerification<Options>): Promise<void>;
}>;

/** The same before its modules are loaded: what the command line knows of it. */
export type PlanEntry = Readonly<{
  service: MigrationPlan['service'];
  /** Data that is taken over. */
  description: string;
  /** Declares options of its own. */
  configure?(command: Command): void;
  load(): Promise<MigrationPlan>;
}>;
