import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { WriteOutcome } from '#api/status/answers/written.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type FeedCommand, feeds, streamOfFeed, type TopologyFeed, type WeightsFeed } from '#domain/status/feeds/feeds.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

type OfTenant = Readonly<{ tenantId: string }>;
export class SetTopologyFeed extends CommandWith<OfTenant & Readonly<{ feed: TopologyFeed }>, WriteOutcome> {}
export class SetWeightsFeed extends CommandWith<OfTenant & Readonly<{ feed: WeightsFeed }>, WriteOutcome> {}

/**
 * Sets the tenants whose topology is shown in addition to the tenant's own.
 * @throws as {@link idsOf}; DomainError `FEED_TENANT_NOT_AGREED` (details `name`: of the first tenant that has not)
 */
export class SetDataFeed extends CommandWith<OfTenant & Readonly<{ tenantNames: readonly string[] }>, WriteOutcome> {}

/** Sets the tenants that may name the tenant in their data feeds and see its topology. @throws as {@link idsOf} */
export class AgreeWithReaders extends CommandWith<OfTenant & Readonly<{ tenantNames: readonly string[] }>, WriteOutcome> {}

/** Each feed of a tenant has a stream of its own. */
const toFeed = (context: CommandContext, command: Omit<FeedCommand, 'type'>) => ({
  stream: streamOfFeed(command.tenantId, command.by.kind),
  decider: feeds,
  context,
  command: { type: 'ReplaceFeed', ...command } as const,
});

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

export const feedHandlers: readonly Provider[] = [
  handles(SetTopologyFeed, [CommandGateway], ({ context, data: { tenantId, feed } }, gateway) =>
    gateway.execute(toFeed(context, { tenantId, by: { kind: 'topology', feed } })),
  ),

  handles(SetWeightsFeed, [CommandGateway], ({ context, data: { tenantId, feed } }, gateway) =>
    gateway.execute(toFeed(context, { tenantId, by: { kind: 'weights', feed } })),
  ),

  handles(
    SetDataFeed,
    [CommandGateway, TenantQueries, FeedQueries, CONFIGURATION],
    async ({ context, data: { tenantId, tenantNames } }, gateway, tenantQueries, feedQueries, { feedsData }) => {
      const tenants = await idsOf(tenantQueries, tenantNames);
      if (feedsData === 'agreed') {
        const agreed = await feedQueries.agreed(tenantId, tenants);
        const missing = tenants.findIndex((id) => !agreed.has(id));
        if (missing >= 0) throw new DomainError('FEED_TENANT_NOT_AGREED', { name: tenantNames[missing] ?? '' });
      }
      return gateway.execute(toFeed(context, { tenantId, by: { kind: 'data', feed: { tenants } }, asked: true }));
    },
  ),

  handles(AgreeWithReaders, [CommandGateway, TenantQueries], async ({ context, data: { tenantId, tenantNames } }, gateway, queries) => {
    const tenants = await idsOf(queries, tenantNames);
    return gateway.execute(toFeed(context, { tenantId, by: { kind: 'readers', feed: { tenants } } }));
  }),
];
