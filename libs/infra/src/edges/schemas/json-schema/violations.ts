import type { Budget } from '#infra/edges/schemas/budget.js';

/** Path of a value in a message; `undefined` for the message itself. */
export type ViolationPath = Readonly<{ outer: ViolationPath; key: string | number }> | undefined;

/** Text of a violation; a function if it needs the path, or takes work that only texts that are shown are worth. Callers' long texts are {@link shortened}. */
type Description = string | ((path: string) => string);

/** Violations that are kept, and characters of their texts; further ones are only counted. */
const MOST_TEXTS = 1_000;
const MOST_CHARACTERS = 200_000;
/** Characters of one text, which may contain names that callers have made long. */
const LONGEST = 10_000;
/** Score of a value of an allowed type, and penalty of a violation (messaging contract 5.3). */
const POINTS = { value: 3, violation: 2 };

/** A text, cut where it is longer than is shown. */
export const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Texts joined with commas, cut where the list is longer than is shown. */
export const enumerated = (texts: readonly string[]): string => {
  let list = '';
  for (const [index, text] of texts.entries()) {
    list += index === 0 ? shortened(text) : `, ${shortened(text)}`;
    if (list.length > LONGEST) break;
  }
  return shortened(list);
};

/** `address.street`, `items.0`, or `(root)` (messaging contract 5.3). */
const pathText = (path: ViolationPath): string => {
  if (!path) return '(root)';
  const keys: (string | number)[] = [];
  for (let place: ViolationPath = path; place; place = place.outer) keys.push(place.key);
  let text = '';
  for (const key of keys.reverse()) {
    text += text === '' ? shortened(`${key}`) : `.${shortened(`${key}`)}`;
    if (text.length > LONGEST) break;
  }
  return shortened(text);
};

/** Collects what is wrong with a value. */
export class Violations {
  private readonly kept: Readonly<{ path: ViolationPath; description: Description }>[] = [];
  private reported = 0;
  private points = 0;

  /** `keeps`: whether anyone will read the texts. */
  constructor(
    readonly budget: Budget,
    private readonly keeps: boolean,
  ) {}

  report(path: ViolationPath, description: Description): void {
    this.reported++;
    this.points -= POINTS.violation;
    if (this.keeps && this.kept.length < MOST_TEXTS) this.kept.push({ path, description });
  }

  /** A value has an allowed type. */
  creditValue(): void {
    this.points += POINTS.value;
  }

  /** For a part of a schema whose violations are told only if the whole does not hold. */
  part(): Violations {
    return new Violations(this.budget, this.keeps);
  }

  /** For a part of a schema whose violations are never told. */
  unreadPart(): Violations {
    return new Violations(this.budget, false);
  }

  /** Appends the violations of a part. Work for the budget: parts may be inside of parts. */
  include({ kept, reported, points }: Violations): void {
    const added = kept.slice(0, MOST_TEXTS - this.kept.length);
    this.budget.spend(added.length);
    this.kept.push(...added);
    this.reported += reported;
    this.points += points;
  }

  get count(): number {
    return this.reported;
  }

  /** How well the value matches, among alternatives. */
  get score(): number {
    return this.points;
  }

  texts(): readonly string[] {
    const texts: string[] = [];
    let characters = 0;
    for (const { path, description } of this.kept) {
      if (characters > MOST_CHARACTERS) break;
      const place = pathText(path);
      const text = shortened(`${place}: ${typeof description === 'string' ? description : description(place)}`);
      characters += text.length;
      texts.push(text);
    }
    return texts;
  }
}

/** Keeps the violations of the alternative that matches best; of equals the first. */
export class BestMatch {
  private best: Violations | undefined;

  /** Whether the alternative holds. `judge` reports its violations. */
  holds(found: Violations, judge: (part: Violations) => void): boolean {
    const part = found.part();
    judge(part);
    if (part.count === 0) return true;
    if (!this.best || part.score > this.best.score) this.best = part;
    return false;
  }

  /** Appends its violations, if there was an alternative. */
  tell(found: Violations): void {
    if (this.best) found.include(this.best);
  }
}
