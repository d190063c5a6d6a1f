import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LRUCache } from 'lru-cache';
import { AcknowledgeMessages } from '#api/messaging/cursors/commands.js';
import { PullMessages } from '#api/messaging/cursors/pull-messages.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import { FLAW, SOURCE, sourceOf } from '#api/shared/dead-letters.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { endOfRangeAt } from '#domain/messaging/deliveries/ranges.js';
import { type Message, messagesStream } from '#domain/messaging/messages/message-events.js';
import { resources, resourcesStream } from '#domain/messaging/resources/resources.js';
import { type Cause, causeIn } from '#domain/shared/causation.js';
import { DomainError } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type SubscriptionDocument, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { PullDeliveries } from '../pull-deliveries.js';
import { inParts } from '../pulled-messages.js';
import type { ServedSubscription } from '../served-subscription.js';
import type { DeadLetter } from './dead-letter-log.js';
import { DeadLetters, identityOf } from './dead-letters.js';

/** Messages that are sent back before they are acknowledged, or recorded, together. */
const AT_ONCE = 100;
/** Minimum duration of their leases, within which they are acknowledged. */
const LEASE_SECONDS = 600;

/**
 * Outcome for a delivered message: this call sent it back, or another one that may not have recorded that yet, or one before; or it stays, because it is no
 * dead letter, or its topic is gone.
 */
type Sent = 'now' | 'meanwhile' | 'before' | 'stays';

/** The answer to an acknowledgement of messages that others acknowledged or went back from meanwhile. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof DomainError && ['NO_ACK_PENDING', 'WRONG_ACK', 'ACK_TIMEOUT', 'TOPIC_REPLACED'].includes(error.code);

/** Maximum duration of a call, shorter than a server has to end. The next call continues. */
const SENDING_MS = 5_000;

/** `kept`: number of messages that stay, because their topic or subscription is gone. `next`: offset of the first one left for another call. */
type Redrove = Readonly<{ redriven: number; kept: number; readable: boolean; next?: number }>;

/** `redriven`: number of messages sent back. `readable`: true if reads show that they are acknowledged. */
export type Redriven = Readonly<{ redriven: number; readable: boolean }>;

/** Sends dead letters back to the topics that they come from (messaging contract 7.2). */
@Injectable()
export class Redrive {
  /** Positions at which subscriptions were created, by their id. */
  private readonly created = new LRUCache<string, Position>({ max: 1_000 });

  constructor(
    private readonly bus: CommandBus,
    @Inject(CommandGateway) private readonly gateway: Pick<CommandGateway, 'execute'>,
    @Inject(ResourceQueries) private readonly resources: Pick<ResourceQueries, 'subscription' | 'topic' | 'redriven'>,
    @Inject(DeadLetters) private readonly publishing: Pick<DeadLetters, 'isLetter' | 'publish'>,
    @Inject(PullDeliveries) private readonly pulls: Pick<PullDeliveries, 'pull'>,
    @Inject(SubscribedMessages) private readonly messages: Pick<SubscribedMessages, 'stored'>,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
  ) {}

  /** Messages that cannot be sent back are returned; their attempt does not count. */
  async shared(served: ServedSubscription, found: FoundSubscription, most: number, context: CommandContext): Promise<Redriven> {
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
        const outcomes = await this.sendAll(found, deliveries, served.seeks, causeIn(context));
        const sent = [...outcomes.keys()];
        if (sent.length === 0) continue;
        const offsets = sent.flatMap((delivery) => (outcomes.get(delivery) === 'before' ? [] : delivery.offset));
        readable = (await this.record(found.ref, offsets, context)) && readable;
        const acknowledged = await served.acknowledge(sent, withoutKey(context)); // several of one call, each to be recorded
        redriven += sent.filter((delivery) => outcomes.get(delivery) === 'now' && !acknowledged.late.includes(delivery)).length;
        readable = acknowledged.readable && readable;
        if (acknowledged.late.length === sent.length) break;
      }
    } finally {
      served.takeBack(leased); // acknowledged messages are not leased any more
    }
    return { redriven, readable };
  }

  /** Outcomes of the messages that do not stay. */
  private async sendAll(
    found: FoundSubscription,
    deliveries: readonly Readonly<{ message: StoredMessage; delivery: Delivery }>[],
    seeks: number,
    cause: Cause,
  ): Promise<ReadonlyMap<Delivery, Sent>> {
    const outcomes = new Map<Delivery, Sent>();
    for (const { message, delivery } of deliveries) {
      const outcome = await this.send(found, message, seeks, cause);
      if (outcome !== 'stays') outcomes.set(delivery, outcome);
    }
    return outcomes;
  }

  /** For a subscription with a cursor: stops before the first message that cannot be sent back, and where another caller moves the subscription meanwhile. */
  async inOrder(found: FoundSubscription, most: number, context: CommandContext): Promise<Redriven> {
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
      const { sent, highest, offsets } = await this.sendUpToFirst(found, pulled?.messages ?? [], pulled?.seeks ?? 0, causeIn(context));
      redriven += sent;
      if (highest === undefined) break;
      const isShown = await this.record(ref, offsets, context);
      const acknowledged = await this.acknowledge(ref, highest, context);
      readable = isShown && acknowledged?.readable !== false && readable;
      if (!acknowledged) break;
    }
    return { redriven, readable };
  }

  /** Sends messages up to the first one that stays. `sent`: number of those that this call sent. `offsets`: of those to be recorded. */
  private async sendUpToFirst(
    found: FoundSubscription,
    messages: readonly StoredMessage[],
    seeks: number,
    cause: Cause,
  ): Promise<Readonly<{ sent: number; highest: number | undefined; offsets: readonly number[] }>> {
    const offsets: number[] = [];
    let sent = 0;
    let highest: number | undefined;
    for (const message of messages) {
      const outcome = await this.send(found, message, seeks, cause);
      if (outcome === 'stays') break;
      highest = message.offset;
      if (outcome !== 'before') offsets.push(message.offset);
      if (outcome === 'now') sent += 1;
    }
    return { sent, highest, offsets };
  }

  /** `undefined` if another caller acknowledged the messages, or moved the subscription, meanwhile. */
  private async acknowledge(
    subscription: FoundSubscription['ref'],
    highest: number,
    context: CommandContext,
  ): Promise<Readonly<{ readable: boolean }> | undefined> {
    try {
      const acknowledgement = { subscription, highest, ackDeadlineSeconds: LEASE_SECONDS };
      return await this.bus.execute(new AcknowledgeMessages(withoutKey(context), acknowledgement));
    } catch (error) {
      if (isOvertaken(error)) return undefined;
      throw error;
    }
  }

  /**
   * Redrives dead letters of a topic whose original topic still exists, whether or not a subscription has them. Each is sent back once over all calls, and
   * counted by the call that sends it. `context`: that of the call, which is the cause of the messages.
   */
  async letters(
    { projectId }: ProjectReference,
    topic: TopicDocument,
    letters: AsyncIterable<DeadLetter> | Iterable<DeadLetter>,
    context: CommandContext,
  ): Promise<Redrove> {
    const { topicId } = topic;
    const until = performance.now() + SENDING_MS;
    const sent: number[] = [];
    let [redriven, kept, readable] = [0, 0, true];
    let next: number | undefined;
    const record = async (): Promise<void> => {
      readable = (await this.record({ projectId, topicId }, sent.splice(0), context)) && readable;
    };
    try {
      for await (const { message, from } of letters) {
        const { offset } = message;
        if (performance.now() > until) {
          next = offset;
          break;
        }
        const origin = from === null ? undefined : await this.originOf(projectId, topic, from, message);
        if (!origin) {
          kept += 1;
          continue;
        }
        const identity = identityOf('redriven', { topicId, offset }, 0);
        const { isNew } = await this.publishing.publish(projectId, origin, without(message), identity, causeIn(context));
        sent.push(offset);
        if (isNew) redriven += 1;
        if (sent.length === AT_ONCE) await record(); // a process that ends abruptly records no more
      }
    } finally {
      await record();
    }
    return { redriven, kept, readable, ...(next !== undefined && { next }) };
  }

  /**
   * It stays if it is no dead letter of a subscription that still has this dead letter topic. The attributes count only if this service
   * published the message: a publisher of a dead letter topic must not reach the topics behind it.
   */
  private async send({ ref, subscription }: FoundSubscription, message: StoredMessage, seeks: number, cause: Cause): Promise<Sent> {
    const from = sourceOf(message);
    const { projectId, topicId, subscriptionId } = ref;
    const { offset } = message;
    if (from === null || topicId === null) return 'stays';
    if (seeks === 0 && endOfRangeAt(await this.resources.redriven(projectId, topicId, offset, offset + 1), offset) !== undefined)
      return 'before';
    const topic = await this.originOf(projectId, { topicId, name: subscription.topic }, from, message);
    if (!topic || !(await this.publishing.isLetter(topicId, offset))) return 'stays';
    const place = { topicId, offset, ...(seeks > 0 && { subscriptionId }) };
    const { isNew } = await this.publishing.publish(projectId, topic, without(message), identityOf('redriven', place, seeks), cause);
    return isNew ? 'now' : 'meanwhile';
  }

  /**
   * The topic that a dead letter came from; `undefined` if it is gone, or if its subscription is gone, was created anew since, or has another dead letter
   * topic.
   */
  private async originOf(
    projectId: string,
    { topicId, name }: Pick<TopicDocument, 'topicId' | 'name'>,
    from: string,
    { offset, attributes }: StoredMessage,
  ): Promise<TopicDocument | undefined> {
    const subscription = await this.resources.subscription(projectId, from);
    const isFlawed = attributes?.[FLAW.reason] !== undefined; // from a metric source: the subscription names no such topic
    if (!subscription || (!isFlawed && subscription.options?.deadLetterPolicy?.topic !== name)) return undefined;
    if (!(await this.isOlder(subscription, projectId, topicId, offset))) return undefined;
    return this.resources.topic(projectId, subscription.topic);
  }

  /** Whether a subscription was created before a dead letter, by the log: clocks of nodes differ. */
  private async isOlder(one: SubscriptionDocument, projectId: string, topicId: string, offset: number): Promise<boolean> {
    const { subscriptionId: id, order } = one;
    const created = this.created.get(id) ?? (await this.positionOf(resourcesStream(projectId), BigInt(`0x${order}`)));
    if (created !== undefined) this.created.set(id, created);
    const stored = await this.positionOf(messagesStream(topicId), BigInt(offset));
    return created !== undefined && stored !== undefined && created < stored;
  }

  private async positionOf(stream: string, revision: bigint): Promise<Position | undefined> {
    const [found] = await this.events.readStream(stream, { from: revision, limit: 1 });
    return found?.revision === revision ? found.position : undefined;
  }

  private async record(
    { projectId, topicId }: Readonly<{ projectId: string; topicId: string | null }>,
    offsets: readonly number[],
    context: CommandContext,
  ): Promise<boolean> {
    if (topicId === null || offsets.length === 0) return true;
    const command = { type: 'RecordRedrive', topicId, offsets } as const;
    const recorded = { stream: resourcesStream(projectId), decider: resources, context: withoutKey(context), command };
    return (await this.gateway.execute(recorded)).readable;
  }
}

/** The message in its original form. */
const without = ({ data, attributes = {}, orderingKey }: StoredMessage): Message => {
  const marks: readonly string[] = [...Object.values(SOURCE), ...Object.values(FLAW)];
  const own = Object.entries(attributes).filter(([name]) => !marks.includes(name));
  return {
    data,
    ...(own.length > 0 && { attributes: Object.fromEntries(own) }),
    ...(orderingKey !== undefined && { orderingKey }),
  };
};
