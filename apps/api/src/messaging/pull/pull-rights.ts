import { Inject, Injectable } from '@nestjs/common';
import type { ReadableSubscription } from '#api/messaging/cursors/pull-messages.js';
import { type FoundSubscription, SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { isShared } from '#api/messaging/deliveries/shared-subscriptions.js';
import * as errors from '#api/messaging/errors.js';
import type { MessagingCaller } from '#api/messaging/http-policy.js';
import type { MessagingCall } from '#api/messaging/parameters.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { requireInAcl } from '#api/messaging/visibility.js';
import type { CallerCheck } from '#api/shared/http/long-calls.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { RESOURCES, ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';

/**
 * Decides whether a caller whose role fits may read or move a subscription (messaging contract 1.7). Calls for messages use {@link
 * require}, all others {@link requireAccess}. The original checks only some of them. The unchecked ones stay open for subscriptions of its
 * kind, unless `LOGBOOK_MESSAGING_STRICT_ACL` is set.
 */
@Injectable()
export class PullRights {
  constructor(
    private readonly resources: ResourceQueries,
    private readonly subscriptions: SubscriptionLookup,
    private readonly push: PushAvailability,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingStrictAcl'>,
  ) {}

  /** The subscription of this name, if the caller may pull from it now. @throws MessagingError N04, C07, F01 */
  async admit({ caller, project }: Pick<MessagingCall, 'caller' | 'project'>, name: string): Promise<FoundSubscription> {
    const found = await this.subscriptions.byName(project, name);
    await this.require(caller, project, found.subscription);
    return found;
  }

  /** The same check, for calls that take long. */
  again(call: Pick<MessagingCall, 'caller' | 'project'>, name: string): CallerCheck {
    return { readModels: [RESOURCES], admit: () => this.admit(call, name) };
  }

  /** For calls that deliver messages: pulls, and calls that AMS does not have. @throws MessagingError C07, F01 */
  async require(
    caller: MessagingCaller,
    { projectId }: ProjectReference,
    { subscriptionId, push }: Pick<SubscriptionDocument, 'subscriptionId' | 'push'>,
  ): Promise<void> {
    const { roles } = caller;
    if (push && !roles.includes('service_admin')) {
      if (!roles.includes('push_worker')) throw errors.forbidden();
      await this.push.requireAvailable();
    }
    await requireInAcl(this.resources, { projectId, id: subscriptionId }, caller, 'consumer');
  }

  /** For acknowledgements, which AMS permits to all consumers of the project. @throws MessagingError C07, F01 */
  async requireForAcknowledgement(caller: MessagingCaller, project: ProjectReference, subscription: SubscriptionDocument): Promise<void> {
    if (this.isStrict(subscription)) await this.require(caller, project, subscription);
  }

  /** For calls about the subscription itself, which AMS permits to all consumers of the project. @throws MessagingError F01 */
  async requireAccess(caller: MessagingCaller, { projectId }: ProjectReference, subscription: SubscriptionDocument): Promise<void> {
    if (!this.isStrict(subscription)) return;
    await requireInAcl(this.resources, { projectId, id: subscription.subscriptionId }, caller, 'consumer');
  }

  private isStrict(subscription: SubscriptionDocument): boolean {
    return this.configuration.messagingStrictAcl || isShared({ subscription });
  }
}

/** @throws MessagingError C06 */
export const requireTopic = (ref: SubscriptionRef): ReadableSubscription => {
  const { topicId } = ref;
  if (topicId === null) throw errors.topicOfSubscriptionGone();
  return { ...ref, topicId };
};
