import { Inject, Injectable } from '@nestjs/common';
import { CONFIGURATION, LIVE_READ_STORE, READ_STORE } from '#api/shared/tokens.js';
import { dayListQueriesOf } from '#api/status/day-lists/providers.js';
import type { TenantCaller } from '#api/status/parameters.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReportFilters } from '#domain/status/topology/report-topology.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import { filtersNothing, passes, type TopologyFilter, type TopologyItem } from '#domain/status/topology/topology-filter.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { DayListQueries, StoredDayList } from '#projections/status/day-lists/queries.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { memberText, RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { endpointsOfGroups } from './report-endpoints.js';

/** Batches of items in the form of topology answers. */
type TopologyItems = AsyncGenerator<readonly Buffer[], void>;

/** One tenant's share of an answer. `name`: tenant name to add to its items. */
export type TenantShare = Readonly<{
  /** `undefined` if there is no list. */
  read(tenantId: string, name?: string): Promise<TopologyItems | undefined>;
  /** Returns whether there is a list. */
  has(tenantId: string): Promise<boolean>;
}>;

/** Which tenants share topology, in a read store. */
type Sharing = Readonly<{ feeds: FeedQueries; tenants: TenantQueries }>;

const sharingIn = (store: ReadStore): Sharing => ({ feeds: new FeedQueries(store), tenants: new TenantQueries(store) });

/** A tenant whose topology is shown in addition to the caller's. */
export type Neighbour = Readonly<{ id: string; name: string }>;

async function* select(list: StoredDayList, filter: TopologyFilter, name: string | undefined): TopologyItems {
  if (filtersNothing(filter) && name === undefined) {
    yield* list.parts();
    return;
  }
  for await (const { items } of list.items<TopologyItem>()) {
    yield items.flatMap(({ item, bytes }) => (passes(item, filter) ? [bytes] : []));
  }
}

/** End of an item. */
const END = `\n${' '.repeat(RECORD_DEPTH)}}`;

/** Adds the name of the tenant to the items, as last member. */
async function* marked(pages: TopologyItems, name: string | undefined): TopologyItems {
  if (name === undefined) {
    yield* pages;
    return;
  }
  const end = Buffer.from(`,${memberText('tenant', wireText(name), RECORD_DEPTH)}${END}`);
  for await (const page of pages) yield page.map((item) => Buffer.concat([item.subarray(0, item.length - END.length), end]));
}

/** Topology lists for answers, over several tenants if the caller's data feed names them. */
@Injectable()
export class TopologyLists {
  /** Data feeds, and names of tenants. */
  private readonly shown: Sharing;
  /** Agreements, and tenants that exist, as they count for callers: those of now, also if the lists are of the past. */
  private readonly now: Sharing;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(LIVE_READ_STORE) live: ReadStore,
    @Inject(dayListQueriesOf(topologyEndpoints)) readonly endpoints: DayListQueries,
    @Inject(dayListQueriesOf(topologyGroups)) readonly groups: DayListQueries,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'feedsData'>,
  ) {
    this.shown = sharingIn(store);
    this.now = live === store ? this.shown : sharingIn(live);
  }

  /** Items of a kind of list as of a day, filtered. */
  list(queries: DayListQueries, day: Day, filter: TopologyFilter): TenantShare {
    return {
      read: async (tenantId, name) => {
        const list = await queries.asOf(tenantId, day);
        return list && marked(select(list, filter, name), name);
      },
      has: (tenantId) => queries.hasAsOf(tenantId, day),
    };
  }

  groupsOfReport(day: Day, { groups }: ReportFilters): TenantShare {
    return this.list(this.groups, day, groups);
  }

  /** The endpoints of a report, from the list of the same day as the groups list ({@link endpointsOfGroups}). */
  endpointsOfReport(day: Day, filters: ReportFilters): TenantShare {
    return {
      read: async (tenantId, name) => {
        const groups = await this.groups.asOf(tenantId, day);
        const endpoints = groups && (await this.endpoints.of(tenantId, groups.day));
        return endpoints && marked(endpointsOfGroups(groups, endpoints, filters), name);
      },
      has: (tenantId) => this.groups.hasAsOf(tenantId, day),
    };
  }

  /** The caller's own share, then those of others, each read when its turn comes. */
  async *combined(share: TenantShare, own: AsyncIterable<readonly Buffer[]> | undefined, others: readonly Neighbour[]): TopologyItems {
    if (own) yield* own;
    for (const { id, name } of others) {
      const items = await share.read(id, name);
      if (items) yield* items;
    }
  }

  /**
   * Tenants of the caller's data feed that have agreed and still exist, in its order, without duplicates. Auditors may read every tenant, so
   * they get those that had agreed then.
   */
  async neighbours({ tenantId, isAuditor }: TenantCaller): Promise<readonly Neighbour[]> {
    const { shown } = this;
    const rights = isAuditor ? shown : this.now;
    const named = [...new Set(await shown.feeds.tenantsOfDataFeed(tenantId))];
    const agreed = this.configuration.feedsData === 'agreed' ? await rights.feeds.agreed(tenantId, named) : undefined;
    const tenants = agreed ? named.filter((id) => agreed.has(id)) : named;
    const slice = new TimeSlice();
    const names = await shown.tenants.names(tenants, slice);
    const existing = rights === shown ? names : await rights.tenants.names(tenants, slice);
    return tenants.flatMap((id, index) => {
      const name = names[index];
      return name === undefined || existing[index] === undefined ? [] : { id, name };
    });
  }
}
