import { askedSoon } from './asked-soon.js';

/** Maximum share of time spent on finding, as 1 / `SHARE`. */
const SHARE = 20;

/** A figure that is expensive to find. Returns the newest value, and finds a new one only while callers request it. */
export class Refreshed<Found> {
  private found: Found | null = null;
  private finding: Promise<Found | null> | undefined;
  private dueAt = Number.NEGATIVE_INFINITY;

  /** @param everyMs minimum pause between two looks */
  constructor(
    private readonly find: () => Promise<Found>,
    private readonly everyMs: number,
  ) {}

  /** Never throws. `null` until a value was found. */
  async newest(): Promise<Found | null> {
    if (!this.finding && performance.now() >= this.dueAt) this.look();
    return this.found ?? (this.finding ? askedSoon(this.finding) : null);
  }

  private look(): void {
    const begun = performance.now();
    this.finding = this.find()
      .then(
        (found) => {
          this.found = found;
          return found;
        },
        () => this.found, // the state of the stores is shown separately
      )
      .finally(() => {
        this.dueAt = performance.now() + Math.max(this.everyMs, SHARE * (performance.now() - begun));
        this.finding = undefined;
      });
  }
}
