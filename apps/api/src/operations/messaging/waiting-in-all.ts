import { Injectable } from '@nestjs/common';
import { PushAvailability, type PushState } from '#api/messaging/push-availability.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { Slice } from '#projections/shared/pages.js';
import { type Backlog, Backlogs } from './backlogs.js';
import { SubscriptionRows } from './subscription-rows.js';

/**
 * A subscription whose topic exists. `waits`: whether its oldest message is known to wait; a filter leaves open whether any of them does.
 * `deadLetterTopic`: its name; that topic may be gone.
 */
export type WaitingIn = Backlog &
  Readonly<{
    projectId: string;
    subscriptionId: string;
    name: string;
    deadLetterTopic: string | null;
    push: PushState | null;
    waits: boolean;
  }>;

/** `subscriptions`: number of counted subscriptions, including those without a topic, which are no items. */
type Page = Readonly<{ subscriptions: number; items: readonly WaitingIn[] }>;

/** Waiting messages and state of push of the subscriptions of all projects. */
@Injectable()
export class WaitingInAll {
  constructor(
    private readonly attached: AttachedSubscriptions,
    private readonly rows: SubscriptionRows,
    private readonly backlogs: Backlogs,
    private readonly push: PushAvailability,
  ) {}

  /** Yields one page of subscriptions after the other. @throws ReadStoreUnavailable, EventStoreUnavailable */
  async *pages(slice: Slice): AsyncGenerator<Page> {
    for await (const page of this.attached.pages(slice)) {
      const known = (await this.rows.known(page)).filter(({ topic }) => topic !== undefined);
      const backlogs = await this.backlogs.of(known.map(({ standing }) => standing));
      const pushes = await Promise.all(known.map(({ document }) => this.push.stateOf(document)));
      const items = known.flatMap(({ ref: { projectId, subscriptionId }, document: { name, options } }, index): WaitingIn[] => {
        const backlog = backlogs[index];
        if (!backlog) return [];
        const deadLetterTopic = options?.deadLetterPolicy?.topic ?? null;
        const waits = backlog.backlog > 0 && (backlog.exact || options?.ackMode === 'message');
        return [{ projectId, subscriptionId, name, deadLetterTopic, push: pushes[index] ?? null, waits, ...backlog }];
      });
      yield { subscriptions: page.length, items };
    }
  }
}
