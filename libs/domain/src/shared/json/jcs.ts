import { isPlainText } from '#domain/shared/plain-text.js';

const quoted = (text: string): string => (isPlainText(text) ? `"${text}"` : JSON.stringify(text));

/** A member of the objects of a shape. `label`: the text between the value before and its own. */
type Member = Readonly<{ name: string; label: string }>;

/** Members in canonical order. */
const membersOf = (names: readonly string[]): readonly Member[] =>
  [...names].sort().map((name, index) => ({ name, label: `${index === 0 ? '{' : ','}${quoted(name)}:` }));

/** Objects with the same names in the same order. */
type Shape = { readonly next: Map<string, Shape>; members?: readonly Member[] };

/** Clients choose some names. Shapes beyond these bounds are not kept, and all are dropped when there are too many. */
const MOST_SHAPES = 2_048;
const MOST_NAMES = 32;
const LONGEST_NAME = 64;

/** Events of a type have few shapes: their names are sorted and quoted once. Shapes are found name by name. */
class Shapes {
  private readonly root: Shape = { next: new Map(), members: [] };
  private count = 0;

  membersOf(names: readonly string[]): readonly Member[] {
    if (names.length > MOST_NAMES) return membersOf(names);
    let shape = this.root;
    for (const name of names) {
      const next = shape.next.get(name) ?? this.added(shape, name);
      if (!next) return membersOf(names);
      shape = next;
    }
    shape.members ??= membersOf(names);
    return shape.members;
  }

  /** `undefined`: the name is too long to be kept. */
  private added({ next }: Shape, name: string): Shape | undefined {
    if (name.length > LONGEST_NAME) return undefined;
    if (this.count === MOST_SHAPES) {
      this.root.next.clear();
      this.count = 0;
    }
    const shape: Shape = { next: new Map() };
    next.set(name, shape);
    this.count += 1;
    return shape;
  }
}

const shapes = new Shapes();

/**
 * The canonical text of a JSON value: RFC 8785 (JSON Canonicalization Scheme). Members stand in the order of the UTF-16 units of their names, numbers
 * as ECMAScript writes them. Where that RFC has no answer it does as JSON.stringify: a lone surrogate is `\udxxx`, a number that is not finite
 * (only a damaged record has one) is null, a member without a value is left out. So an event in memory has the text that it has once it is stored.
 */
export const jcs = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(jcs).join()}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const { name, label } of shapes.membersOf(Object.keys(members))) {
    const member = members[name];
    if (member === undefined) return jcs(Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined)));
    text += label + jcs(member);
  }
  return text === '' ? '{}' : `${text}}`;
};
