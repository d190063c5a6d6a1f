import { Inject, Injectable } from '@nestjs/common';
import { LogRetention } from '#api/messaging/messages/log-retention.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { CLOCK } from '#api/shared/tokens.js';
import { type CursorAction, cursor, type SubscriptionRef, saysNothingNew } from '#domain/messaging/cursors/cursor.js';
import { type Cursor, type CursorEvent, cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';

/** Maximum number of commands to one subscription at a time; below the number that may wait for a stream. */
const COMMANDS_AT_A_TIME = 500;

/** Executes commands to the cursors of subscriptions (messaging contract 4.4 to 4.7). */
@Injectable()
export class CursorGateway {
  /** Callers of one subscription wait here instead of being refused by its stream. */
  private readonly turnstile = new Turnstile(COMMANDS_AT_A_TIME);
  /** Callbacks waiting for cursors to move, by subscription. */
  private readonly waiting = new Map<string, Set<(events: readonly CursorEvent[]) => void>>();

  constructor(
    private readonly gateway: CommandGateway,
    private readonly retention: LogRetention,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Uses the time after all waiting, not that of the context. @throws DomainError of the rules of the cursor */
  execute(subscription: SubscriptionRef, action: CursorAction, context: CommandContext): Promise<Outcome<CursorEvent>> {
    const { selection: _, ...ref } = subscription;
    const { subscriptionId } = ref;
    const time = new Date(this.clock()).toISOString();
    return this.turnstile.within(subscriptionId, async () => {
      const outcome = await this.gateway.execute({
        stream: cursorStream(subscriptionId),
        decider: cursor,
        command: { ...ref, now: time, ...action },
        context: { ...context, time },
      });
      if (outcome.events.length > 0) for (const wake of this.waiting.get(subscriptionId) ?? []) wake(outcome.events);
      return outcome;
    });
  }

  /** Returns whether a pull without messages at `from` leaves the cursor as it is, so that no command is needed. */
  isUnchanged(cursor: Cursor, from: number): boolean {
    return saysNothingNew(cursor, { from, count: 0 }, new Date(this.clock()).toISOString());
  }

  /** Resolves when this process has executed a command to the cursor, or on the signal. `counts`: only a command with such an event. */
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

  /** Sets the retention of the cursor's stream. `known`: the cursor as reads show it; if omitted, the cursor has been used before. */
  retain(subscription: SubscriptionRef, { idempotency }: CommandContext, known?: Cursor): Promise<void> {
    const fresh = known !== undefined && isUnused(known, subscription);
    return this.retention.forCursor(subscription.subscriptionId, { fresh, keyed: idempotency !== undefined });
  }
}

/** Returns whether the subscription has not been used yet, according to its cursor. */
const isUnused = ({ offset, nextOffset, lastPull }: Cursor, { start, topicId }: SubscriptionRef): boolean =>
  lastPull === null && nextOffset === 0 && offset === (topicId === null || topicId === start.topicId ? start.startOffset : 0);
