import { isPlainText } from '#domain/shared/text/plain-text.js';

const quoted = (text: string): string => (isPlainText(text) ? `"${text}"` : JSON.stringify(text));

/** A member of the objects of a shape. `label`: the text between the preceding value and its own. */
type Member = Readonly<{ name: string; label: string }>;

/** Members in canonical order. */
const membersOf = (names: readonly string[]): readonly Member[] =>
  [...names].sort().map((name, index) => ({ name, label: `${index === 0 ? '{' : ','}${quoted(name)}:` }));

/** Objects with the same names in the same order. */
type Shape = { readonly next: Map<string, Shape>; members?: readonly Member[] };

/** Clients choose some names. Shapes beyond these bounds are not cached; when the cache is full, all shapes are dropped. */
const MOST_SHAPES = 2_048;
const MOST_NAMES = 32;
const LONGEST_NAME = 64;

/** Events of a type have few shapes, so their names are sorted and quoted once. A trie of names finds the shape. */
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

  /** `undefined` if the name is too long to be cached. */
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
 * Canonical text of a JSON value: RFC 8785 (JSON Canonicalization Scheme). Members are in the order of the UTF-16 units of their names; numbers are
 * written as in ECMAScript. Cases outside the RFC follow JSON.stringify: a lone surrogate is `\udxxx`, a number that is not finite
 * (possible only in a damaged record) is null, a member without a value is left out. An event in memory therefore has the same text as once stored.
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
