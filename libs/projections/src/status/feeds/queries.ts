import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import { FEEDS, type FeedId, feedCollections } from './documents.js';

const { feeds } = feedCollections;

export class FeedQueries extends queriesOf(FEEDS) {
  /** A feed other than a data feed, in the format of answers. `null` if it was never set. */
  feed(feed: FeedId): Promise<Buffer | null> {
    return feeds.bytes(this.view, feed);
  }

  /** The tenant ids of a tenant's data feed. `undefined` if it was never set. */
  async tenantsOfDataFeed(tenantId: string): Promise<readonly string[] | undefined> {
    const feed = await feeds.get(this.view, { tenantId, kind: 'data' });
    return feed && 'tenants' in feed ? feed.tenants : undefined;
  }

  /** The tenants among `owners` whose topology the tenant may read: itself, and those that consented. */
  async agreed(tenantId: string, owners: readonly string[]): Promise<ReadonlySet<string>> {
    const [own, ...readers] = await feeds.getMany(this.view, [
      { tenantId, kind: 'data' },
      ...owners.map((owner) => ({ tenantId: owner, kind: 'readers' as const })),
    ]);
    const mayRead = (owner: string, index: number): boolean => {
      const agreement = readers[index];
      if (owner === tenantId) return true;
      return agreement && 'tenants' in agreement ? agreement.tenants.includes(tenantId) : (own?.agreed?.includes(owner) ?? false);
    };
    return new Set(owners.filter(mayRead));
  }

  /** Ids of the tenants that have a tenant's consent: its latest list, otherwise the tenants whose feeds contained it before consent was required. */
  async readers(tenantId: string, slice: Slice): Promise<readonly string[]> {
    const said = await feeds.get(this.view, { tenantId, kind: 'readers' });
    if (said) return 'tenants' in said ? said.tenants : [];
    const found: string[] = [];
    for await (const page of pagesOf(this.view, feeds.name, {}, { slice }))
      for (const { key, value } of page)
        if (key.endsWith('/data') && feeds.parse(value).agreed?.includes(tenantId)) found.push(key.slice(0, key.lastIndexOf('/')));
    return found;
  }
}
