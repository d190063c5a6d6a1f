import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { type InProject, ownerOf, toResources, writeResource } from '#api/messaging/resources/project-resources.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { contextNow } from '#api/shared/commands/context-now.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import { type RequestedPush, subscriptionSubject } from '#domain/messaging/resources/subscriptions.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';

type OfSubscription = InProject & Readonly<{ subscription: string }>;

/** Replaces the push settings of a subscription. `push`: `null` if the subscription is to be pulled. @throws MessagingError N04, C07, I07 */
export class ReplacePushConfiguration extends commandWith(
  [ResourceQueries, PushAvailability, ErasedSubjects],
  async (
    { projectId, subscription, push: request }: OfSubscription & Readonly<{ push: PushRequest | null }>,
    call,
    resources,
    availability,
    erased,
  ) => {
    const { context, gateway } = call;
    const replacing = (push: RequestedPush | null) => ({ type: 'ReplacePushConfiguration', projectId, subscription, push }) as const;
    const undo = { type: 'DeleteSubscription', name: subscription } as const;
    const check = async () => {
      const { subscriptionId } = found(await resources.subscription(projectId, subscription), errors.subscriptionNotFound);
      if (request) await erased.refuse(subscriptionSubject(subscriptionId));
      return availability.requested(request);
    };
    const write = (push: RequestedPush | null) => writeResource(call, replacing(push), undo);
    return gateway.executeAfter(toResources(context, replacing(null)), check, write, ownerOf(call, projectId));
  },
) {}

/**
 * Requests the verification hash from the host of a push endpoint. If it is right, messages are pushed from then on.
 * @throws MessagingError C07, I07, N04, C08, U02
 */
export class VerifyPushEndpoint extends commandWith(
  [ResourceQueries, PushAvailability, CLOCK],
  async ({ projectId, subscription }: OfSubscription, { context, gateway }, resources, availability, clock) => {
    const verifying = (verificationHash: string) =>
      toResources(contextNow(context, clock), { type: 'VerifyPushEndpoint', projectId, subscription, verificationHash });
    const check = async () => {
      await availability.requireAvailable();
      const { push } = found(await resources.subscription(projectId, subscription), errors.subscriptionNotFound);
      if (push?.type !== 'http_endpoint') throw errors.notInPushMode();
      // An already verified endpoint is left to the decider.
      const failure = push.verified ? undefined : await availability.verify(push, projectId);
      if (failure !== undefined) throw errors.verificationFailed(failure);
      return push.verificationHash;
    };
    // The endpoint may have taken long, so the time is that after the check.
    return gateway.executeAfter(verifying(''), check, (verificationHash) => gateway.execute(verifying(verificationHash)));
  },
) {}
