/** How many events go into one step. It is halved again and again to find the event whose step is refused. */
export class StepSize {
  /** Why the last step was refused. */
  refusal: unknown;
  private most = Number.POSITIVE_INFINITY;

  /** Whether a step of a single event was refused. */
  get isRefused(): boolean {
    return this.most < 1;
  }

  /** Those of the events that go into the next step: at least one, if there are any. */
  first<Event>(events: readonly Event[]): readonly Event[] {
    return this.most < events.length ? events.slice(0, Math.max(1, this.most)) : events;
  }

  /** Call it when a step was refused. @param left number of events that are left */
  narrow(left: number, refusal: unknown): void {
    this.refusal = refusal;
    this.most = Math.floor(Math.min(this.most, left) / 2);
  }

  /** Call it when a step was taken. */
  widen(): void {
    this.most = Number.POSITIVE_INFINITY;
  }
}
