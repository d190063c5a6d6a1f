import type { Budget } from '#infra/edges/schemas/budget.js';

/** Path of a value in a message; `undefined` for the message itself. */
export type ViolationPath = Readonly<{ outer: ViolationPath; key: string | number }> | undefined;

/** Text of a violation; a function if it needs the path, or is computed only when shown. Clients' long texts are {@link shortened}. */
type Description = string | ((path: string) => string);

/** Maximum number of kept violations, and of characters in their texts; further ones are only counted. */
const MOST_TEXTS = 1_000;
const MOST_CHARACTERS = 200_000;
/** Maximum characters of one text, which may contain long names of clients. */
const LONGEST = 10_000;
/** Score of a value of an allowed type, and penalty of a violation (messaging contract 5.3). */
const POINTS = { value: 3, violation: 2 };

/** Cuts a text to the maximum length. */
export const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Joins texts with commas, and cuts the list to the maximum length. */
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

/** Collects the violations of a value. */
export class Violations {
  private readonly kept: Readonly<{ path: ViolationPath; description: Description }>[] = [];
  private reported = 0;
  private points = 0;

  /** `keeps`: whether the texts will be read. */
  constructor(
    readonly budget: Budget,
    private readonly keeps: boolean,
  ) {}

  report(path: ViolationPath, description: Description): void {
    this.reported++;
    this.points -= POINTS.violation;
    if (this.keeps && this.kept.length < MOST_TEXTS) this.kept.push({ path, description });
  }

  /** Adds the points of a value with an allowed type. */
  creditValue(): void {
    this.points += POINTS.value;
  }

  /** For a part of a schema whose violations are reported only if the whole rejects the value. */
  part(): Violations {
    return new Violations(this.budget, this.keeps);
  }

  /** For a part of a schema whose violations are never reported. */
  unreadPart(): Violations {
    return new Violations(this.budget, false);
  }

  /** Appends the violations of a part. This costs budget, because parts may be nested. */
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

  /** Degree to which the value matches, for comparing alternatives. */
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

/** Keeps the violations of the alternative that matches best; the first of equal ones. */
export class BestMatch {
  private best: Violations | undefined;

  /** Returns whether the alternative accepts the value. `judge` reports its violations. */
  holds(found: Violations, judge: (part: Violations) => void): boolean {
    const part = found.part();
    judge(part);
    if (part.count === 0) return true;
    if (!this.best || part.score > this.best.score) this.best = part;
    return false;
  }

  /** Appends the violations of the best alternative, if there was one. */
  tell(found: Violations): void {
    if (this.best) found.include(this.best);
  }
}
