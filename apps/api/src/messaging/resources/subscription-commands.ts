import { randomUUID } from 'node:crypto';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import type { SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type InProject, type ProjectResourceCommand, toResources, writeResource } from './project-resources.js';

/** Settings of a new subscription. `topic`: a name; `push`: `null` for a pull subscription. */
type SubscriptionSettings = Readonly<{
  topic: string;
  ackDeadlineSeconds: number;
  push: PushRequest | null;
  options?: SubscriptionOptions | undefined;
}>;

/** Sets the acknowledgement deadline in seconds, also for outstanding messages. */
export class ModifyAckDeadline extends commandTo(toResources, 'ModifyAckDeadline') {}

/** Streams of a subscription, which end with it. */
const streamsOf = (subscriptionId: string): readonly string[] => [cursorStream(subscriptionId), deliveriesStream(subscriptionId)];

/** Deletes a subscription that was unused for long. */
export class ExpireSubscription extends commandWith(
  [StreamProcessor],
  async (data: DataOf<ProjectResourceCommand, 'ExpireSubscription'>, { context, gateway }, processor) => {
    const { events } = await gateway.execute(toResources(context, { type: 'ExpireSubscription', ...data }));
    if (events.length > 0) processor.forget(...streamsOf(data.subscriptionId));
  },
) {}

/** Creates a subscription to a topic. It gets the messages published from now on. @throws MessagingError N03, C07, I07 */
export class CreateSubscription extends commandWith(
  [ResourceQueries, MessageLog, PushAvailability],
  async (
    { projectId, name, settings }: InProject & Readonly<{ name: string; settings: SubscriptionSettings }>,
    call,
    resources,
    log,
    availability,
  ) => {
    const { topic, ackDeadlineSeconds, options } = settings;
    const { topicId } = found(await resources.topic(projectId, topic), errors.topicNotFound);
    const { deadLetterPolicy } = options ?? {};
    if (deadLetterPolicy) found(await resources.topic(projectId, deadLetterPolicy.topic), errors.topicNotFound);
    const push = await availability.requested(settings.push);
    const startOffset = await log.head(topicId);
    const attached = { subscriptionId: randomUUID(), name, topic, topicId, startOffset };
    const subscription = { ...attached, ackDeadlineSeconds, push, ...(options && { options }) };
    const command = { type: 'CreateSubscription', projectId, ...subscription } as const;
    const { events, readable } = await writeResource(call, command, { type: 'DeleteSubscription', name });
    const { data, metadata } = eventOf(events, 'SubscriptionCreated');
    return { subscription: { ...data, createdOn: wireInstant(metadata.time) }, readable };
  },
) {}

/** `deleted`: the subscription before its deletion. @throws MessagingError N04 */
export class DeleteSubscription extends commandWith(
  [ResourceQueries, StreamProcessor],
  async (data: DataOf<ProjectResourceCommand, 'DeleteSubscription'>, { context, gateway }, resources, processor) => {
    const deleted = found(await resources.subscription(data.projectId, data.name), errors.subscriptionNotFound);
    const { events, readable } = await gateway.execute(toResources(context, { type: 'DeleteSubscription', ...data }));
    // A repeat under an Idempotency-Key has the events of the first call, and a subscription may have been created anew since.
    const ended = events.flatMap((event) => (event.type === 'SubscriptionDeleted' ? streamsOf(event.data.subscriptionId) : []));
    processor.forget(...ended);
    return { deleted, readable };
  },
) {}
