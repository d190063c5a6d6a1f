import { Inject, Injectable } from '@nestjs/common';
import type { Answered } from '#api/shared/openapi/described.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import type { SubscriptionDocument } from '#projections/messaging/resources/queries.js';
import type { ALL_SUBSCRIPTIONS } from './documentation.js';
import { type BacklogRow, MessagingNow } from './messaging-now.js';

/**
 * `backlog`: all, the largest first; `oldest`: those with messages, the longest waiting first; `push`: those whose push fails, the longest
 * failing first, then those whose endpoint is not verified; `dead-letters`: those that have some, the most first.
 */
export const ORDERS = ['backlog', 'oldest', 'push', 'dead-letters'] as const;
export type Order = (typeof ORDERS)[number];

type List = Answered<typeof ALL_SUBSCRIPTIONS>;

const LISTS = { backlog: ['all'], oldest: ['oldest'], push: ['failing', 'unverified'], 'dead-letters': ['withLetters'] } as const;

/** Subscriptions of all projects, first those that need attention: what the last pass over all of them found. */
@Injectable()
export class AllSubscriptions {
  constructor(
    @Inject(MessagingNow) private readonly now: Pick<MessagingNow, 'newest'>,
    @Inject(AccountQueries) private readonly accounts: Pick<AccountQueries, 'projects'>,
    @Inject(AttachedSubscriptions) private readonly attached: Pick<AttachedSubscriptions, 'byIds'>,
  ) {}

  /** `countedAt`: `null` while the first pass goes on. */
  async list(order: Order, limit: number): Promise<List> {
    const pass = await this.now.newest();
    if (!pass) return { items: [], total: 0, all: 0, countedAt: null };
    const lists = LISTS[order].map((name) => pass[name]);
    const items = await readAcross(() => this.rows(lists.flatMap(({ first }) => first).slice(0, limit)));
    const total = lists.reduce((sum, list) => sum + list.total, 0);
    return { items, total, all: pass.all.total, countedAt: new Date(pass.countedAt).toISOString() };
  }

  /** Subscriptions that were deleted meanwhile are left out. */
  private async rows(found: readonly BacklogRow[]): Promise<List['items']> {
    const [documents, projects] = await Promise.all([
      this.attached.byIds(found),
      this.accounts.projects(found.map(({ projectId }) => projectId)),
    ]);
    return found.flatMap((one, index) => {
      const [document, project] = [documents[index], projects[index]];
      return document && project ? rowOf(one, document, project.name) : [];
    });
  }
}

const rowOf = (counted: BacklogRow, document: SubscriptionDocument, project: string): List['items'][number] => ({
  project,
  name: document.name,
  topic: document.topic,
  ackMode: document.options?.ackMode ?? 'cursor',
  pushState: counted.push?.state ?? null,
  pushError: counted.push?.error ?? null,
  backlog: counted.backlog,
  oldestPublishedAt: counted.oldestPublishedAt,
  exact: counted.exact,
  deadLetters: counted.letters,
});
