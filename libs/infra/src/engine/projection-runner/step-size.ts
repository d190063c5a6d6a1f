/** Number of events per step. It is halved repeatedly to find the event whose step is refused. */
export class StepSize {
  /** Reason why the last step was refused. */
  refusal: unknown;
  private most = Number.POSITIVE_INFINITY;

  /** Returns whether a step of a single event was refused. */
  get isRefused(): boolean {
    return this.most < 1;
  }

  /** The events of the next step: at least one, if there are any. */
  first<Event>(events: readonly Event[]): readonly Event[] {
    return this.most < events.length ? events.slice(0, Math.max(1, this.most)) : events;
  }

  /** Must be called after a step was refused. @param left number of remaining events */
  narrow(left: number, refusal: unknown): void {
    this.refusal = refusal;
    this.most = Math.floor(Math.min(this.most, left) / 2);
  }

  /** Must be called after a step was accepted. */
  widen(): void {
    this.most = Number.POSITIVE_INFINITY;
  }
}
