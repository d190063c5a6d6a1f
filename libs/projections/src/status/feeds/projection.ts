import { FEEDS_CATEGORY, type Feed, type FeedEvent } from '#domain/status/feeds/feeds.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { FEEDS, feedCollections } from './documents.js';

const { feeds } = feedCollections;

/** The URL shows as empty once the key of the tenant is destroyed. */
const shown = ({ feed }: Feed): Feed['feed'] => ('feed_url' in feed ? { ...feed, feed_url: feed.feed_url ?? '' } : feed);

/** The feeds of each tenant, one of a kind at most. */
export const feedsProjection = readModel<FeedEvent | TenantDeleted>(
  {
    name: FEEDS,
    version: 2,
    service: 'status',
    categories: [TENANTS_CATEGORY, FEEDS_CATEGORY],
    collections: Object.values(feedCollections),
    partitionsOf: tenantPartitionsOf([FEEDS_CATEGORY]),
  },
  {
    FeedReplaced: ({ data }) => [feeds.put(data, shown(data))],
    TenantDeleted: ({ data }) => [feeds.removeUnder(`${data.tenantId}/`)],
  },
);
