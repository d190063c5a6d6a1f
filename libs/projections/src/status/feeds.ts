import { FEEDS_CATEGORY, type Feed, type FeedEvent } from '#domain/status/feeds.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants.js';
import { defineProjection } from '../shared/define.js';
import { type Projection, put, removePrefix } from '../shared/projection.js';
import { RECORD_DEPTH, wireText } from './layout.js';

export const FEEDS_PROJECTION = 'status.feeds';

/** Key of {@link feedKey} → the feed as it stands in a response, but with tenants by id in a data feed. */
export const FEEDS = 'feeds';

/** `<tenant>/<kind>` */
export const feedKey = (tenantId: string, kind: Feed['kind']): string => `${tenantId}/${kind}`;

/** The feeds of each tenant, one of a kind at most. */
export const feedsProjection: Projection = defineProjection<FeedEvent | TenantDeleted>({
  name: FEEDS_PROJECTION,
  version: 1,
  service: 'status',
  categories: [TENANTS_CATEGORY, FEEDS_CATEGORY],
  handles: ['FeedReplaced', 'TenantDeleted'],
  codecs: { [FEEDS]: { encode: (feed) => wireText(feed, RECORD_DEPTH), decode: (text) => JSON.parse(text) } },
  apply: (event) => {
    switch (event.type) {
      case 'FeedReplaced':
        return [put(FEEDS, feedKey(event.data.tenantId, event.data.kind), event.data.feed)];
      case 'TenantDeleted':
        return [removePrefix(FEEDS, `${event.data.tenantId}/`)];
    }
  },
});
