import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type FoundSubscription, SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import * as errors from '#api/messaging/errors.js';
import { found as required } from '#api/messaging/found.js';
import { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import { LOGGER, READS_ONLY } from '#api/shared/tokens.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { SendToDeadLetter } from './dead-letters/dead-letter-queue.js';
import { DeadLetters } from './dead-letters/dead-letters.js';
import { DeliveryGateway } from './delivery-gateway.js';
import { deliveryMetrics } from './delivery-metrics.js';
import { HeldMessages } from './held-messages.js';
import { ServedSubscription } from './served-subscription.js';
import { ServingNodes } from './serving-nodes.js';

/** Maximum number of subscriptions that this node serves. The least recently used make room for others. */
const MOST_SERVED = 10_000;
/** A project may have more only while at least as many places are free as it has, so that others have room. */
const SHARE_OF_PROJECT = 2_500;
/** A subscription that is unused for so long, and has no leased messages, may move to another node. */
const IDLE_MS = 30_000;

type Entry = { readonly projectId: string; readonly served: Promise<ServedSubscription>; ready?: ServedSubscription; usedAt: number };

/** The subscriptions whose leases are held by this node (messaging contract 7.1). */
@Injectable()
export class Deliveries {
  /** By id, least recently used first. */
  private readonly entries = new Map<string, Entry>();
  /** Number of entries of each project. */
  private readonly counts = new Map<string, number>();
  private readonly held = new HeldMessages(() => {
    for (const { awaited } of this.all()) awaited.offer();
  });
  private sweep: NodeJS.Timeout | undefined;

  constructor(
    @Inject(DeliveryGateway) private readonly gateway: Pick<DeliveryGateway, 'serve' | 'record' | 'now' | 'ownContext'>,
    @Inject(ServingNodes) private readonly nodes: Pick<ServingNodes, 'take'>,
    @Inject(DeadLetters) private readonly letters: Pick<DeadLetters, 'send'>,
    @Inject(SubscriptionLookup) private readonly lookup: Pick<SubscriptionLookup, 'byId'>,
    @Inject(MessageArrivals) private readonly arrivals: Pick<MessageArrivals, 'wait'>,
    private readonly telemetry: Telemetry,
    @Inject(LOGGER) private readonly log: Pick<Logger, 'warn'>,
    @Inject(READS_ONLY) readsOnly: boolean,
  ) {
    if (!readsOnly) deliveryMetrics(telemetry.registry, () => this.all());
  }

  /** Number of subscriptions that keep exhausted messages because their dead letter topic is gone. */
  get deadLettersKept(): number {
    return [...this.all()].filter(({ deadLetters }) => deadLetters.areBlocked).length;
  }

  /** Number of subscriptions that get no more messages before some are acknowledged. */
  get full(): number {
    return [...this.all()].filter(({ room }) => room === 0).length;
  }

  /** Subscriptions that are served here now. */
  *all(): Generator<ServedSubscription> {
    for (const { ready } of this.entries.values()) if (ready && !ready.ended.aborted) yield ready;
  }

  /** Returns whether this node serves the subscription, or is about to. */
  isHere(subscriptionId: string): boolean {
    const entry = this.entries.get(subscriptionId);
    return entry !== undefined && !entry.ready?.ended.aborted;
  }

  /**
   * Leases of a subscription in the log of its current topic, which may differ from that in `found`. From now on this node serves it. To be
   * called for every request.
   * @throws MessagingError (not ready, N04), ServedElsewhere
   */
  async of(found: FoundSubscription): Promise<ServedSubscription> {
    const { subscriptionId, topicId } = found.ref;
    for (;;) {
      const entry = this.entries.get(subscriptionId) ?? this.begin(found);
      entry.usedAt = performance.now();
      this.entries.delete(subscriptionId);
      this.entries.set(subscriptionId, entry);
      this.sweep ??= setInterval(() => this.leaveIdle(), IDLE_MS / 3).unref();
      const served = await entry.served;
      if (!served.ended.aborted) {
        const known = served.by.subscription.topicId;
        if (topicId === null || topicId === known) return served;
        const now = (await this.current(found)).ref.topicId; // the caller's topic may be older or newer
        if (now === null || now === known) return served;
      }
      await this.forget(subscriptionId, served);
    }
  }

  /** Called by Nest when the server ends, before it waits for open requests: ends all waiting for messages. */
  onModuleDestroy(): void {
    for (const { awaited } of this.all()) awaited.end();
  }

  /** Called by Nest after the last request. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.sweep);
    await Promise.all([...this.all()].map((served) => served.stop()));
  }

  /** @throws MessagingError (not ready) */
  private begin(found: FoundSubscription): Entry {
    const { projectId, subscriptionId } = found.ref;
    this.makeRoom(projectId);
    const entry: Entry = { projectId, served: this.serve(found), usedAt: performance.now() };
    this.counts.set(projectId, this.countOf(projectId) + 1);
    entry.served.then(
      (served) => {
        entry.ready = served;
      },
      () => this.remove(subscriptionId, entry),
    );
    return entry;
  }

  private remove(subscriptionId: string, entry: Entry): void {
    const { projectId } = entry;
    if (this.entries.get(subscriptionId) !== entry) return;
    this.entries.delete(subscriptionId);
    const left = this.countOf(projectId) - 1;
    if (left > 0) this.counts.set(projectId, left);
    else this.counts.delete(projectId);
  }

  private countOf(projectId: string): number {
    return this.counts.get(projectId) ?? 0;
  }

  /** Current state of the subscription. @throws MessagingError N04 */
  private async current({ ref: { projectId, subscriptionId } }: FoundSubscription): Promise<FoundSubscription> {
    return required(await this.lookup.byId(projectId, subscriptionId), errors.subscriptionNotFound);
  }

  private async serve(found: FoundSubscription): Promise<ServedSubscription> {
    const seat = await this.nodes.take(found.ref.subscriptionId);
    try {
      const { ref, subscription } = await this.current(found);
      const by = { subscription: ref, server: randomUUID() };
      const { gateway, log, letters, arrivals, telemetry } = this;
      const sendToDeadLetter: SendToDeadLetter = (from, delivery) => letters.send(from, delivery);
      const onReturned = (count: number) => telemetry.messagesReturned.inc(count);
      const whole = await gateway.serve(by);
      const dependencies = { gateway, arrivals, log, sendToDeadLetter, onReturned, held: this.held };
      const served = new ServedSubscription(by, whole, subscription.options ?? {}, dependencies);
      seat?.lost.addEventListener('abort', () => void served.stop());
      served.ended.addEventListener('abort', () => seat?.release());
      if (seat?.lost.aborted) await served.stop();
      return served;
    } catch (error) {
      seat?.release();
      throw error;
    }
  }

  private async forget(subscriptionId: string, served: ServedSubscription): Promise<void> {
    const entry = this.entries.get(subscriptionId);
    if (entry?.ready === served) this.remove(subscriptionId, entry);
    await served.stop();
  }

  private leaveIdle(): void {
    const before = performance.now() - IDLE_MS;
    for (const [subscriptionId, { ready, usedAt }] of this.entries) {
      if (usedAt > before) return;
      if (ready?.isIdle || ready?.ended.aborted) void this.forget(subscriptionId, ready);
    }
  }

  /** A project at its limit makes room itself. @throws MessagingError (not ready) if all those served subscriptions are in use */
  private makeRoom(projectId: string): void {
    const [own, free] = [this.countOf(projectId), MOST_SERVED - this.entries.size];
    const isOwn = own >= SHARE_OF_PROJECT && own >= free;
    if (!isOwn && free > 0) return;
    for (const [subscriptionId, { projectId: other, ready }] of this.entries) {
      if ((isOwn && other !== projectId) || !ready?.isIdle) continue;
      void this.forget(subscriptionId, ready);
      return;
    }
    throw errors.notReady();
  }
}
