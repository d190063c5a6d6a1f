import { Injectable } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import type { MessagingCaller } from '#api/messaging/http-policy.js';
import { PushAvailability } from '#api/messaging/push/push-availability.js';
import { requireInAcl } from '#api/messaging/visibility.js';
import type { SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import type { ReadableSubscription } from './pull-messages.js';

/** Whether a caller with a role for it may pull from a subscription (messaging contract 1.7). */
@Injectable()
export class PullRights {
  constructor(
    private readonly resources: ResourceQueries,
    private readonly push: PushAvailability,
  ) {}

  /** @throws MessagingError C07, F01 */
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
}

/** @throws MessagingError C06 */
export const requireTopic = (ref: SubscriptionRef): ReadableSubscription => {
  const { topicId } = ref;
  if (topicId === null) throw errors.topicOfSubscriptionGone();
  return { ...ref, topicId };
};
