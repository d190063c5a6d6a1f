import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import type { Message } from '#domain/messaging/messages/message-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { DeadLetters, identityOf, SOURCE } from './dead-letters.js';
import { PullDeliveries } from './pull-deliveries.js';
import { inParts } from './pulled-messages.js';
import type { ServedSubscription } from './served-subscription.js';

/** Messages that are sent back before they are acknowledged. */
const AT_ONCE = 100;
/** They are leased for so long at least, and acknowledged within so long. */
const LEASE_SECONDS = 600;

/** How many messages were sent back, and whether reads show that they are acknowledged. */
export type Redriven = Readonly<{ redriven: number; readable: boolean }>;

/** Sends dead letters back to the topics that they come from (messaging contract 7.2). */
@Injectable()
export class Redrive {
  constructor(
    private readonly bus: CommandBus,
    @Inject(ResourceQueries) private readonly resources: Pick<ResourceQueries, 'subscription' | 'topic'>,
    @Inject(DeadLetters) private readonly letters: Pick<DeadLetters, 'isLetter' | 'publish'>,
    @Inject(PullDeliveries) private readonly pulls: Pick<PullDeliveries, 'pull'>,
    @Inject(SubscribedMessages) private readonly messages: Pick<SubscribedMessages, 'stored'>,
  ) {}

  /** Messages that are not to be sent back are given back: their attempt does not count. */
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
    const leased: Delivery[] = [];
    try {
      while (redriven < most) {
        const limit = Math.min(AT_ONCE, most - redriven);
        const options = { source, limit, wait: false, shortestLeaseMs: LEASE_SECONDS * 1_000, signal: served.ended };
        const pulled = await this.pulls.pull(served, found, options);
        if (!pulled || pulled.length === 0) break;
        const deliveries = pulled.map(({ message, attempt }) => ({ message, delivery: { offset: message.offset, attempt } }));
        leased.push(...deliveries.map(({ delivery }) => delivery));
        const sent: Delivery[] = [];
        for (const { message, delivery } of deliveries) if (await this.send(found, project, message, served.seeks)) sent.push(delivery);
        if (sent.length === 0) continue;
        const acknowledged = await served.acknowledge(sent, context);
        redriven += sent.length - acknowledged.late.length;
        readable = acknowledged.readable && readable;
        if (acknowledged.late.length === sent.length) break;
      }
    } finally {
      served.takeBack(leased); // of what is acknowledged nothing is leased any more
    }
    return { redriven, readable };
  }

  /** Of a subscription with a cursor: up to the first message that cannot be sent back. */
  async inOrder(found: FoundSubscription, project: ProjectReference, most: number, context: CommandContext): Promise<Redriven> {
    const { ref } = found;
    const { topicId } = ref;
    if (topicId === null) return { redriven: 0, readable: true };
    const source = this.messages.stored(ref);
    let [redriven, readable] = [0, true];
    while (redriven < most) {
      const limit = Math.min(AT_ONCE, most - redriven);
      const pulled = await this.bus.execute(
        new PullMessages(withoutKey(context), { subscription: { ...ref, topicId }, options: { source, limit, wait: false } }),
      );
      let highest: number | undefined;
      let sent = 0;
      for (const message of pulled?.messages ?? []) {
        if (!(await this.send(found, project, message, pulled?.seeks ?? 0))) break;
        highest = message.offset;
        sent += 1;
      }
      if (highest === undefined) break;
      const acknowledgement = { subscription: ref, highest, ackDeadlineSeconds: LEASE_SECONDS };
      ({ readable } = await this.bus.execute(new AcknowledgeMessages(withoutKey(context), acknowledgement)));
      redriven += sent;
    }
    return { redriven, readable };
  }

  /**
   * `false`: it is no dead letter of a subscription that still has this dead letter topic. What its attributes say is believed only of what this service has
   * published: whoever may publish to a dead letter topic must not reach the topics behind it.
   */
  private async send(
    { ref, subscription }: FoundSubscription,
    { projectId, name }: ProjectReference,
    message: StoredMessage,
    seeks: number,
  ): Promise<boolean> {
    const prefix = `projects/${name}/subscriptions/`;
    const source = message.attributes?.[SOURCE.subscription];
    const { topicId, subscriptionId } = ref;
    if (!source?.startsWith(prefix) || topicId === null) return false;
    const from = await this.resources.subscription(projectId, source.slice(prefix.length));
    if (from?.options?.deadLetterPolicy?.topic !== subscription.topic) return false;
    const topic = await this.resources.topic(projectId, from.topic);
    if (!topic || !(await this.letters.isLetter(topicId, message.offset))) return false;
    await this.letters.publish(
      projectId,
      topic,
      without(message),
      identityOf('redriven', { subscriptionId, topicId }, message.offset, seeks),
    );
    return true;
  }
}

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
