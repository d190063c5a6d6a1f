import { FEEDS_CATEGORY, type Feed, type FeedEvent } from '#domain/status/feeds/feeds.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { FEEDS, feedCollections } from './documents.js';

const { feeds } = feedCollections;

/** The URL is empty after the key of the tenant is destroyed. */
const shown = ({ feed }: Feed): Feed['feed'] => ('feed_url' in feed ? { ...feed, feed_url: feed.feed_url ?? '' } : feed);

/** The feeds of each tenant, at most one per kind. */
export const feedsProjection = readModel<FeedEvent | TenantDeleted>(
  {
    name: FEEDS,
    version: 3,
    service: 'status',
    categories: [TENANTS_CATEGORY, FEEDS_CATEGORY],
    collections: Object.values(feedCollections),
    partitionsOf: tenantPartitionsOf([FEEDS_CATEGORY]),
  },
  {
    FeedReplaced: reading(
      ({ data }: EventOf<FeedEvent>) => ({ before: feeds.at(data) }),
      ({ data }, { before }) => {
        if (data.kind !== 'data') return [feeds.put(data, shown(data))];
        const known = before?.agreed ?? [];
        const agreed = data.asked ? known : [...new Set([...known, ...data.feed.tenants])];
        return [feeds.put(data, { ...data.feed, ...(agreed.length > 0 && { agreed }) })];
      },
    ),
    TenantDeleted: ({ data }) => [feeds.removeUnder(`${data.tenantId}/`)],
  },
);
