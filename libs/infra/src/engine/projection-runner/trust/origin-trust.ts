import type { Position } from '#domain/shared/events.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { OriginVerdict } from '#infra/stores/log-identity/namespace-origin.js';
import { ReadGate } from '#infra/stores/log-identity/read-gate.js';

/** Time after the start during which writers wait for documents that catch up. Later they get the answer at once that these are behind. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Records whether the served documents are known to come from the log as last found, in a form that this version reads, and to show all of
 * it. Initially they are not.
 */
export class OriginTrust {
  /** Open while requests may read the documents, even while the log is being checked again. */
  readonly reading: ReadGate;
  private trusted = false;
  private reason: string | null = null;
  private building = false;
  private lacking = false;
  private wasShown = false;
  private readonly createdAt = performance.now();

  constructor(
    private readonly projection: string,
    private readonly gate: PositionGate,
    private readonly log: Pick<Logger, 'info' | 'warn' | 'error'>,
    /** Called when the documents are gone or show less than before, whatever was known of their progress. */
    private readonly onLost: () => void,
  ) {
    this.reading = new ReadGate(projection);
  }

  get isGiven(): boolean {
    return this.trusted;
  }

  /** Returns whether the documents are gone, or are known not to show the whole log, and are filled or replaced. */
  get isLacking(): boolean {
    return this.lacking;
  }

  /** Returns whether this process has not shown the documents yet. Until then it is not ready: another release may still serve. */
  get isOpening(): boolean {
    return !this.wasShown;
  }

  /** Reason why the documents are hidden: they do not come from this log. `null`: they do, or this is not known. */
  get mismatch(): string | null {
    return this.reason;
  }

  /**
   * Records that the documents come from this log. They are shown once they are complete; documents shown before stay visible.
   * @param shown position that readers had been shown before the check
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
    if (!this.lacking || this.isStarting) this.gate.open();
  }

  /** The log answers again, and may be another one: no read is allowed before the documents were checked. */
  hold(): void {
    if (!this.trusted) this.reading.hold('the log was away, and it is not known yet whether they come from it');
  }

  /** Records that the documents, which another version maintains, come from the log that was checked. */
  release({ checkpoint }: Pick<OriginVerdict, 'checkpoint'>): void {
    this.trusted = true;
    if (this.isLess(checkpoint, this.reading.shown)) this.lose();
    else this.reading.resume();
  }

  /**
   * Called after a batch was applied to the documents. Hidden ones are shown once they show the whole log, and all writes that this process
   * has promised since. Writers do not wait for long catch-ups.
   * @param caughtUp whether the batch reached the head of the log
   */
  advance(caughtUp: boolean): void {
    const { reading, gate, trusted } = this;
    if (!trusted) return;
    if (caughtUp) gate.open(); // also of documents that are shown already: they may have been shown as they were
    if (reading.isOpen) return;
    if (!caughtUp && !this.isStarting) gate.close();
    if (!caughtUp || gate.isOwing) return;
    this.building = false;
    this.show();
  }

  /** The documents will not advance for a while, so they are shown as they are, unless they have never shown the whole log. */
  settle(): void {
    if (this.trusted && !this.building) this.show();
  }

  /** Records that the served documents show everything up to the checkpoint. */
  raise(checkpoint: Position): void {
    this.reading.raise(checkpoint);
  }

  /** Returns whether readers would see less at a checkpoint. It was read after `shown`, because commits may have been reported since. */
  isLess(checkpoint: Position, shown: Position): boolean {
    return checkpoint < shown && checkpoint < this.reading.shown;
  }

  /** The documents are gone, or show less than before: they are hidden until they show everything again. */
  lose(): void {
    const { projection, log, reading, gate } = this;
    this.onLost();
    this.lacking = true;
    reading.resume(); // this supersedes the reason of the hold
    if (!reading.isOpen) return;
    log.warn({ projection }, 'the read model was lost, or shows less than before: it is not shown until it has caught up');
    reading.close('they do not show the whole log yet');
    gate.close();
  }

  /** Must be called when the log may have been replaced, because another log would count positions from the start. */
  suspend(): void {
    this.trusted = false;
    this.gate.rewind(0n);
  }

  /** Hides documents that come from another log, or cannot be read by this version. */
  withhold(why: string, problem = 'the read model does not come from this log'): void {
    const { projection, log } = this;
    if (this.reason !== why) log.error({ projection, why }, `${problem}: it is not shown until it is built again`);
    this.reason = why;
    this.lacking = true;
    this.reading.close(why);
    this.reading.lower(0n);
    this.gate.close();
    this.suspend();
  }

  private get isStarting(): boolean {
    return performance.now() - this.createdAt <= LONGEST_WAIT_MS;
  }

  private show(): void {
    const { projection, log, reading } = this;
    if (this.reason !== null) log.info({ projection }, 'the read model is shown again');
    this.reason = null;
    this.lacking = false;
    this.wasShown = true;
    if (!reading.isOpen) reading.open();
  }
}
