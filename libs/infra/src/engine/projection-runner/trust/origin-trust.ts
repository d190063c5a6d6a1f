import type { Position } from '#domain/shared/events.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { OriginVerdict } from '#infra/stores/log-identity/namespace-origin.js';
import { ReadGate } from '#infra/stores/log-identity/read-gate.js';

/** So soon after the start writers wait for documents that are being caught up; later they are told at once that these are behind. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Whether the served documents are known to come from the log as it was found last, in a form that this version reads, and to show all of it. At
 * first they are not.
 */
export class OriginTrust {
  /** Open while requests may read the documents, also while the log is being examined again. */
  readonly reading: ReadGate;
  private trusted = false;
  private reason: string | null = null;
  private building = false;
  private readonly createdAt = performance.now();

  constructor(
    private readonly projection: string,
    private readonly gate: PositionGate,
    private readonly log: Pick<Logger, 'info' | 'warn' | 'error'>,
  ) {
    this.reading = new ReadGate(projection);
  }

  get isGiven(): boolean {
    return this.trusted;
  }

  /** Why the documents are not shown: they do not come from this log. `null`: they do, or it is not known. */
  get mismatch(): string | null {
    return this.reason;
  }

  /**
   * The documents come from this log. They are shown once they are whole; those that readers have been shown before stay so.
   * @param shown what readers had been shown before the documents were examined
   */
  give({ checkpoint, building }: Pick<OriginVerdict, 'checkpoint' | 'building'>, shown: Position): void {
    const { reading } = this;
    this.trusted = true;
    this.building = building;
    const isLess = this.isLess(checkpoint, shown);
    if (building || isLess) this.lose();
    if (isLess) reading.lower(checkpoint);
    else reading.raise(checkpoint);
    reading.resume();
    this.gate.open();
  }

  /** The log answers again, and may be another one: nobody may read before the documents were examined. */
  hold(): void {
    if (!this.trusted) this.reading.hold('the log was away, and it is not known yet whether they come from it');
  }

  /** The documents, which another version keeps, come from the log that was held for. */
  release({ checkpoint }: Pick<OriginVerdict, 'checkpoint'>): void {
    this.trusted = true;
    if (this.isLess(checkpoint, this.reading.shown)) this.lose();
    else this.reading.resume();
  }

  /**
   * A batch was applied to the documents. Those that are not shown yet are shown once they show the whole log, and what writers of this process have
   * been promised since. Writers do not wait for what takes long.
   * @param caughtUp the batch reached the head of the log
   */
  advance(caughtUp: boolean): void {
    const { reading, gate, trusted } = this;
    if (reading.isOpen || !trusted) return;
    if (caughtUp) gate.open();
    else if (performance.now() - this.createdAt > LONGEST_WAIT_MS) gate.close();
    if (!caughtUp || gate.isOwing) return;
    this.building = false;
    this.show();
  }

  /** The documents will not show more for a while: they are shown as they are, unless they have never shown the whole log. */
  settle(): void {
    if (this.trusted && !this.building) this.show();
  }

  /** The served documents show everything up to the checkpoint. */
  raise(checkpoint: Position): void {
    this.reading.raise(checkpoint);
  }

  /** Whether a checkpoint means that readers would see less. It was read after `shown`: commits may have been reported since. */
  isLess(checkpoint: Position, shown: Position): boolean {
    return checkpoint < shown && checkpoint < this.reading.shown;
  }

  /** The documents are gone, or show less than before: nobody may read them until they show everything again. */
  lose(): void {
    const { projection, log, reading, gate } = this;
    reading.resume(); // what is known now goes beyond what was held for
    if (!reading.isOpen) return;
    log.warn({ projection }, 'the read model was lost, or shows less than before: it is not shown until it has caught up');
    reading.close('they do not show the whole log yet');
    gate.close();
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
    this.reading.lower(0n);
    this.gate.close();
    this.suspend();
  }

  private show(): void {
    const { projection, log, reading } = this;
    if (this.reason !== null) log.info({ projection }, 'the read model is shown again');
    this.reason = null;
    if (!reading.isOpen) reading.open();
  }
}
