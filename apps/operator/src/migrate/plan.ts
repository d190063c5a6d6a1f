import type { Command } from 'commander';
import type { Migration } from './migration.js';
import type { ExportedFile } from './read/exported-files.js';
import type { MigrationVerification } from './verification.js';

/** Describes how the data of one original service become Logbook's. */
export type MigrationPlan<Options extends object = object, Found = unknown> = Readonly<{
  service: 'messaging' | 'accounting' | 'status';
  /** Selects the files to take over among all files found. @throws CommandFailed there are none, or the choice is ambiguous */
  select(files: readonly ExportedFile[], options: Options): readonly ExportedFile[];
  /** Number of times that a file is read, without the verification; 0 if it is not taken over. Used for the displayed progress. */
  readings(file: ExportedFile, options: Options): number;
  /** Collections taken over that the verification does not read. */
  uncompared: readonly string[];
  /** Findings of a run, empty at its beginning. */
  findings(): Found;
  /** Takes over everything, in an order in which referenced records come first. */
  run(migration: Migration<Options, Found>): Promise<void>;
  /** Compares the answers of the queries with the files. Runs after `run`, in its process, when the service's read models are built. */
  verify(verification: MigrationVerification<Options, Found>): Promise<void>;
}>;

/** A plan before its modules are loaded: the part needed by the command line. */
export type PlanEntry = Readonly<{
  service: MigrationPlan['service'];
  /** Data that is taken over. */
  description: string;
  /** Declares options of its own. */
  configure?(command: Command): void;
  load(): Promise<MigrationPlan>;
}>;
