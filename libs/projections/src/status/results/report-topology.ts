import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import { endpointKey, type PlannedEndpoint, type PlannedGroup } from '#domain/status/results/plan.js';
import { infoOf } from '#domain/status/topology/expected-items.js';
import type { ReportFilters } from '#domain/status/topology/report-topology.js';
import type { TopologyEndpoint, TopologyGroup } from '#domain/status/topology/topology.js';
import { passes } from '#domain/status/topology/topology-filter.js';
import type { Slice } from '#projections/shared/pages.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import type { StoredDayList } from '#projections/status/day-lists/queries.js';
import { indexEndpoints } from './endpoint-points.js';
import type { SizedValue } from './memory.js';

/** The part of a day's topology that counts for a report, with members as in a plan. `hasGroups`: the list of groups by report is not empty. */
export type ReportTopology = Readonly<{
  hasGroups: boolean;
  groups: ReadonlyMap<string, PlannedGroup>;
  supergroups: ReadonlyMap<string, readonly string[]>;
  /** Total number of expected metrics of all endpoints, counted for each group of an endpoint. */
  items: number;
  /** Maximum number of expected metrics of a service. */
  widest: number;
}>;

/** Bytes of memory of an endpoint with its entries in maps and lists, besides its texts. */
const ENDPOINT_BYTES = 500;

const byServiceAndHost = (left: PlannedEndpoint, right: PlannedEndpoint): number =>
  byBytes(left.service, right.service) || byBytes(left.host, right.host);

/** The endpoint groups of each group of groups that are in the list by report. */
const subgroupsOf = async (groups: StoredDayList, filters: ReportFilters): Promise<ReadonlyMap<string, Set<string>>> => {
  const subgroups = new Map<string, Set<string>>();
  for await (const { items } of groups.items<TopologyGroup>()) {
    for (const { item } of items) {
      if (!passes(item, filters.groups)) continue;
      getOrInsert(subgroups, item.group, () => new Set()).add(item.subgroup);
    }
  }
  return subgroups;
};

/** Endpoints with expected items, by group. Of repeated ones, the first is kept. */
class EndpointsByGroup {
  readonly groups = new Map<string, Map<string, PlannedEndpoint>>();
  bytes = 0;
  items = 0;
  widest = 0;

  constructor(
    private readonly wanted: ReadonlySet<string>,
    private readonly expected: ReadonlyMap<string, readonly string[]>,
  ) {}

  async addAll(endpoints: StoredDayList, filters: ReportFilters): Promise<void> {
    for await (const { items } of endpoints.items<TopologyEndpoint>())
      for (const { item } of items) if (passes(item, filters.endpoints)) this.add(item);
  }

  private add({ group, service, hostname, tags }: TopologyEndpoint): void {
    const metrics = this.expected.get(service);
    if (!metrics || !this.wanted.has(group)) return;
    const known = getOrInsert(this.groups, group, () => new Map());
    const key = endpointKey(service, hostname);
    if (known.has(key)) return;
    const info = infoOf(tags);
    known.set(key, { service, host: hostname, metrics, ...(info && { info }) });
    this.items += metrics.length;
    this.widest = Math.max(this.widest, metrics.length);
    this.bytes += ENDPOINT_BYTES + 2 * (service.length + hostname.length) + (info ? 2 * JSON.stringify(info).length : 0);
  }
}

const sorted = async (names: Iterable<string>, slice: Slice): Promise<readonly string[]> => {
  const list = [...names];
  await sortInSlices(list, byBytes, slice);
  return list;
};

/**
 * The topology of a report from the lists of a day (status extended contract 3.4, results contract 1): the endpoints of the listed groups that have
 * expected items. `expected`: metrics by service.
 * @throws ReadStoreUnavailable a list changed while it was read
 */
export const readTopology = async (
  lists: Readonly<{ groups: StoredDayList; endpoints: StoredDayList | undefined }>,
  filters: ReportFilters,
  expected: ReadonlyMap<string, readonly string[]>,
  slice: Slice,
): Promise<SizedValue<ReportTopology>> => {
  const subgroups = await subgroupsOf(lists.groups, filters);
  const found = new EndpointsByGroup(new Set([...subgroups.values()].flatMap((names) => [...names])), expected);
  if (lists.endpoints) await found.addAll(lists.endpoints, filters);
  const groups = new Map<string, PlannedGroup>();
  for (const name of await sorted(found.groups.keys(), slice)) {
    const endpoints = [...(found.groups.get(name)?.values() ?? [])];
    await sortInSlices(endpoints, byServiceAndHost, slice);
    groups.set(name, { name, endpoints });
  }
  await indexEndpoints(groups, slice);
  const supergroups = new Map<string, readonly string[]>();
  for (const name of await sorted(subgroups.keys(), slice)) {
    const names = await sorted(
      [...(subgroups.get(name) ?? [])].filter((group) => groups.has(group)),
      slice,
    );
    if (names.length > 0) supergroups.set(name, names);
  }
  const { items, widest, bytes } = found;
  return { value: { hasGroups: subgroups.size > 0, groups, supergroups, items, widest }, bytes: 1_000 + bytes + 100 * subgroups.size };
};
