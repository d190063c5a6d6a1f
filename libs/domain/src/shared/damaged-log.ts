import { EventStoreUnavailable } from './event-store.js';

/** The log does not read as it was written: the disk, or somebody, changed it. Only a backup mends it. */
export class DamagedLog extends EventStoreUnavailable {
  constructor(where: string, options?: ErrorOptions) {
    super(`the embedded log is damaged at ${where}`, options);
  }
}

/** A stored block is missing or changed. */
export class DamagedBlock extends DamagedLog {
  constructor(
    /** Position of its first event. */
    readonly position: bigint,
    options?: ErrorOptions,
  ) {
    super(`position ${position}`, options);
  }
}
