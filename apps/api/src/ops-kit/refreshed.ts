import { askedSoon } from './asked-soon.js';

/** Maximum share of time spent on finding, as 1 / `SHARE`. */
const SHARE = 20;

/** A value that no caller has requested for this time is too old to be returned before the next one is known. */
const ABANDONED_MS = 10_000;

/** A figure that is expensive to find. Returns the newest value, and finds a new one only while callers request it. */
export class RefreshedValue<Found> {
  private found: Found | null = null;
  private finding: Promise<Found | null> | undefined;
  private dueAt = Number.NEGATIVE_INFINITY;
  private requestedAt = Number.NEGATIVE_INFINITY;

  /** @param everyMs minimum pause between two looks */
  constructor(
    private readonly find: () => Promise<Found>,
    private readonly everyMs: number,
  ) {}

  /** Never throws. `null` until a value was found. */
  async newest(): Promise<Found | null> {
    const now = performance.now();
    const isAbandoned = now - this.requestedAt > ABANDONED_MS;
    this.requestedAt = now;
    if (!this.finding && now >= this.dueAt) this.look();
    const { finding } = this;
    const awaited = finding && (isAbandoned || this.found === null) ? await askedSoon(finding) : null;
    return awaited ?? this.found;
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
