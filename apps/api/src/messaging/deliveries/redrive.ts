import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { Delivery } from '#domain/messaging/deliveries/held.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { DeadLetters, SOURCE } from './dead-letters.js';
import { PullDeliveries } from './pull-deliveries.js';
import { inParts } from './pulled-messages.js';
import type { ServedSubscription } from './served-subscription.js';

/** Messages that are sent back before they are acknowledged. */
const AT_ONCE = 100;

/** How many messages were sent back, and whether reads show that they are acknowledged. */
export type Redriven = Readonly<{ redriven: number; readable: boolean }>;

/** Sends dead letters back to the topics that they come from (messaging contract 7.2). */
@Injectable()
export class Redrive {
  constructor(
    private readonly bus: CommandBus,
    private readonly resources: ResourceQueries,
    private readonly letters: DeadLetters,
    private readonly pulls: PullDeliveries,
    private readonly messages: SubscribedMessages,
  ) {}

  /** Messages that are no dead letters, or whose subscription is gone, are given back: their attempt does not count. */
  async shared(
    served: ServedSubscription,
    found: FoundSubscription,
    project: ProjectReference,
    most: number,
    context: CommandContext,
  ): Promise<Redriven> {
    const source = inParts(this.messages.stored(found.ref));
    let redriven = 0;
    let readable = true;
    const left: Delivery[] = [];
    while (redriven < most) {
      const limit = Math.min(AT_ONCE, most - redriven);
      const pulled = await this.pulls.pull(served, found, { source, limit, wait: false, signal: served.ended });
      if (!pulled || pulled.length === 0) break;
      const sent: Delivery[] = [];
      for (const { message, attempt } of pulled) {
        const delivery = { offset: message.offset, attempt };
        if (await this.send(found, project, message)) sent.push(delivery);
        else left.push(delivery);
      }
      if (sent.length > 0) readable = (await served.acknowledge(sent, context)).readable && readable;
      redriven += sent.length;
    }
    served.takeBack(left);
    return { redriven, readable };
  }

  /** Of a subscription with a cursor: up to the first message that cannot be sent back. */
  async inOrder(
    { ref, subscription }: FoundSubscription,
    project: ProjectReference,
    most: number,
    context: CommandContext,
  ): Promise<Redriven> {
    const { topicId } = ref;
    if (topicId === null) return { redriven: 0, readable: true };
    const source = this.messages.stored(ref);
    let [redriven, readable] = [0, true];
    while (redriven < most) {
      const limit = Math.min(AT_ONCE, most - redriven);
      const pulled = await this.bus.execute(
        new PullMessages(unkeyed(context), { subscription: { ...ref, topicId }, options: { source, limit, wait: false } }),
      );
      let highest: number | undefined;
      let sent = 0;
      for (const message of pulled?.messages ?? []) {
        if (!(await this.send({ ref }, project, message))) break;
        highest = message.offset;
        sent += 1;
      }
      if (highest === undefined) break;
      const { ackDeadlineSeconds } = subscription;
      ({ readable } = await this.bus.execute(
        new AcknowledgeMessages(unkeyed(context), { subscription: ref, highest, ackDeadlineSeconds }),
      ));
      redriven += sent;
    }
    return { redriven, readable };
  }

  /** `false`: nobody knows where the message comes from. */
  private async send(
    { ref }: Pick<FoundSubscription, 'ref'>,
    { projectId, name }: ProjectReference,
    message: StoredMessage,
  ): Promise<boolean> {
    const prefix = `projects/${name}/subscriptions/`;
    const source = message.attributes?.[SOURCE.subscription];
    if (!source?.startsWith(prefix) || ref.topicId === null) return false;
    const subscription = await this.resources.subscription(projectId, source.slice(prefix.length));
    const topic = subscription && (await this.resources.topic(projectId, subscription.topic));
    if (!topic) return false;
    await this.letters.publish(projectId, topic, without(message), ['redriven', ref.subscriptionId, ref.topicId, `${message.offset}`]);
    return true;
  }
}

/** The steps of a call are not the call itself. */
const unkeyed = ({ idempotency: _, ...context }: CommandContext): CommandContext => context;

/** The message as it was published at first. */
const without = ({ data, attributes = {}, orderingKey }: StoredMessage): Message => {
  const marks: readonly string[] = Object.values(SOURCE);
  const own = Object.entries(attributes).filter(([name]) => !marks.includes(name));
  return {
    data,
    ...(own.length > 0 && { attributes: Object.fromEntries(own) }),
    ...(orderingKey !== undefined && { orderingKey }),
  };
};
