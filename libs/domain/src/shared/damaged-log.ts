import { EventStoreUnavailable } from './event-store.js';

/** The stored log differs from what was written, because of a disk fault or tampering. Only restoring a backup repairs it. */
export class DamagedLog extends EventStoreUnavailable {
  constructor(where: string, options?: ErrorOptions) {
    super(`the embedded log is damaged at ${where}`, options);
  }
}

/** A stored block is missing or changed. */
export class DamagedBlock extends DamagedLog {
  constructor(
    /** Position of the first event of the block. */
    readonly position: bigint,
    options?: ErrorOptions,
  ) {
    super(`position ${position}`, options);
  }
}
