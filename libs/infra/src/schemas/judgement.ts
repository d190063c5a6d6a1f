import type { Budget } from './budget.js';

/** Where a value stands in a message; nothing for the message itself. */
export type Path = Readonly<{ outer: Path; key: string | number }> | undefined;

/** Violations that are worded; more are only counted. */
const MOST_WORDED = 1_000;

/** `address.street`, `items.0`, or `(root)` (messaging contract 5.3). */
export const pathText = (path: Path): string => {
  if (!path) return '(root)';
  const keys: (string | number)[] = [];
  for (let place: Path = path; place; place = place.outer) keys.push(place.key);
  return keys.reverse().join('.');
};

/** What is found wrong with a value. */
export class Judgement {
  private readonly texts: string[] = [];
  private count = 0;

  /** `worded`: whether anyone will read the texts. */
  constructor(
    readonly budget: Budget,
    private readonly worded: boolean,
  ) {}

  report(path: Path, description: string): void {
    this.count++;
    if (this.worded && this.texts.length < MOST_WORDED) this.texts.push(`${pathText(path)}: ${description}`);
  }

  get holds(): boolean {
    return this.count === 0;
  }

  get violations(): readonly string[] {
    return this.texts;
  }

  /** For a part of which only matters whether it holds. */
  aside(): Judgement {
    return new Judgement(this.budget, false);
  }
}
