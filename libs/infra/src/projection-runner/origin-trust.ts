import { ReadGate } from '#infra/log-identity/read-gate.js';
import type { Logger } from '#infra/logging/logger.js';
import type { PositionGate } from './position-gate.js';

/** Whether the served documents are known to come from the log as it was found last, in a form that this version reads. At first they are not. */
export class OriginTrust {
  /** Open while requests may read the documents, also while the log is being examined again. */
  readonly reading: ReadGate;
  private trusted = false;
  private reason: string | null = null;

  constructor(
    private readonly projection: string,
    private readonly gate: PositionGate,
    private readonly log: Pick<Logger, 'info' | 'error'>,
  ) {
    this.reading = new ReadGate(projection);
  }

  get isGiven(): boolean {
    return this.trusted;
  }

  /** Why the documents are not shown; `null`: they are. */
  get mismatch(): string | null {
    return this.reason;
  }

  give(): void {
    const { projection, log } = this;
    if (this.reason !== null) log.info({ projection }, 'the read model is shown again');
    this.reason = null;
    this.trusted = true;
    this.reading.open();
    this.gate.open();
  }

  /** Call it when the log may have been replaced: another log would count its positions from the start. */
  suspend(): void {
    this.trusted = false;
    this.gate.rewind(0n);
  }

  /** The documents come from another log, or cannot be read by this version: nobody may read them any more. */
  withhold(why: string, problem = 'the read model does not come from this log'): void {
    const { projection, log } = this;
    if (this.reason !== why) log.error({ projection, why }, `${problem}: it is not shown until it is built again`);
    this.reason = why;
    this.reading.close(why);
    this.gate.close();
    this.suspend();
  }
}
