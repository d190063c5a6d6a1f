import type { Json, JsonObject } from '#domain/shared/events.js';
import { JsonScanner } from '#domain/shared/json/json-scanner.js';
import { TextSource } from '#domain/shared/json/json-source.js';

/** A path as in `SealedMember`. */
type MemberPath = Readonly<{ path: string }>;

/** Place of a member's value in a text, with its document and the object that has the member. */
export type MemberText<M extends MemberPath = MemberPath> = Readonly<{
  start: number;
  end: number;
  member: M;
  document: JsonObject;
  holder: JsonObject;
}>;

/** Members to find below a place: by name, and `[]` for every item of a list. */
type WantedMembers<M extends MemberPath = MemberPath> = Readonly<{ member?: M; below: Map<string, WantedMembers<M>> }>;

const EACH = '[]';

/** Arranges the members as a tree of the steps of their paths. */
const wantedMembers = <M extends MemberPath>(members: readonly M[]): WantedMembers<M> => {
  const root: WantedMembers<M> = { below: new Map() };
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

const NOTHING: readonly never[] = [];

/** Finds the places of the members in the JSON text of documents (separated by commas, in any layout), in text order. No object has a name twice. */
export const memberTexts = <M extends MemberPath>(members: readonly M[]): ((text: string) => readonly MemberText<M>[]) => {
  const wanted = wantedMembers(members);
  const names = members.map(({ path }) => `"${path.slice(path.lastIndexOf('.') + 1)}"`);
  return (text) => {
    if (!names.some((name) => text.includes(name))) return NOTHING; // most documents of most collections
    const finder = new MemberFinder<M>(text);
    for (const document of JSON.parse(`[${text}]`) as readonly Json[]) finder.walk(document, wanted);
    return finder.found;
  };
};

const NO_MEMBERS: JsonObject = {};
const NOT_WANTED: WantedMembers<never> = { below: new Map() };
const QUOTE = 0x22;
const COMMA = 0x2c;

class MemberFinder<M extends MemberPath> {
  readonly found: MemberText<M>[] = [];
  private document: JsonObject = NO_MEMBERS;
  private readonly scanner: JsonScanner;

  constructor(text: string) {
    this.scanner = new JsonScanner(new TextSource(text));
  }

  /** Walks the document at the scanner, and skips the comma after it. */
  walk(parsed: Json, wanted: WantedMembers<M>): void {
    this.document = isObject(parsed) ? parsed : NO_MEMBERS;
    this.value(parsed, wanted, this.document);
    this.scanner.takes(COMMA);
  }

  /** Walks the value at the scanner. `parsed`: the value; `holder`: the object that has it as a member. */
  private value(parsed: Json | undefined, { member, below }: WantedMembers<M>, holder: JsonObject): void {
    const { scanner, document } = this;
    scanner.peek();
    const start = scanner.position;
    const each = below.get(EACH);
    if (member) {
      scanner.skipValue();
      this.found.push({ start, end: scanner.position, member, document, holder });
    } else if (each && Array.isArray(parsed) && parsed.length > 0) this.items(parsed, each, holder);
    else if (below.size > 0 && isObject(parsed)) this.members(parsed, below);
    else scanner.skipValue();
  }

  private items(items: readonly Json[], wanted: WantedMembers<M>, holder: JsonObject): void {
    this.scanner.skipToken(); // the bracket
    for (const item of items) {
      this.value(item, wanted, holder);
      this.scanner.skipToken(); // a comma or the closing bracket
    }
  }

  private members(object: JsonObject, below: WantedMembers<M>['below']): void {
    const { scanner } = this;
    scanner.skipToken(); // the brace
    while (scanner.peek() === QUOTE) {
      const name: string = JSON.parse(scanner.token());
      scanner.skipToken(); // the colon
      this.value(object[name], below.get(name) ?? NOT_WANTED, object);
      if (!scanner.takes(COMMA)) break;
    }
    scanner.skipToken(); // the closing brace
  }
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
