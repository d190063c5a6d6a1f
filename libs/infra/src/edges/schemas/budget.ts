/** Validating a message took more steps than its size allows. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

const FREE_STEPS = 3_000_000;
const STEPS_PER_BYTE = 20;

/** Total steps allowed for messages of this many bytes. */
export const stepsFor = (bytes: number): number => FREE_STEPS + STEPS_PER_BYTE * bytes;

/**
 * Limits the work of validating a client's messages against a client's schema: small schemas can take exponential time, and patterns can
 * have thousands of states. A step is one state of a pattern at one character, or one schema at one value. Ordinary schemas take a few
 * steps per byte.
 */
export class Budget {
  constructor(private steps: number) {}

  /** Remaining steps. */
  get left(): number {
    return this.steps;
  }

  /** @throws TooMuchWork */
  spend(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) throw new TooMuchWork();
  }
}
