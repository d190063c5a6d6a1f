import { Inject, Injectable } from '@nestjs/common';
import { PushAvailability } from '#api/messaging/push-availability.js';
import { Refreshed } from '#api/ops-kit/refreshed.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import { Leading } from './leading.js';
import { type WaitingIn, WaitingInAll } from './waiting-in-all.js';

/** Maximum number of subscriptions in a list. */
export const MOST_LISTED = 100;
/** Failing subscriptions that are looked for. */
const MOST_FAILING = 1_000;
/** Minimum pause between two passes over all subscriptions. */
const PASS_MS = 2_000;

/** `backlog`: the largest first; `oldest`: the longest waiting first; `push`: those whose push fails, the longest failing first. */
export const ORDERS = ['backlog', 'oldest', 'push'] as const;
export type Order = (typeof ORDERS)[number];

/** The first of each order, and how many there are in it. `countedAt`: start of the pass, milliseconds since 1970-01-01 UTC. */
type Pass = Readonly<{ countedAt: number; orders: Readonly<Record<Order, Leading<WaitingIn>>> }>;

/**
 * Subscriptions of all projects, first those that need attention. A pass over all of them, made only while somebody asks and in a twentieth of
 * the time at most, keeps the first of each order; a call looks up no more than what it lists.
 */
@Injectable()
export class AllSubscriptions {
  private readonly pass: Refreshed<Pass>;

  constructor(
    @Inject(WaitingInAll) private readonly waiting: Pick<WaitingInAll, 'pages'>,
    @Inject(PushAvailability) private readonly push: Pick<PushAvailability, 'failing' | 'stateOf'>,
    @Inject(AccountQueries) private readonly accounts: Pick<AccountQueries, 'projects'>,
    @Inject(AttachedSubscriptions) private readonly attached: Pick<AttachedSubscriptions, 'byIds'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.pass = new Refreshed(() => readAcross(() => this.look()), PASS_MS);
  }

  /** `countedAt`: `null` while the first pass goes on. */
  async list(order: Order, limit: number): Promise<object> {
    const pass = await this.pass.newest();
    if (!pass) return { items: [], total: 0, countedAt: null };
    const { first, total } = pass.orders[order];
    const items = await readAcross(() => this.rows(first.slice(0, limit)));
    return { items, total, countedAt: new Date(pass.countedAt).toISOString() };
  }

  private async look(): Promise<Pass> {
    const countedAt = this.clock();
    const failing = new Map((await this.push.failing(MOST_FAILING)).map((id, index) => [id, index]));
    const place = ({ subscriptionId }: WaitingIn): number => failing.get(subscriptionId) ?? MOST_FAILING;
    const orders = {
      backlog: new Leading<WaitingIn>(MOST_LISTED, (one, other) => other.backlog - one.backlog),
      oldest: new Leading<WaitingIn>(MOST_LISTED, (one, other) => ageOrder(one.oldestPublishedAt, other.oldestPublishedAt)),
      push: new Leading<WaitingIn>(MOST_LISTED, (one, other) => place(one) - place(other)),
    };
    for await (const { items } of this.waiting.pages(new TimeSlice())) {
      const waiting = items.filter(({ backlog }) => backlog > 0);
      orders.backlog.add(waiting);
      orders.oldest.add(waiting.filter(({ oldestPublishedAt }) => oldestPublishedAt !== null));
      orders.push.add(items.filter(({ subscriptionId }) => failing.has(subscriptionId)));
    }
    return { countedAt, orders };
  }

  /** Subscriptions that were deleted meanwhile are left out. */
  private async rows(found: readonly WaitingIn[]): Promise<readonly object[]> {
    const [documents, projects] = await Promise.all([
      this.attached.byIds(found),
      this.accounts.projects(found.map(({ projectId }) => projectId)),
    ]);
    const rows = await Promise.all(
      found.map((one, index) => {
        const [document, project] = [documents[index], projects[index]];
        return document && project ? this.row(one, document, project.name) : [];
      }),
    );
    return rows.flat();
  }

  private async row({ backlog, oldestPublishedAt, exact }: WaitingIn, document: SubscriptionDocument, project: string): Promise<object> {
    const push = await this.push.stateOf(document);
    return {
      project,
      name: document.name,
      topic: document.topic,
      ackMode: document.options?.ackMode ?? 'cursor',
      pushState: push?.state ?? null,
      pushError: push?.error ?? null,
      ...{ backlog, oldestPublishedAt, exact },
    };
  }
}

const ageOrder = (one: string | null, other: string | null): number => (one ?? '').localeCompare(other ?? '');
