import { feeds, streamOfFeed } from '#domain/status/feeds/feeds.js';
import { LeftOut, type TakeDocument } from '../migration.js';
import { feedKinds } from './documents/feed-documents.js';
import { madeAt } from './documents/members.js';
import type { StatusMigration } from './options.js';
import { type Findings, fileOf, type TenantScope } from './tenant-scope.js';

/** Takes over the feeds of a tenant; of several documents of a kind the first counts, as in the original. */
export const takeFeeds = async (migration: StatusMigration, tenant: TenantScope, { tenants }: Findings): Promise<void> => {
  const { writer, report } = migration;
  for (const [collection, feedOf] of Object.entries(feedKinds)) {
    let isFirst = true;
    const take: TakeDocument = async ({ fields, origin }) => {
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
    await migration.each(fileOf(migration, tenant, collection), take);
  }
};
