import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { passes, type TopologyFilter, type TopologyItem } from '#domain/status/topology/topology-filter.js';
import type { StoredDayList } from '#projections/status/day-lists/queries.js';

/** Place of an item in its list, and its size in bytes. */
type EndpointSpan = Readonly<{ part: number; index: number; bytes: number }>;

/** Bytes of an answer that are in memory at a time. */
const WINDOW = 4 * 1024 * 1024;

/** The subgroups of matching groups, in order, with repetitions. */
const subgroupsOf = async (groups: StoredDayList, filter: TopologyFilter): Promise<readonly unknown[]> => {
  const subgroups: unknown[] = [];
  for await (const { items } of groups.items<TopologyItem>()) {
    for (const { item } of items) if (passes(item, filter)) subgroups.push(item.subgroup);
  }
  return subgroups;
};

/** Matching endpoints by group. */
const placesByGroup = async (
  endpoints: StoredDayList,
  filter: TopologyFilter,
  subgroups: readonly unknown[],
): Promise<ReadonlyMap<unknown, readonly EndpointSpan[]>> => {
  const places = new Map<unknown, EndpointSpan[]>(subgroups.map((subgroup) => [subgroup, []]));
  for await (const { part, start, items } of endpoints.items<TopologyItem>()) {
    for (const [place, { item, bytes }] of items.entries()) {
      const ofGroup = places.get(item.group);
      if (ofGroup && passes(item, filter)) ofGroup.push({ part, index: start + place, bytes: bytes.length });
    }
  }
  return places;
};

/** @throws DomainError `OVER_LIMIT`: each endpoint is repeated for each occurrence of its group, so two lists can give an endless one */
const ensureWithinLimits = (places: ReadonlyMap<unknown, readonly EndpointSpan[]>, subgroups: readonly unknown[]): void => {
  const sizes = new Map([...places].map(([group, some]) => [group, some.reduce((sum, { bytes }) => sum + bytes, 0)]));
  let [count, size] = [0, 0];
  for (const subgroup of subgroups) {
    count += places.get(subgroup)?.length ?? 0;
    size += sizes.get(subgroup) ?? 0;
  }
  if (count > STATUS_LIMITS.itemsPerAnswer.value) throw overLimit('itemsPerAnswer');
  if (size > STATUS_LIMITS.answerSize.value) throw overLimit('answerSize');
};

/** The bytes of the items at these places, in their order. Each part of the list is read once. */
const fetched = async (endpoints: StoredDayList, places: readonly EndpointSpan[]): Promise<readonly Buffer[]> => {
  const slice = new TimeSlice();
  const found: Buffer[] = Array.from({ length: places.length });
  const byPart = new Map<number, number[]>();
  for (const [at, { part }] of places.entries()) {
    getOrInsert(byPart, part, () => []).push(at);
  }
  for (const [part, wanted] of byPart) {
    const items = await endpoints.itemsOf(part);
    for (const at of wanted) {
      const item = items[places[at]?.index ?? -1];
      if (item) found[at] = Buffer.from(item); // a copy, so that the rest of the part can be freed
    }
    if (slice.isOver) await slice.next();
  }
  return found;
};

/**
 * The endpoints of a report: once for each of its groups that has their group as its subgroup, in the order of the groups (status extended
 * contract 3.4). For a long list only the places are kept, and the items are read in batches.
 * @throws DomainError `OVER_LIMIT`
 */
export async function* endpointsOfGroups(
  groups: StoredDayList,
  endpoints: StoredDayList,
  filters: Readonly<{ groups: TopologyFilter; endpoints: TopologyFilter }>,
): AsyncGenerator<readonly Buffer[]> {
  const subgroups = await subgroupsOf(groups, filters.groups);
  const places = await placesByGroup(endpoints, filters.endpoints, subgroups);
  ensureWithinLimits(places, subgroups);
  let window: EndpointSpan[] = [];
  let bytes = 0;
  for (const subgroup of subgroups) {
    for (const place of places.get(subgroup) ?? []) {
      window.push(place);
      bytes += place.bytes;
      if (bytes < WINDOW) continue;
      yield await fetched(endpoints, window);
      [window, bytes] = [[], 0];
    }
  }
  if (window.length > 0) yield await fetched(endpoints, window);
}
