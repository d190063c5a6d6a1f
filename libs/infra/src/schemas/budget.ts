/** Judging a message took more work than its size allows. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

const FREE_STEPS = 3_000_000;
const STEPS_PER_BYTE = 20;

/** The steps that messages of so many bytes may take, all together. */
export const stepsFor = (bytes: number): number => FREE_STEPS + STEPS_PER_BYTE * bytes;

/**
 * Bounds the work that a caller's schema makes of a caller's messages: small schemas can be exponential in their size, and a pattern may hold
 * thousands of states. A step is one state of a pattern at a character, or one schema at a value; ordinary schemas take a few per byte.
 */
export class Budget {
  constructor(private steps: number) {}

  /** Steps that may still be taken. */
  get left(): number {
    return this.steps;
  }

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) throw new TooMuchWork();
  }
}
