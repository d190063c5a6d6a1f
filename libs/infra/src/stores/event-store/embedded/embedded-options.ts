import type { DamagedLog } from '#domain/shared/damaged-log.js';
import type { Disk } from './storage/disk-room.js';

/** After this time the outcome of an append counts as unknown. */
export const APPEND_TIMEOUT_MS = 10_000;
export const DEFAULT_RESERVE_BYTES = 64 * 2 ** 20;

export type EmbeddedEventStoreOptions = Readonly<{
  /** Directory of the log, used for nothing else. Created if missing. */
  path: string;
  /** Opens the log, which must exist, for reads and subscriptions only: in the process that writes, or while no process writes. Default false. */
  readOnly?: boolean;
  /** Checks all records of a log that was not closed properly, and refuses to open a damaged one. Default true. */
  inspects?: boolean;
  /** Appends are refused if they would leave less free space than this in the file system. Default 64 MiB. */
  freeSpaceReserveBytes?: number;
  /** Keeps expired events until they are chained, even before the first one is. Default false: only if there are leaves. */
  chained?: boolean;
  /** File system of the directory. Default: the real one. */
  disk?: Disk;
  /** Receives sentences for the operator about the opening. Default: `process.emitWarning`. */
  report?: (message: string) => void;
  /** Called once when damage is found. From then on the log refuses appends; undamaged events can still be read. */
  onDamage?: (error: DamagedLog) => void;
}>;
