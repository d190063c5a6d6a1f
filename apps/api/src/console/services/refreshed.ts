import { askedSoon } from '#api/ops-kit/asked-soon.js';

/** Finding takes this part of the time at most. */
const SHARE = 20;

/** A figure that takes time to find: the newest one that was found, looked for again while somebody asks. */
export class Refreshed<Found> {
  private found: Found | null = null;
  private finding: Promise<Found | null> | undefined;
  private dueAt = Number.NEGATIVE_INFINITY;

  /** @param everyMs between two looks at least */
  constructor(
    private readonly find: () => Promise<Found>,
    private readonly everyMs: number,
  ) {}

  /** Never throws. `null`: it was not found yet. */
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
        () => this.found, // what is wrong with the stores stands beside it
      )
      .finally(() => {
        this.dueAt = performance.now() + Math.max(this.everyMs, SHARE * (performance.now() - begun));
        this.finding = undefined;
      });
  }
}
