import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { FEEDS, type FeedId, feedCollections } from './documents.js';

const { feeds } = feedCollections;

/** What is known of the feeds of tenants. */
export class FeedQueries {
  private readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(FEEDS);
  }

  /** A feed as it stands in an answer, but with tenants by id in a data feed; `null` if it was never set. */
  feed(feed: FeedId): Promise<Buffer | null> {
    return feeds.bytes(this.view, feed);
  }

  /** The ids of the tenants of a tenant's data feed; `undefined` if it was never set. */
  async tenantsOfDataFeed(tenantId: string): Promise<readonly string[] | undefined> {
    const feed = await feeds.get(this.view, { tenantId, kind: 'data' });
    return feed && 'tenants' in feed ? feed.tenants : undefined;
  }
}
