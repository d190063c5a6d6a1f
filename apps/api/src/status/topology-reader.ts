import type { Day } from '#domain/shared/time.js';
import type { AnyDayList } from '#domain/status/day-lists.js';
import type { DataFeed } from '#domain/status/feeds.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { DAY_LISTS_PROJECTION } from '#projections/status/day-lists.js';
import { FEEDS, FEEDS_PROJECTION, feedKey } from '#projections/status/feeds.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { TENANTS_PROJECTION } from '#projections/status/tenants.js';
import { DayListReader, eachItem, type StoredDayList } from './day-list-reader.js';
import { namesOfTenants } from './tenant-names.js';
import { filtersNothing, passes, type TopologyFilter, type TopologyItem } from './topology-filter.js';

/** Items of a topology answer, in parts of one or more; `undefined`: there is no list to take them from. */
export type TopologyItems = readonly Buffer[] | undefined;

/** Reads one tenant's share of an answer; `name`: the tenant that its items are to bear. */
export type TenantShare = (tenantId: string, name?: string) => Promise<TopologyItems>;

/** Of each tenant of a combined answer: the caller's own share first. */
export type Shares = Readonly<{ own: TopologyItems; others: readonly TopologyItems[] }>;

/** What the report's filters leave of a tenant's topology (status extended contract 3.4). */
export type ReportFilters = Readonly<{ groups: TopologyFilter; endpoints: TopologyFilter }>;

const textOf = (item: TopologyItem, tenant: string | undefined): Buffer =>
  Buffer.from(wireText(tenant === undefined ? item : { ...item, tenant }, RECORD_DEPTH));

const select = async (list: StoredDayList, filter: TopologyFilter, tenant: string | undefined): Promise<readonly Buffer[]> => {
  if (filtersNothing(filter) && tenant === undefined) return list.parts;
  const selected: Buffer[] = [];
  await eachItem(list, (item: TopologyItem) => {
    if (passes(item, filter)) selected.push(textOf(item, tenant));
  });
  return selected;
};

/** Reads of topology lists, over several tenants where the caller's data feed names them. */
export class TopologyReader {
  readonly endpoints: DayListReader;
  readonly groups: DayListReader;
  private readonly lists: ReadView;
  private readonly feeds: ReadView;
  private readonly tenants: ReadView;

  constructor(store: ReadStore) {
    this.lists = store.view(DAY_LISTS_PROJECTION);
    this.feeds = store.view(FEEDS_PROJECTION);
    this.tenants = store.view(TENANTS_PROJECTION);
    this.endpoints = new DayListReader(this.lists, topologyEndpoints);
    this.groups = new DayListReader(this.lists, topologyGroups);
  }

  /** Of a kind of list: its items as of a day, filtered. */
  list(kind: AnyDayList, day: Day, filter: TopologyFilter): TenantShare {
    const reader = new DayListReader(this.lists, kind);
    return async (tenantId, name) => {
      const list = await reader.asOf(tenantId, day);
      return list && select(list, filter, name);
    };
  }

  /** The groups of a report as of a day. */
  groupsOfReport(day: Day, { groups }: ReportFilters): TenantShare {
    return this.list(topologyGroups, day, groups);
  }

  /**
   * The endpoints of a report: those of the very day of the groups list, once for each of the report's groups that has their group as its
   * subgroup, in the order of the groups.
   */
  endpointsOfReport(day: Day, filters: ReportFilters): TenantShare {
    return async (tenantId, name) => {
      const groups = await this.groups.asOf(tenantId, day);
      const endpoints = groups && (await this.endpoints.of(tenantId, groups.day));
      if (!endpoints) return undefined;
      const subgroups: unknown[] = [];
      await eachItem(groups, (item: TopologyItem) => {
        if (passes(item, filters.groups)) subgroups.push(item.subgroup);
      });
      const byGroup = new Map<unknown, Buffer[]>(subgroups.map((subgroup) => [subgroup, []]));
      await eachItem(endpoints, (item: TopologyItem) => {
        const ofGroup = byGroup.get(item.group);
        if (ofGroup && passes(item, filters.endpoints)) ofGroup.push(textOf(item, name));
      });
      return subgroups.flatMap((subgroup) => byGroup.get(subgroup) ?? []);
    };
  }

  /** The caller's share, and with `combined` those of the tenants that its data feed names, marked with their names. */
  async shares(read: TenantShare, tenantId: string, combined: boolean): Promise<Shares> {
    const own = await read(tenantId);
    const others: TopologyItems[] = [];
    if (combined) for (const { id, name } of await this.neighbours(tenantId)) others.push(await read(id, name));
    return { own, others };
  }

  /** The tenants of the data feed that still exist, in its order. */
  private async neighbours(tenantId: string): Promise<readonly Readonly<{ id: string; name: string }>[]> {
    const bytes = await this.feeds.get(FEEDS, feedKey(tenantId, 'data'));
    if (!bytes) return [];
    const { tenants } = JSON.parse(bytes.toString('utf8')) as DataFeed;
    const names = await namesOfTenants(this.tenants, tenants);
    return tenants.flatMap((id, index) => {
      const name = names[index];
      return name === undefined ? [] : { id, name };
    });
  }
}
