import { FEEDS_CATEGORY, type Feed, type FeedEvent } from '#domain/status/feeds/feeds.js';
import { TENANTS_CATEGORY, type TenantDeleted, tenantSubject } from '#domain/status/tenants/tenants.js';
import { defineProjection } from '#projections/shared/define.js';
import { type Projection, put, removePrefix } from '#projections/shared/projection.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';

export const FEEDS_PROJECTION = 'status.feeds';

/** Key of {@link feedKey} → the feed as it stands in a response, but with tenants by id in a data feed. */
export const FEEDS = 'feeds';

/** `<tenant>/<kind>` */
export const feedKey = (tenantId: string, kind: Feed['kind']): string => `${tenantId}/${kind}`;

/** The URL shows as empty once the key of the tenant is destroyed. */
const shown = ({ feed }: Feed): Feed['feed'] => ('feed_url' in feed ? { ...feed, feed_url: feed.feed_url ?? '' } : feed);

const tenantIn = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** The feeds of each tenant, one of a kind at most. */
export const feedsProjection: Projection = defineProjection<FeedEvent | TenantDeleted>({
  name: FEEDS_PROJECTION,
  version: 2,
  service: 'status',
  categories: [TENANTS_CATEGORY, FEEDS_CATEGORY],
  handles: ['FeedReplaced', 'TenantDeleted'],
  partitions: byTenant([FEEDS_CATEGORY], [FEEDS]),
  codecs: { [FEEDS]: { encode: (feed) => wireText(feed, RECORD_DEPTH), decode: (text) => JSON.parse(text) } },
  sealed: { [FEEDS]: [{ path: 'feed_url', subject: ({ key }) => tenantSubject(tenantIn(key)) }] },
  apply: (event) => {
    switch (event.type) {
      case 'FeedReplaced':
        return [put(FEEDS, feedKey(event.data.tenantId, event.data.kind), shown(event.data))];
      case 'TenantDeleted':
        return [removePrefix(FEEDS, `${event.data.tenantId}/`)];
    }
  },
});
