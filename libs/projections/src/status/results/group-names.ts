import type { PlannedGroup } from '#domain/status/results/plan.js';
import type { Slice } from '#projections/shared/pages.js';
import type { SizedValue } from './memory.js';

/** An endpoint group with the hosts of its endpoints, each once. `text`: all these names in lower case, in lines. */
export type GroupNames = Readonly<{ name: string; hosts: readonly string[]; text: string }>;

/** Approximate bytes of memory of a group, and per character of its names. */
const [GROUP_BYTES, CHARACTER_BYTES] = [200, 4];

export const namesOf = async (groups: ReadonlyMap<string, PlannedGroup>, slice: Slice): Promise<SizedValue<readonly GroupNames[]>> => {
  const value: GroupNames[] = [];
  let bytes = GROUP_BYTES;
  for (const { name, endpoints } of groups.values()) {
    const hosts = [...new Set(endpoints.map(({ host }) => host))];
    const text = [name, ...hosts].join('\n').toLowerCase();
    value.push({ name, hosts, text });
    bytes += GROUP_BYTES + CHARACTER_BYTES * text.length;
    if (slice.isOver) await slice.next();
  }
  return { value, bytes };
};
