import { DamagedLog } from '#domain/shared/damaged-log.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Environment } from '#infra/platform/lmdb/environment.js';

/** Reads of an open log, and the damage found in it. */
export class LogReads {
  private found: DamagedLog | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly path: string,
    /** Called once. */
    private readonly onDamage: ((damage: DamagedLog) => void) | undefined,
  ) {}

  /** `undefined` if no damage was found. */
  get damage(): DamagedLog | undefined {
    return this.found;
  }

  /** All reads of one call see one state of the log, the newest of any process. @throws EventStoreUnavailable */
  run<Result>(work: () => Result): Result {
    try {
      this.environment.root.resetReadTxn();
      return work();
    } catch (error) {
      this.note(error);
      if (error instanceof EventStoreUnavailable) throw error;
      throw new EventStoreUnavailable('the embedded log cannot be read', { cause: error });
    }
  }

  /** Records damage; ignores other errors. */
  note(error: unknown): void {
    if (this.found || !(error instanceof DamagedLog)) return;
    this.found = error;
    this.environment.distrust();
    this.onDamage?.(error);
  }

  /** @param obstacle returns why nothing can be appended. @throws EventStoreUnavailable damage, or the obstacle */
  requireRoom(obstacle: () => string | undefined): void {
    const why = this.found ? 'it is damaged' : obstacle();
    if (why) throw new EventStoreUnavailable(`the embedded log in ${this.path} takes no events: ${why}`, { cause: this.found });
  }
}
