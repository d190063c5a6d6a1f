import type { Json, JsonObject } from '#domain/shared/events.js';
import { endOfString } from '#projections/shared/layout.js';
import type { SealedMember } from '#projections/shared/projection.js';

/** Where the value of a member stands in a text; the document that it belongs to, and the object in it that has the member. */
export type MemberText = Readonly<{ start: number; end: number; member: SealedMember; document: JsonObject; holder: JsonObject }>;

/** Members to look for below a place: by name, and `[]` for every item of a list. */
export type WantedMembers = Readonly<{ member?: SealedMember; below: Map<string, WantedMembers> }>;

const EACH = '[]';

/** The members as a tree of the steps of their paths. */
export const wantedMembers = (members: readonly SealedMember[]): WantedMembers => {
  const root: WantedMembers = { below: new Map() };
  for (const member of members) {
    const steps = member.path.split('.').flatMap((step) => (step.endsWith(EACH) ? [step.slice(0, -EACH.length), EACH] : [step]));
    let place = root;
    for (const [index, step] of steps.entries()) {
      const next = place.below.get(step) ?? { below: new Map(), ...(index === steps.length - 1 ? { member } : {}) };
      place.below.set(step, next);
      place = next;
    }
  }
  return root;
};

/**
 * The places of the wanted members in the JSON text of documents, separated by commas, whatever its layout; in their order there. `documents`:
 * the same, parsed; an object in them has no name twice.
 */
export const memberTexts = (text: string, documents: readonly Json[], wanted: WantedMembers): readonly MemberText[] => {
  const scanner = new Scanner(text);
  for (const document of documents) scanner.document(document, wanted);
  return scanner.found;
};

const NO_MEMBERS: JsonObject = {};

class Scanner {
  readonly found: MemberText[] = [];
  private currentDocument: JsonObject = NO_MEMBERS;
  private at = 0;

  constructor(private readonly text: string) {}

  /** Goes over the document that begins here, and the comma after it. */
  document(parsed: Json, wanted: WantedMembers): void {
    this.currentDocument = isObject(parsed) ? parsed : NO_MEMBERS;
    this.value(parsed, wanted, this.currentDocument);
    this.skipSpace();
    this.at += 1;
  }

  /** Goes over the value that begins here. `parsed`: what it is; `holder`: the object that has it as a member. */
  private value(parsed: Json | undefined, { member, below }: WantedMembers, holder: JsonObject): void {
    this.skipSpace();
    const start = this.at;
    const each = below.get(EACH);
    if (member) {
      this.skipValue();
      this.found.push({ start, end: this.at, member, document: this.currentDocument, holder });
    } else if (each && Array.isArray(parsed) && parsed.length > 0) this.items(parsed, each, holder);
    else if (below.size > 0 && isObject(parsed)) this.members(parsed, below);
    else this.skipValue();
  }

  private items(items: readonly Json[], wanted: WantedMembers, holder: JsonObject): void {
    this.at += 1;
    for (const item of items) {
      this.value(item, wanted, holder);
      this.skipSpace();
      this.at += 1; // a comma, or the bracket at the end
    }
  }

  private members(object: JsonObject, below: WantedMembers['below']): void {
    this.at += 1;
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] !== '"') break;
      const end = endOfString(this.text, this.at);
      const name: string = JSON.parse(this.text.slice(this.at, end));
      this.at = this.text.indexOf(':', end) + 1;
      this.value(object[name], below.get(name) ?? NOTHING, object);
      this.skipSpace();
      if (this.text[this.at] !== ',') break;
      this.at += 1;
    }
    this.at += 1;
  }

  private skipSpace(): void {
    while (this.text.charCodeAt(this.at) <= SPACE) this.at += 1;
  }

  private skipValue(): void {
    const first = this.text[this.at];
    if (first === '"') this.at = endOfString(this.text, this.at);
    else if (first === '{' || first === '[') this.skipNested();
    else while (this.at < this.text.length && !ENDS.includes(this.text[this.at] ?? '')) this.at += 1;
  }

  private skipNested(): void {
    let level = 0;
    do {
      const character = this.text[this.at];
      if (character === '"') {
        this.at = endOfString(this.text, this.at);
        continue;
      }
      if (character === '{' || character === '[') level += 1;
      if (character === '}' || character === ']') level -= 1;
      this.at += 1;
    } while (level > 0 && this.at < this.text.length);
  }
}

const NOTHING: WantedMembers = { below: new Map() };
const SPACE = 0x20;
/** What may follow a number or a word. */
const ENDS = ',]} \n\t\r';

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
