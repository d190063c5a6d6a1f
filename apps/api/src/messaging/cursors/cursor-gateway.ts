import { Inject, Injectable } from '@nestjs/common';
import { LogRetention } from '#api/messaging/messages/log-retention.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { CLOCK } from '#api/shared/tokens.js';
import { type CursorAction, cursor, type SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { type Cursor, type CursorEvent, cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';

/** Commands to one subscription at a time: fewer than may wait for a stream. */
const COMMANDS_AT_A_TIME = 500;

/** The way of commands to the cursors of subscriptions (messaging contract 4.4 to 4.7). */
@Injectable()
export class CursorGateway {
  /** All callers of one subscription wait here rather than be refused by its stream. */
  private readonly turnstile = new Turnstile(COMMANDS_AT_A_TIME);
  /** Who waits for cursors to move, by subscription. */
  private readonly waiting = new Map<string, Set<(events: readonly CursorEvent[]) => void>>();

  constructor(
    private readonly gateway: CommandGateway,
    private readonly retention: LogRetention,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** What counts is the time after all waiting, not that of the context. @throws DomainError of the rules of the cursor */
  execute(subscription: SubscriptionRef, action: CursorAction, context: CommandContext): Promise<Outcome<CursorEvent>> {
    const { projectId, subscriptionId, start, topicId } = subscription;
    const time = new Date(this.clock()).toISOString();
    return this.turnstile.within(subscriptionId, async () => {
      const outcome = await this.gateway.execute({
        stream: cursorStream(subscriptionId),
        decider: cursor,
        command: { projectId, subscriptionId, start, topicId, now: time, ...action },
        context: { ...context, time },
      });
      if (outcome.events.length > 0) for (const wake of this.waiting.get(subscriptionId) ?? []) wake(outcome.events);
      return outcome;
    });
  }

  /** Resolves when a command to the cursor was executed by this process, or on the signal. `counts`: only a command with such an event. */
  moved(subscriptionId: string, signal: AbortSignal, counts: (event: CursorEvent) => boolean = () => true): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.waiting.get(subscriptionId) ?? new Set();
      const end = (): void => {
        waiters.delete(wake);
        if (waiters.size === 0 && this.waiting.get(subscriptionId) === waiters) this.waiting.delete(subscriptionId);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const wake = (events: readonly CursorEvent[]): void => {
        if (events.some(counts)) end();
      };
      if (signal.aborted) return resolve();
      this.waiting.set(subscriptionId, waiters.add(wake));
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Sees to it that the stream of the cursor keeps what it has to. `known`: the cursor as reads show it; without: it has been used before. */
  retain(subscription: SubscriptionRef, { idempotency }: CommandContext, known?: Cursor): Promise<void> {
    const fresh = known !== undefined && isUnused(known, subscription);
    return this.retention.forCursor(subscription.subscriptionId, { fresh, keyed: idempotency !== undefined });
  }
}

/** Whether the subscription has not been used yet, as far as its cursor shows. */
const isUnused = ({ offset, nextOffset, lastPull }: Cursor, { start, topicId }: SubscriptionRef): boolean =>
  lastPull === null && nextOffset === 0 && offset === (topicId === null || topicId === start.topicId ? start.startOffset : 0);
