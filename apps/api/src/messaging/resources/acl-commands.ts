import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import * as errors from '#api/messaging/errors.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { type ResourceOutcome, resourcesOf } from './project-resources.js';

/** Ids of members of a project by their names. @throws MessagingError N08 for names that no member has */
const idsOf = async (accounts: AccountQueries, projectId: string, names: readonly string[]): Promise<readonly string[]> => {
  const users = await accounts.membersNamed(projectId, names);
  const missing = names.filter((_name, index) => users[index] === undefined);
  if (missing.length > 0) throw errors.usersNotFound(missing);
  return users.filter((user) => user !== undefined);
};

/** Replaces the ACL of a topic. `userNames`: all of them must be members of the project. */
export class ReplaceTopicAcl extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly topic: string,
    readonly userNames: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(ReplaceTopicAcl)
class ReplaceTopicAclHandler implements ICommandHandler<ReplaceTopicAcl> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, projectId, topic, userNames }: ReplaceTopicAcl): Promise<ResourceOutcome> {
    const users = await idsOf(this.accounts, projectId, userNames);
    return this.gateway.execute({ ...resourcesOf(projectId), context, command: { type: 'ReplaceTopicAcl', topic, users } });
  }
}

/** Replaces the ACL of a subscription. `userNames`: all of them must be members of the project. */
export class ReplaceSubscriptionAcl extends Command<ResourceOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly subscription: string,
    readonly userNames: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(ReplaceSubscriptionAcl)
class ReplaceSubscriptionAclHandler implements ICommandHandler<ReplaceSubscriptionAcl> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly accounts: AccountQueries,
  ) {}

  async execute({ context, projectId, subscription, userNames }: ReplaceSubscriptionAcl): Promise<ResourceOutcome> {
    const users = await idsOf(this.accounts, projectId, userNames);
    const command = { type: 'ReplaceSubscriptionAcl', subscription, users } as const;
    return this.gateway.execute({ ...resourcesOf(projectId), context, command });
  }
}

export const aclCommandHandlers: readonly Type[] = [ReplaceTopicAclHandler, ReplaceSubscriptionAclHandler];
