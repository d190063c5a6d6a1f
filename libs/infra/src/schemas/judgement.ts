import type { Budget } from './budget.js';

/** Where a value stands in a message; nothing for the message itself. */
export type Path = Readonly<{ outer: Path; key: string | number }> | undefined;

/** Violations that are worded, and characters of all their texts; more are only counted. */
const MOST_WORDED = 1_000;
const MOST_CHARACTERS = 200_000;
/** Characters of one text, which may name what callers have made as long as they like. */
const LONGEST = 10_000;

/** A text, or as much of it as is shown. */
export const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Texts with a comma between them, as far as they are shown. */
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

/** What is found wrong with a value. */
export class Judgement {
  private readonly texts: string[] = [];
  private characters = 0;
  private count = 0;

  /** `worded`: whether anyone will read the texts. */
  constructor(
    readonly budget: Budget,
    private readonly worded: boolean,
  ) {}

  /** `description`: without what may be long and has not been {@link shortened}. */
  report(path: Path, description: string | ((path: string) => string)): void {
    this.count++;
    if (!this.worded || this.texts.length === MOST_WORDED || this.characters > MOST_CHARACTERS) return;
    const place = pathText(path);
    const text = shortened(`${place}: ${typeof description === 'string' ? description : description(place)}`);
    this.characters += text.length;
    this.texts.push(text);
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
