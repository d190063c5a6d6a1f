import type { Pieces } from '#api/shared/answers/pieces.js';
import { openTag, WIDE, xmlOf } from '#api/status/answers/xml.js';
import type { ResultItem } from './items.js';
import { byName, type Layout, wireRow } from './results-json.js';

const prefixAt = (level: number): string => WIDE.prefix + WIDE.step.repeat(level);

/** Members of a head that appear in XML; `info` does not. */
const attributesOf = (head: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(head).filter((member): member is [string, string] => typeof member[1] === 'string'));

function* lines(items: readonly ResultItem[], layout: Layout, level: number): Generator<string> {
  const prefix = prefixAt(level + 1);
  const group = layout.groups[level];
  if (group) {
    for (const [name, inside] of byName(items, level)) {
      yield `\n${prefix}${openTag('group', { name, type: group.type })}`;
      yield* lines(inside, layout, level + 1);
      yield `\n${prefix}</group>`;
    }
    return;
  }
  for (const item of items) {
    const content = item.rows().map((row) => ({ name: 'results', attributes: wireRow(row, layout.label) }));
    yield `\n${xmlOf({ name: 'group', attributes: attributesOf(layout.head(item)), content }, { ...WIDE, prefix })}`;
  }
}

/** The same as {@link resultsJson} in XML, without the members around the results (results contract 12.2). */
export async function* resultsXml(items: readonly ResultItem[], layout: Layout): Pieces {
  yield [`${WIDE.prefix}<root>`];
  for (const text of lines(items, layout, 0)) yield [text];
  yield [`\n${WIDE.prefix}</root>`];
}
