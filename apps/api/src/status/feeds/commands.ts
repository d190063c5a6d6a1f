import { Inject, type Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { WriteOutcome } from '#api/status/written.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { type Feed, feeds, streamOfFeed, type TopologyFeed, type WeightsFeed } from '#domain/status/feeds/feeds.js';
import { overLimit, STATUS_LIMITS, sizeWithin } from '#domain/status/limits.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

/** Each feed of a tenant has a stream of its own. */
const toFeed = (context: CommandContext, tenantId: string, by: Feed) =>
  ({ stream: streamOfFeed(tenantId, by.kind), decider: feeds, context, command: { type: 'ReplaceFeed', tenantId, by } }) as const;

/** Replaces the topology feed of a tenant. */
export class SetTopologyFeed extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly feed: TopologyFeed,
  ) {
    super();
  }
}

@CommandHandler(SetTopologyFeed)
class SetTopologyFeedHandler implements ICommandHandler<SetTopologyFeed> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, feed }: SetTopologyFeed): Promise<WriteOutcome> {
    return this.gateway.execute(toFeed(context, tenantId, { kind: 'topology', feed }));
  }
}

/** Replaces the weights feed of a tenant. */
export class SetWeightsFeed extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly feed: WeightsFeed,
  ) {
    super();
  }
}

@CommandHandler(SetWeightsFeed)
class SetWeightsFeedHandler implements ICommandHandler<SetWeightsFeed> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, feed }: SetWeightsFeed): Promise<WriteOutcome> {
    return this.gateway.execute(toFeed(context, tenantId, { kind: 'weights', feed }));
  }
}

/** Names the tenants whose topology is shown beside the tenant's own. */
export class SetDataFeed extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly tenantNames: readonly string[],
  ) {
    super();
  }
}

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

@CommandHandler(SetDataFeed)
class SetDataFeedHandler implements ICommandHandler<SetDataFeed> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly tenants: TenantQueries,
    private readonly feeds: FeedQueries,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'feedsData'>,
  ) {}

  /** @throws as {@link idsOf}; DomainError `FEED_TENANT_NOT_AGREED` (details `name`: of the first tenant that has not) */
  async execute({ context, tenantId, tenantNames }: SetDataFeed): Promise<WriteOutcome> {
    const tenants = await idsOf(this.tenants, tenantNames);
    if (this.configuration.feedsData === 'agreed') {
      const agreed = await this.feeds.agreed(tenantId, tenants);
      const missing = tenants.findIndex((id) => !agreed.has(id));
      if (missing >= 0) throw new DomainError('FEED_TENANT_NOT_AGREED', { name: tenantNames[missing] ?? '' });
    }
    const { command, ...others } = toFeed(context, tenantId, { kind: 'data', feed: { tenants } });
    return this.gateway.execute({ ...others, command: { ...command, asked: true } });
  }
}

/** Says which tenants may name the tenant in their data feeds, and be shown its topology. */
export class AgreeWithReaders extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly tenantNames: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(AgreeWithReaders)
class AgreeWithReadersHandler implements ICommandHandler<AgreeWithReaders> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly tenants: TenantQueries,
  ) {}

  /** @throws as {@link idsOf} */
  async execute({ context, tenantId, tenantNames }: AgreeWithReaders): Promise<WriteOutcome> {
    const tenants = await idsOf(this.tenants, tenantNames);
    return this.gateway.execute(toFeed(context, tenantId, { kind: 'readers', feed: { tenants } }));
  }
}

export const feedHandlers: readonly Type[] = [SetTopologyFeedHandler, SetWeightsFeedHandler, SetDataFeedHandler, AgreeWithReadersHandler];
