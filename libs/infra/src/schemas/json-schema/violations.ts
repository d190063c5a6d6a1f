import type { Budget } from '#infra/schemas/budget.js';

/** Path of a value in a message; `undefined` for the message itself. */
export type Path = Readonly<{ outer: Path; key: string | number }> | undefined;

/** Texts that are kept, and characters of all of them; further violations are only counted. */
const MOST_TEXTS = 1_000;
const MOST_CHARACTERS = 200_000;
/** Characters of one text, which may contain names that callers have made long. */
const LONGEST = 10_000;

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
export const pathText = (path: Path): string => {
  if (!path) return '(root)';
  const keys: (string | number)[] = [];
  for (let place: Path = path; place; place = place.outer) keys.push(place.key);
  let text = '';
  for (const key of keys.reverse()) {
    text += text === '' ? shortened(`${key}`) : `.${shortened(`${key}`)}`;
    if (text.length > LONGEST) break;
  }
  return shortened(text);
};

/** Collects what is wrong with a value. */
export class Violations {
  private readonly collected: string[] = [];
  private characters = 0;
  private count = 0;

  /** `keepsTexts`: whether anyone will read the texts. */
  constructor(
    readonly budget: Budget,
    private readonly keepsTexts: boolean,
  ) {}

  /** `description`: any part of it that callers can make long has been {@link shortened}. */
  report(path: Path, description: string | ((path: string) => string)): void {
    this.count++;
    if (!this.keepsTexts || this.collected.length === MOST_TEXTS || this.characters > MOST_CHARACTERS) return;
    const place = pathText(path);
    const text = shortened(`${place}: ${typeof description === 'string' ? description : description(place)}`);
    this.characters += text.length;
    this.collected.push(text);
  }

  get none(): boolean {
    return this.count === 0;
  }

  get texts(): readonly string[] {
    return this.collected;
  }

  /** For a part of a schema whose violations are not reported, only whether there are any. */
  withoutTexts(): Violations {
    return new Violations(this.budget, false);
  }
}
