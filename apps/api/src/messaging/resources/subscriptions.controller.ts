import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, empty, json } from '#api/messaging/answers/answers.js';
import { listAnswer } from '#api/messaging/answers/long-list.js';
import { inParts, LABELLED_PAGES } from '#api/messaging/answers/pagination.js';
import { largeBodyAs } from '#api/messaging/bodies.js';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { isShared, SharedSubscriptions } from '#api/messaging/deliveries/shared-subscriptions.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { type MessagingCaller } from '#api/messaging/http-policy.js';
import { withVerb } from '#api/messaging/names.js';
import { SUBSCRIPTION, SUBSCRIPTIONS } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import * as examples from '#api/messaging/openapi/examples.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { PullRights } from '#api/messaging/pull/pull-rights.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { referencedTopic } from '#api/messaging/references.js';
import { ADMINS, CONSUMERS, PULLERS } from '#api/messaging/roles.js';
import { Delete, Get, MessagingController, Post, Put } from '#api/messaging/route.js';
import { isAdministrator, onlyAccessible } from '#api/messaging/visibility.js';
import {
  described,
  due,
  type Infer,
  integer,
  list,
  named,
  optional,
  type ReceivedBody,
  struct,
  text,
} from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { answer, shows } from '#api/shared/openapi/described.js';
import { doc } from '#domain/shared/shape.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j3, jc } from '#projections/messaging/layout.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { pushConfigBody, requestedPush } from './push-configuration.js';
import { subscriptionView, withoutSecrets } from './resource-views.js';
import { CreateSubscription, DeleteSubscription, ModifyAckDeadline } from './subscription-commands.js';
import { optionMembers, requestedOptions } from './subscription-options.js';

const DEFAULT_DEADLINE_SECONDS = 10;
const LONGEST_DEADLINE_SECONDS = 600;

const subscriptionBody = named(
  'MessagingNewSubscription',
  struct({
    topic: due(
      text,
      doc('text', '`projects/{project}/topics/{topic}`, without leading slash', { pattern: '^projects/[^/]+/topics?/[^/]+$' }),
    ),
    ackDeadlineSeconds: described(
      integer,
      doc(
        'integer',
        `how long a consumer has to acknowledge; default 10, for 0 too; where \`ackMode\` is \`message\` 0 to ${LONGEST_DEADLINE_SECONDS}`,
      ),
    ),
    pushConfig: pushConfigBody,
    ...optionMembers,
  }),
);
const deadlineBody = named(
  'MessagingAckDeadlineRequest',
  struct({
    ackIds: optional(list(text)),
    ackDeadlineSeconds: described(integer, doc('integer', 'default 0', { minimum: 0, maximum: LONGEST_DEADLINE_SECONDS })),
  }),
);

/** @throws MessagingError B12 */
const requireDeadline = (seconds: number): void => {
  if (seconds < 0 || seconds > LONGEST_DEADLINE_SECONDS) throw errors.invalidAckDeadline();
};

/** Subscriptions, except for their messages, ACLs, push settings and metrics (messaging contract 3.7). */
@MessagingController('v1/projects/:project/subscriptions', 'messaging: subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly push: PushAvailability,
    private readonly lookup: SubscriptionLookup,
    private readonly rights: PullRights,
    private readonly shared: SharedSubscriptions,
  ) {}

  @Get('', {
    id: 'listSubscriptions',
    summary: 'The subscriptions of a project, newest first; consumers see those they may pull from',
    who: CONSUMERS,
    query: LABELLED_PAGES,
    answers: shows(SUBSCRIPTIONS),
  })
  list(@Call() { page, label, project, caller }: MessagingCall): Promise<Answer> {
    const wanted = { userId: onlyAccessible(caller, 'consumer'), label };
    const parts = inParts((part) => this.resources.subscriptions(project.projectId, part, wanted), page);
    return listAnswer('subscriptions', parts, async (items) => items.map((item) => subscriptionView(project, shownTo(caller, item))));
  }

  @Get(':subscription', {
    id: 'getSubscription',
    summary: 'One subscription',
    who: PULLERS,
    answers: shows(SUBSCRIPTION, examples.PUSHED_SUBSCRIPTION),
  })
  async show(@Call() { caller, project }: MessagingCall, @Param('subscription') name: string): Promise<Answer> {
    const subscription = await this.subscription(project, name);
    await this.rights.requireAccess(caller, project, subscription);
    const status = await this.push.statusOf(project, subscription);
    return json(j3(subscriptionView(project, shownTo(caller, subscription), status)));
  }

  @Put(':subscription', {
    id: 'createSubscription',
    summary: 'Creates a subscription to a topic: it gets the messages published from now on',
    who: ADMINS,
    body: subscriptionBody,
    example: { topic: 'projects/EGI/topics/news', ackDeadlineSeconds: 10 },
    errors: [
      errors.invalidSubscriptionArguments(),
      errors.invalidAckDeadline(),
      errors.invalidFilter(12, 'a key is expected, not the end'),
      errors.invalidTopicReference(),
      errors.topicNotFound(),
      ...errors.ofPushSettings(),
      errors.subscriptionExists(),
    ],
    answers: shows(SUBSCRIPTION),
  })
  async create(
    @Call() { context, project }: MessagingCall,
    @Param('subscription') name: string,
    @BodyOf(subscriptionBody, errors.invalidSubscriptionArguments) body: Infer<typeof subscriptionBody>,
  ): Promise<Answer> {
    const { ackDeadlineSeconds, pushConfig } = body;
    const optionsFor = requestedOptions(body);
    if (body.ackMode === 'message') requireDeadline(ackDeadlineSeconds);
    const topic = referencedTopic(body.topic);
    const options = optionsFor(topic, project);
    const push = requestedPush(pushConfig);
    const settings = { topic, ackDeadlineSeconds: ackDeadlineSeconds || DEFAULT_DEADLINE_SECONDS, push, options };
    const { subscription, readable } = await this.bus.execute(
      new CreateSubscription(context, { projectId: project.projectId, name, settings }),
    );
    return json(j3(subscriptionView(project, subscription)), { readable });
  }

  @Delete(':subscription', {
    id: 'deleteSubscription',
    summary: 'Deletes a subscription',
    who: ADMINS,
    answers: {
      200: {
        ...answer({ message: 'text' }, { message: 'Subscription /projects/EGI/subscriptions/reader deactivated' }),
        description: 'deleted; the body is empty unless messages were pushed',
      },
    },
  })
  async delete(@Call() { context, project }: MessagingCall, @Param('subscription') name: string): Promise<Answer> {
    const { deleted, readable } = await this.bus.execute(new DeleteSubscription(context, { projectId: project.projectId, name }));
    const body = this.push.deleteReply(project, deleted);
    return body ? json(jc(body), { readable }) : empty({ readable });
  }

  /** If messages are acknowledged one by one, `ackIds` name the affected ones: that is a call for consumers, as `:pull` is. */
  @Post(withVerb('subscription', 'modifyAckDeadline'), {
    id: 'modifyAckDeadline',
    summary: 'Sets how long consumers have to acknowledge, in seconds; also for what is out',
    description:
      'With `ackIds`, where `ackMode` is `message`: how long these deliveries may still take, from now on; 0 gives their messages back at once.',
    who: PULLERS,
    limit: 'document',
    body: deadlineBody,
    example: { ackDeadlineSeconds: 30 },
    errors: [errors.invalidAckDeadline()],
    answers: DONE,
  })
  async modifyAckDeadline(
    @Call() { context, caller, project, body, request, reply }: MessagingCall,
    @Param('subscription') subscription: string,
  ): Promise<Answer> {
    const { projectId } = project;
    const modified = await deadlineIn(body, caller);
    const { ackDeadlineSeconds, ackIds } = modified;
    if (!ackIds) requireConsumer(caller);
    requireDeadline(ackDeadlineSeconds);
    if (ackIds) {
      const found = await this.lookup.byName(project, subscription);
      if (isShared(found)) {
        await this.rights.require(caller, project, found.subscription);
        return this.shared.modifyAckDeadline({ request, reply, context, project, found }, ackIds, ackDeadlineSeconds);
      }
      requireConsumer(caller);
    }
    await this.rights.requireAccess(caller, project, await this.subscription(project, subscription));
    return done(this.bus.execute(new ModifyAckDeadline(context, { projectId, subscription, ackDeadlineSeconds })));
  }

  /** @throws MessagingError N04 */
  private async subscription({ projectId }: ProjectReference, name: string): Promise<SubscriptionDocument> {
    return found(await this.resources.subscription(projectId, name), errors.subscriptionNotFound);
  }
}

/** Only administrators see secrets of push settings. */
const shownTo = (caller: MessagingCaller, subscription: SubscriptionDocument): SubscriptionDocument =>
  isAdministrator(caller) ? subscription : withoutSecrets(subscription);

/** A caller who may not change the subscription's own deadline gets no other error. @throws MessagingError B12, F01 */
const deadlineIn = async (body: ReceivedBody | undefined, caller: MessagingCaller): Promise<Infer<typeof deadlineBody>> => {
  try {
    return await largeBodyAs(body, deadlineBody, errors.invalidAckDeadline);
  } catch (error) {
    requireConsumer(caller);
    throw error;
  }
};

/** Messaging contract 1.6. @throws MessagingError F01 */
const requireConsumer = ({ kind, roles }: MessagingCaller): void => {
  if (kind === 'user' && !CONSUMERS.some((role) => roles.includes(role))) throw errors.forbidden();
};
