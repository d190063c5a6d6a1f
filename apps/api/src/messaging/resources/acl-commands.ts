import type { Provider } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { handles } from '#api/shared/commands/handlers.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { type InProject, type ResourceOutcome, toResources } from './project-resources.js';

type WithUsers = InProject & Readonly<{ userNames: readonly string[] }>;

/** Replaces the ACL of a topic. `userNames`: all of them must be members of the project. */
export class ReplaceTopicAcl extends CommandWith<WithUsers & Readonly<{ topic: string }>, ResourceOutcome> {}

/** Replaces the ACL of a subscription. `userNames`: all of them must be members of the project. */
export class ReplaceSubscriptionAcl extends CommandWith<WithUsers & Readonly<{ subscription: string }>, ResourceOutcome> {}

/** Ids of project members by name. @throws MessagingError N08 for names without a member */
const idsOf = async (accounts: AccountQueries, { projectId, userNames }: WithUsers): Promise<readonly string[]> => {
  const users = await accounts.membersNamed(projectId, userNames);
  const missing = userNames.filter((_name, index) => users[index] === undefined);
  if (missing.length > 0) throw errors.usersNotFound(missing);
  return users.filter((user) => user !== undefined);
};

export const aclHandlers: readonly Provider[] = [
  handles(ReplaceTopicAcl, [CommandGateway, AccountQueries], async ({ context, data }, gateway, accounts) => {
    const { projectId, topic } = data;
    const users = await idsOf(accounts, data);
    return gateway.execute(toResources(context, { type: 'ReplaceTopicAcl', projectId, topic, users }));
  }),

  handles(ReplaceSubscriptionAcl, [CommandGateway, AccountQueries], async ({ context, data }, gateway, accounts) => {
    const { projectId, subscription } = data;
    const users = await idsOf(accounts, data);
    return gateway.execute(toResources(context, { type: 'ReplaceSubscriptionAcl', projectId, subscription, users }));
  }),
];
