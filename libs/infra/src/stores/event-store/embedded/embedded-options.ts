import type { DamagedLog } from '#domain/shared/damaged-log.js';
import type { Disk } from './storage/disk-room.js';

/** After this time the outcome of an append counts as unknown. */
export const APPEND_TIMEOUT_MS = 10_000;
export const DEFAULT_RESERVE_BYTES = 64 * 2 ** 20;

export type EmbeddedEventStoreOptions = Readonly<{
  /** Directory of the log, used for nothing else. Created if missing. */
  path: string;
  /** Opens the log for reads and subscriptions only, beside a process that writes. The log must exist. Default false. */
  readOnly?: boolean;
  /** Whether records are checked before the log is opened, where it was not closed in order: a damaged one is refused then. Default true. */
  inspects?: boolean;
  /** Appends are refused if they would leave less free space than this in the file system. Default 64 MiB. */
  freeSpaceReserveBytes?: number;
  /** Expired events stay until they are chained, also before the first one is. Default false: only where there are leaves. */
  chained?: boolean;
  /** File system of the directory. Default: the real one. */
  disk?: Disk;
  /** Receives, as a sentence, what the operator has to know of the opening. Default: `process.emitWarning`. */
  report?: (message: string) => void;
  /** Called once when the log turns out to be damaged. From then on it takes no appends; what reads well is still read. */
  onDamage?: (error: DamagedLog) => void;
}>;
