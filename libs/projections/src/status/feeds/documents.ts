import type { Feed } from '#domain/status/feeds/feeds.js';
import { tenantSubject } from '#domain/status/tenants/tenants.js';
import { collection } from '#projections/shared/collection.js';
import { RECORD_DEPTH, wireCodec } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const FEEDS = 'status.feeds';

export type FeedId = Readonly<{ tenantId: string; kind: Feed['kind'] }>;

const tenantIn = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** `agreed`: of a data feed, ids of tenants that it named before they had to agree. They count as agreed until they say whom they agree with. */
type FeedDocument = Feed['feed'] & Readonly<{ agreed?: readonly string[] }>;

export const feedCollections = {
  /** Each feed as it stands in an answer, but with tenants by id in a data feed. */
  feeds: collection<FeedDocument, FeedId>('feeds', {
    key: ({ tenantId, kind }) => `${tenantId}/${kind}`,
    codec: wireCodec(RECORD_DEPTH),
    sealed: [{ path: 'feed_url', subject: ({ key }) => tenantSubject(tenantIn(key)), mark: 'url' }],
    owner: tenantFirst,
  }),
} as const;
