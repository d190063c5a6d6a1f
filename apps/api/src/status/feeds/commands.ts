import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import { DomainError } from '#domain/shared/decider.js';
import { feeds, streamOfFeed } from '#domain/status/feeds/feeds.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

type OfTenant = Readonly<{ tenantId: string }>;

/** Each feed of a tenant has a stream of its own. */
const toFeed = toStreams(feeds, ({ tenantId, by }) => streamOfFeed(tenantId, by.kind));

/** The ids of tenants by name, in order. @throws DomainError `OVER_LIMIT`; `FEED_TENANT_NOT_FOUND` (details `name`: of the first unknown tenant) */
const idsOf = async (tenants: TenantQueries, names: readonly string[]): Promise<readonly string[]> => {
  sizeWithin('feedSize', { tenants: names });
  if (names.length > STATUS_LIMITS.feedTenants.value) throw overLimit('feedTenants');
  const ids = await tenants.idsByName(names);
  return names.map((name) => {
    const id = ids.get(name);
    if (id === undefined) throw new DomainError('FEED_TENANT_NOT_FOUND', { name });
    return id;
  });
};

/** Sets a feed without names of tenants. */
export class ReplaceFeed extends commandTo(toFeed, 'ReplaceFeed') {}

/**
 * Sets the tenants whose topology is shown in addition to the tenant's own.
 * @throws as {@link idsOf}; DomainError `FEED_TENANT_NOT_AGREED` (details `name`: of the first tenant that has not)
 */
export class SetDataFeed extends commandWith(
  [TenantQueries, FeedQueries, CONFIGURATION],
  async (
    { tenantId, tenantNames }: OfTenant & Readonly<{ tenantNames: readonly string[] }>,
    { context, gateway },
    tenantQueries,
    feedQueries,
    { feedsData },
  ) => {
    const tenants = await idsOf(tenantQueries, tenantNames);
    if (feedsData === 'agreed') {
      const agreed = await feedQueries.agreed(tenantId, tenants);
      const missing = tenants.findIndex((id) => !agreed.has(id));
      if (missing >= 0) throw new DomainError('FEED_TENANT_NOT_AGREED', { name: tenantNames[missing] ?? '' });
    }
    return gateway.execute(toFeed(context, { type: 'ReplaceFeed', tenantId, by: { kind: 'data', feed: { tenants } }, asked: true }));
  },
) {}

/** Sets the tenants that may name the tenant in their data feeds and see its topology. @throws as {@link idsOf} */
export class AgreeWithReaders extends commandWith(
  [TenantQueries],
  async ({ tenantId, tenantNames }: OfTenant & Readonly<{ tenantNames: readonly string[] }>, { context, gateway }, queries) => {
    const tenants = await idsOf(queries, tenantNames);
    return gateway.execute(toFeed(context, { type: 'ReplaceFeed', tenantId, by: { kind: 'readers', feed: { tenants } } }));
  },
) {}
