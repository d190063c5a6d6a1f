import { byBytes } from '../shared/text-order.js';
import { eachItem, type StoredDayList } from './day-list-reader.js';
import type { TopologyItem } from './topology-filter.js';

export type TagValues = Readonly<{ name: string; values: readonly string[] }>;

/** The tags of the items of a list by name, each with its distinct single values: a value may hold several, separated by `, `. */
export const tagsOf = async (list: StoredDayList): Promise<readonly TagValues[]> => {
  const values = new Map<string, Set<string>>();
  await eachItem(list, ({ tags }: TopologyItem) => {
    for (const [name, value] of Object.entries(tags ?? {})) {
      const known = values.get(name) ?? new Set();
      for (const single of value.split(', ')) known.add(single);
      values.set(name, known);
    }
  });
  return [...values.keys()].sort(byBytes).map((name) => ({ name, values: [...(values.get(name) ?? [])].sort(byBytes) }));
};
