import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import { sealedForTenant } from '#domain/status/tenants/tenants.js';

/** Source of a tenant's topology, with members as on the wire (status extended contract 5). */
type TopologyFeed = Readonly<{
  type: string;
  feed_url: string;
  /** A text, not a flag. */
  paginated: string;
  fetch_type: readonly string[];
  uid_endpoints: string;
}>;
/** Source of a tenant's weights. */
type WeightsFeed = Readonly<{ type: string; feed_url: string; weight_type: string; group_type: string }>;
/** Ids of the tenants whose topology is shown in addition to the tenant's own. */
type DataFeed = Readonly<{ tenants: readonly string[] }>;

export type Feed =
  | Readonly<{ kind: 'topology'; feed: TopologyFeed }>
  | Readonly<{ kind: 'weights'; feed: WeightsFeed }>
  | Readonly<{ kind: 'data'; feed: DataFeed }>
  /** Ids of the tenants whose data feeds may refer to this tenant and show its topology. */
  | Readonly<{ kind: 'readers'; feed: DataFeed }>;

/** `asked`: for a data feed, its tenants must have consented. Absent: feeds from before this rule, and migrated ones, count as consented. */
type Asked = Readonly<{ asked?: true }>;

export type FeedEvent = Readonly<{ type: 'FeedReplaced'; data: Readonly<{ tenantId: string }> & Feed & Asked }>;
type FeedCommand = Readonly<{ type: 'ReplaceFeed'; tenantId: string; by: Feed }> & Asked;

export const FEEDS_CATEGORY = 'status.feeds';
/** Each feed of a tenant has its own stream, because feeds are independent of each other. */
export const streamOfFeed = (tenantId: string, kind: Feed['kind']): string => `${FEEDS_CATEGORY}-${tenantId}.${kind}`;

/** The URL is sealed, because it may contain credentials. A data feed has no URL. */
export const feedEvents: CatalogueOf<FeedEvent> = {
  FeedReplaced: { resource: none, ...sealedForTenant('feed.feed_url'), marks: { 'feed.feed_url': 'url' } },
};

/** The rules of one feed. It is replaced as a whole; an equal feed changes nothing. Rejects with `OVER_LIMIT`. */
export const feeds: Decider<Readonly<{ feed: string | null }>, FeedCommand, FeedEvent> = {
  window: 1,
  initialState: () => ({ feed: null }),
  decide: ({ tenantId, by, asked }, { feed }) => {
    sizeWithin('feedSize', by.feed);
    if ('tenants' in by.feed && by.feed.tenants.length > STATUS_LIMITS.feedTenants.value) throw overLimit('feedTenants');
    return JSON.stringify(by.feed) === feed ? [] : [{ type: 'FeedReplaced', data: { tenantId, ...by, ...(asked && { asked }) } }];
  },
  evolve: (_state, { data }) => ({ feed: JSON.stringify(data.feed) }),
};
