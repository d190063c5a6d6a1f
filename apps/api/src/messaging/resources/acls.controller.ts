import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/messaging/answers/answers.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { LIMITS } from '#api/messaging/limits.js';
import { withVerb } from '#api/messaging/names.js';
import { ACL } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { ADMINS } from '#api/messaging/roles.js';
import { Get, MessagingController, Post } from '#api/messaging/route.js';
import { due, type Infer, list, named, optional, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { doc } from '#domain/shared/shape.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { j3 } from '#projections/messaging/layout.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { ReplaceSubscriptionAcl, ReplaceTopicAcl } from './acl-commands.js';

const aclBody = named(
  'MessagingAclRequest',
  struct({
    authorized_users: due(
      optional(list(text)),
      doc(['text'], 'names of members of the project; they replace those of the ACL', { maxItems: LIMITS.usersPerAcl.value }),
    ),
  }),
);
type AclBody = Infer<typeof aclBody>;

/** User names in a body. @throws MessagingError `malformed` without a list; too many names */
const namesIn = ({ authorized_users: names }: AclBody, malformed: () => errors.MessagingError): readonly string[] => {
  if (!names) throw malformed();
  const { value } = LIMITS.usersPerAcl;
  if (names.length > value) throw errors.limitExceeded(`An ACL has at most ${value.toLocaleString('en-US')} users`);
  return names;
};

/** Users who may publish to a topic or pull from a subscription (messaging contract 1.7, 3.5, 3.7). */
@MessagingController('v1/projects/:project', 'messaging: access')
export class AclsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly accounts: AccountQueries,
  ) {}

  @Get(`topics/${withVerb('topic', 'acl')}`, {
    id: 'getTopicAcl',
    summary: 'The names of the users in the ACL of a topic',
    who: ADMINS,
    answers: shows(ACL, { authorized_users: ['ada'] }),
  })
  async ofTopic(@Call() { project: { projectId } }: MessagingCall, @Param('topic') name: string): Promise<Answer> {
    const { topicId } = found(await this.resources.topic(projectId, name), errors.topicNotFound);
    return this.shown(projectId, topicId);
  }

  @Get(`subscriptions/${withVerb('subscription', 'acl')}`, {
    id: 'getSubscriptionAcl',
    summary: 'The names of the users in the ACL of a subscription',
    who: ADMINS,
    answers: shows(ACL, { authorized_users: ['ada'] }),
  })
  async ofSubscription(@Call() { project: { projectId } }: MessagingCall, @Param('subscription') name: string): Promise<Answer> {
    const { subscriptionId } = found(await this.resources.subscription(projectId, name), errors.subscriptionNotFound);
    return this.shown(projectId, subscriptionId);
  }

  @Post(`topics/${withVerb('topic', 'modifyAcl')}`, {
    id: 'modifyTopicAcl',
    summary: 'Replaces the ACL of a topic; all users must be members of the project',
    who: ADMINS,
    body: aclBody,
    example: { authorized_users: ['ada'] },
    errors: [errors.invalidTopicAcl(), errors.usersNotFound(['ada', 'bob'])],
    answers: DONE,
  })
  async setOfTopic(
    @Call() { context, project: { projectId } }: MessagingCall,
    @Param('topic') topic: string,
    @BodyOf(aclBody, errors.invalidTopicAcl) body: AclBody,
  ): Promise<Answer> {
    const names = namesIn(body, errors.invalidTopicAcl);
    return done(this.bus.execute(new ReplaceTopicAcl(context, { projectId, topic, userNames: names })));
  }

  @Post(`subscriptions/${withVerb('subscription', 'modifyAcl')}`, {
    id: 'modifySubscriptionAcl',
    summary: 'Replaces the ACL of a subscription; all users must be members of the project',
    who: ADMINS,
    body: aclBody,
    example: { authorized_users: ['ada'] },
    errors: [errors.invalidSubscriptionAcl(), errors.usersNotFound(['ada', 'bob'])],
    answers: DONE,
  })
  async setOfSubscription(
    @Call() { context, project: { projectId } }: MessagingCall,
    @Param('subscription') subscription: string,
    @BodyOf(aclBody, errors.invalidSubscriptionAcl) body: AclBody,
  ): Promise<Answer> {
    const names = namesIn(body, errors.invalidSubscriptionAcl);
    return done(this.bus.execute(new ReplaceSubscriptionAcl(context, { projectId, subscription, userNames: names })));
  }

  /** Current names of the users in an ACL, without deleted users. */
  private async shown(projectId: string, id: string): Promise<Answer> {
    const ids = await this.resources.acl(projectId, id);
    const names = await this.accounts.namesOf(ids);
    return json(j3({ authorized_users: ids.flatMap((user) => names.get(user) ?? []) }));
  }
}
