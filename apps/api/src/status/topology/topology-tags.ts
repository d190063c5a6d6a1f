import type { Pieces } from '#api/shared/answers/pieces.js';
import { byBytes } from '#api/shared/answers/text-order.js';
import { arrayPieces, LIST_START } from '#api/status/answers/answers.js';
import { line } from '#api/status/answers/json-texts.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import type { TopologyItem } from '#domain/status/topology/topology-filter.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { StoredDayList } from '#projections/status/day-lists/queries.js';
import { RECORD_DEPTH, separatorAt, wireText } from '#projections/status/layout.js';

type TagValues = Readonly<{ name: string; values: readonly string[] }>;

/** Distinct values by tag, up to the limit of an answer. */
class Collected {
  readonly values = new Map<string, Set<string>>();
  private count = 0;
  private characters = 0;

  /** @throws DomainError `OVER_LIMIT` */
  add(tag: string, value: string): void {
    const known = this.values.get(tag) ?? new Set();
    if (known.size === 0) this.values.set(tag, known);
    if (known.has(value)) return;
    known.add(value);
    this.count += 1;
    this.characters += value.length + (known.size === 1 ? tag.length : 0);
    if (this.count > STATUS_LIMITS.tagValues.value) throw overLimit('tagValues');
    if (this.characters > STATUS_LIMITS.tagsSize.value) throw overLimit('tagsSize');
  }
}

/**
 * The tags of the items of a list by name, each with its distinct single values. A stored value may hold several, separated by `, `.
 * @throws DomainError `OVER_LIMIT`
 */
export const tagsOf = async (list: StoredDayList): Promise<readonly TagValues[]> => {
  const collected = new Collected();
  for await (const { items } of list.items<TopologyItem>()) {
    for (const { item } of items) {
      for (const [name, value] of Object.entries(item.tags ?? {})) for (const single of value.split(', ')) collected.add(name, single);
    }
  }
  const names = [...collected.values.keys()];
  await sortInSlices(names, byBytes, new TimeSlice());
  const tags: TagValues[] = [];
  for (const name of names) {
    const values = [...(collected.values.get(name) ?? [])];
    await sortInSlices(values, byBytes, new TimeSlice());
    tags.push({ name, values });
  }
  return tags;
};

/** Depth of a tag and of its values in the answer. */
const [TAG, VALUE] = [RECORD_DEPTH + 2, RECORD_DEPTH + 4];
const AT_ONCE = 1_000;

function* valuePages(values: readonly string[]): Generator<readonly Buffer[]> {
  for (let start = 0; start < values.length; start += AT_ONCE)
    yield values.slice(start, start + AT_ONCE).map((value) => Buffer.from(wireText(value)));
}

/** Named values at a depth: a list of records, or of tags. */
async function* named(name: string, depth: number, values: Pieces): Pieces {
  yield [`{${line(depth + 1)}"name": ${wireText(name)},${line(depth + 1)}"values": `];
  yield* values;
  yield [`${line(depth)}}`];
}

async function* tagArray(tags: readonly TagValues[]): Pieces {
  for (const [index, { name, values }] of tags.entries()) {
    yield [index === 0 ? `[${line(TAG)}` : separatorAt(TAG)];
    yield* named(name, TAG, arrayPieces(valuePages(values), VALUE));
  }
  yield [tags.length === 0 ? '[]' : `${line(TAG - 1)}]`];
}

/** The body of status extended contract 3.5. */
export async function* tagsPieces(lists: readonly Readonly<{ name: string; tags: readonly TagValues[] }>[]): Pieces {
  for (const [index, { name, tags }] of lists.entries()) {
    yield [index === 0 ? `${LIST_START}[${line(RECORD_DEPTH)}` : separatorAt(RECORD_DEPTH)];
    yield* named(name, RECORD_DEPTH, tagArray(tags));
  }
  yield ['\n ]\n}'];
}
