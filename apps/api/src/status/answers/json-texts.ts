import { memberText, separatorAt, wireText } from '#projections/status/layout.js';

/** The beginning of a line at a depth (status contract 1.8). */
export const line = (depth: number): string => `\n${' '.repeat(depth)}`;

/** JSON text of an array in several short texts. `depth`: of its elements, whose texts are laid out for their place. */
export function* arrayTexts(elements: Iterable<Iterable<string>>, depth: number): Generator<string> {
  let isFirst = true;
  for (const element of elements) {
    yield isFirst ? `[${line(depth)}` : separatorAt(depth);
    yield* element;
    isFirst = false;
  }
  yield isFirst ? '[]' : `${line(depth - 1)}]`;
}

/** The members of an object at that depth; those without a value are omitted. */
export const memberTexts = (values: Readonly<Record<string, unknown>>, depth: number): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [memberText(name, wireText(value, depth + 1), depth)]));

/**
 * JSON text of an object with one long member. `depth`: of the object; `before` and `after`: its other members, without those that have no
 * value; `texts`: of the long one.
 */
export function* objectTexts(
  before: Readonly<Record<string, unknown>>,
  long: string,
  texts: Iterable<string>,
  depth: number,
  after: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  yield `{${memberTexts(before, depth)
    .map((member) => `${member},`)
    .join('')}${line(depth + 1)}"${long}": `;
  yield* texts;
  yield `${memberTexts(after, depth)
    .map((member) => `,${member}`)
    .join('')}${line(depth)}}`;
}
