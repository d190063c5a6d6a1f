import type { Feed } from '#domain/status/feeds/feeds.js';
import { tenantSubject } from '#domain/status/tenants/tenants.js';
import { collection } from '#projections/shared/collection.js';
import { RECORD_DEPTH, wireCodec } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const FEEDS = 'status.feeds';

export type FeedId = Readonly<{ tenantId: string; kind: Feed['kind'] }>;

const tenantIn = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** `agreed`: ids of tenants that a data feed contained before consent was required. They count as consenting until they set their own list. */
type FeedDocument = Feed['feed'] & Readonly<{ agreed?: readonly string[] }>;

export const feedCollections = {
  /** Feeds in the format of answers, except that a data feed contains tenant ids. */
  feeds: collection<FeedDocument, FeedId>('feeds', {
    key: ({ tenantId, kind }) => `${tenantId}/${kind}`,
    codec: wireCodec(RECORD_DEPTH),
    sealed: [{ path: 'feed_url', subject: ({ key }) => tenantSubject(tenantIn(key)), mark: 'url' }],
    owner: tenantFirst,
  }),
} as const;
