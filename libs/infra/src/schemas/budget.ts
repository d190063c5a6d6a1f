/** Judging a message took more work than its size allows. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

const FREE_STEPS = 3_000_000;
const STEPS_PER_BYTE = 20;

/**
 * Bounds the work that a caller's schema makes of a caller's messages: small schemas can be exponential in their size, and a pattern may hold
 * thousands of states. A step is one state of a pattern at a character, or one schema at a value; ordinary schemas take a few per byte.
 */
export class Budget {
  private left: number;

  /** `bytes`: of all messages that are judged with it. */
  constructor(bytes: number) {
    this.left = FREE_STEPS + STEPS_PER_BYTE * bytes;
  }

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new TooMuchWork();
  }
}
