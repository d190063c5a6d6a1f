import { feeds, streamOfFeed } from '#domain/status/feeds/feeds.js';
import { LeftOut } from '../migration.js';
import { feedKinds } from './documents/feed-documents.js';
import { madeAt } from './documents/members.js';
import { parsed, type TenantRow } from './row.js';

/** The feeds of a tenant; of several documents of a kind the first counts, as in the original. */
export const feedRows: readonly TenantRow[] = Object.entries(feedKinds).map(([collection, feedOf]) => ({
  collection,
  take: ({ writer, report, found: { tenants } }, tenant) => {
    let isFirst = true;
    return async ({ fields, origin }) => {
      if (!isFirst) throw new LeftOut('only the first document counts');
      isFirst = false;
      const by = feedOf(fields);
      const command = { type: 'ReplaceFeed', tenantId: tenant.tenantId, by } as const;
      const stream = streamOfFeed(tenant.tenantId, by.kind);
      const written = await writer.decide({ origin, stream, decider: feeds, steps: [{ command, time: madeAt(fields) }] });
      const gone = by.kind === 'data' ? by.feed.tenants.filter((id) => !tenants.some(({ tenantId }) => tenantId === id)) : [];
      if (gone.length > 0) report.note(`the data feed of ${tenant.name} names tenants that are not there: ${gone.join(', ')}`);
      return written;
    };
  },
  compared: {
    whole: true,
    expected: ({ fields }) => feedOf(fields).feed,
    found: async ({ fields }, { queries, scope: { tenantId } }) => {
      const { kind } = feedOf(fields);
      if (kind !== 'data') return parsed(await queries.feeds.feed({ tenantId, kind }));
      const tenants = await queries.feeds.tenantsOfDataFeed(tenantId);
      return tenants && { tenants };
    },
  },
}));
