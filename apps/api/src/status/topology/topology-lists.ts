import { Inject, Injectable } from '@nestjs/common';
import { CONFIGURATION } from '#api/shared/tokens.js';
import { dayListQueriesOf } from '#api/status/day-lists/providers.js';
import type { Day } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReportFilters } from '#domain/status/topology/report-topology.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import { filtersNothing, passes, type TopologyFilter, type TopologyItem } from '#domain/status/topology/topology-filter.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
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
  constructor(
    private readonly feeds: FeedQueries,
    private readonly tenants: TenantQueries,
    @Inject(dayListQueriesOf(topologyEndpoints)) readonly endpoints: DayListQueries,
    @Inject(dayListQueriesOf(topologyGroups)) readonly groups: DayListQueries,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'feedsData'>,
  ) {}

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

  /** Tenants of the data feed that have agreed and still exist, in its order, without duplicates. */
  async neighbours(tenantId: string): Promise<readonly Neighbour[]> {
    const named = [...new Set(await this.feeds.tenantsOfDataFeed(tenantId))];
    const agreed = this.configuration.feedsData === 'agreed' ? await this.feeds.agreed(tenantId, named) : undefined;
    const tenants = agreed ? named.filter((id) => agreed.has(id)) : named;
    const names = await this.tenants.names(tenants, new TimeSlice());
    return tenants.flatMap((id, index) => {
      const name = names[index];
      return name === undefined ? [] : { id, name };
    });
  }
}
