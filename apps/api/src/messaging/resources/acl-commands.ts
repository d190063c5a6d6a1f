import * as errors from '#api/messaging/errors.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { type InProject, toResources } from './project-resources.js';

type WithUsers = InProject & Readonly<{ userNames: readonly string[] }>;

/** Ids of project members by name. @throws MessagingError N08 for names without a member */
const idsOf = async (accounts: AccountQueries, { projectId, userNames }: WithUsers): Promise<readonly string[]> => {
  const users = await accounts.membersNamed(projectId, userNames);
  const missing = userNames.filter((_name, index) => users[index] === undefined);
  if (missing.length > 0) throw errors.usersNotFound(missing);
  return users.filter((user) => user !== undefined);
};

/** Replaces the ACL of a topic. `userNames`: all of them must be members of the project. */
export class ReplaceTopicAcl extends commandWith(
  [AccountQueries],
  async (data: WithUsers & Readonly<{ topic: string }>, { context, gateway }, accounts) => {
    const { projectId, topic } = data;
    const replacing = (users: readonly string[]) => toResources(context, { type: 'ReplaceTopicAcl', projectId, topic, users });
    return gateway.executeAfter(
      replacing([]),
      () => idsOf(accounts, data),
      (users) => gateway.execute(replacing(users)),
    );
  },
) {}

/** Replaces the ACL of a subscription. `userNames`: all of them must be members of the project. */
export class ReplaceSubscriptionAcl extends commandWith(
  [AccountQueries],
  async (data: WithUsers & Readonly<{ subscription: string }>, { context, gateway }, accounts) => {
    const { projectId, subscription } = data;
    const replacing = (users: readonly string[]) =>
      toResources(context, { type: 'ReplaceSubscriptionAcl', projectId, subscription, users });
    return gateway.executeAfter(
      replacing([]),
      () => idsOf(accounts, data),
      (users) => gateway.execute(replacing(users)),
    );
  },
) {}
