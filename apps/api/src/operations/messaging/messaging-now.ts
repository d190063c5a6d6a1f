import { Inject, Injectable } from '@nestjs/common';
import { DeadLetterLog, type LetterCount } from '#api/messaging/deliveries/dead-letters/dead-letter-log.js';
import { RefreshedValue } from '#api/ops-kit/refreshed.js';
import { CLOCK } from '#api/shared/tokens.js';
import { pushFails } from '#domain/messaging/push/push-state.js';
import type { FindingView, Measurement } from '#domain/operations/finding-kinds.js';
import type { Clock } from '#domain/shared/clock.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { FirstItems } from './leading.js';
import { LetterCounts } from './letter-counts.js';
import { type WaitingIn, WaitingInAll } from './waiting-in-all.js';

/** Maximum number of subscriptions in a list. */
export const MOST_LISTED = 100;
/** Maximum number of checked dead letter topics. */
const MOST_TOPICS = 500;
/** Minimum pause between two passes over all subscriptions. */
const PASS_MS = 2_000;

/** `letters`: `null` if the subscription has no dead letter topic, or that is gone. */
export type BacklogRow = WaitingIn & Readonly<{ letters: LetterCount | null }>;

const LATEST = '9999-12-31T00:00:00Z';

const lettersOf = ({ letters }: BacklogRow): number => letters?.count ?? 0;
/** Earlier times first, those that are not known last. */
const inOrder = (one: string | null | undefined, other: string | null | undefined): number =>
  Date.parse(one ?? LATEST) - Date.parse(other ?? LATEST);
const earlier = (one: string | null, other: string | null): string | null => [one ?? [], other ?? []].flat().sort()[0] ?? null;

/** `oldestWaitingAt`: leaves out subscriptions of which it is not known whether the message waits. */
type MessagingSums = Pick<Pass, 'waiting' | 'exact' | 'oldestPublishedAt' | 'oldestWaitingAt'> &
  Readonly<{ deadLetters: Measurement; pushFails: Measurement; pushUnverified: Measurement }>;

/** The result of a pass. */
class Pass {
  /** Number of all subscriptions, including those without a topic. */
  subscriptions = 0;
  waiting = 0;
  /** If false, `waiting` is an upper bound. */
  exact = true;
  oldestPublishedAt: string | null = null;
  oldestWaitingAt: string | null = null;
  readonly all = new FirstItems<BacklogRow>(MOST_LISTED, (one, other) => other.backlog - one.backlog);
  readonly oldest = new FirstItems<BacklogRow>(MOST_LISTED, (one, other) => inOrder(one.oldestPublishedAt, other.oldestPublishedAt));
  readonly failing = new FirstItems<BacklogRow>(MOST_LISTED, (one, other) => inOrder(one.push?.error?.since, other.push?.error?.since));
  readonly unverified = new FirstItems<BacklogRow>(MOST_LISTED, (one, other) => inOrder(one.oldestPublishedAt, other.oldestPublishedAt));
  readonly withLetters = new FirstItems<BacklogRow>(MOST_LISTED, (one, other) => lettersOf(other) - lettersOf(one));

  /** @param countedAt beginning of the pass, in milliseconds since 1970-01-01 UTC */
  constructor(readonly countedAt: number) {}

  add(subscriptions: number, items: readonly BacklogRow[]): void {
    this.subscriptions += subscriptions;
    for (const { backlog, exact, oldestPublishedAt, waits } of items) {
      this.waiting += backlog;
      this.exact &&= exact;
      this.oldestPublishedAt = earlier(this.oldestPublishedAt, oldestPublishedAt);
      if (waits) this.oldestWaitingAt = earlier(this.oldestWaitingAt, oldestPublishedAt);
    }
    this.all.add(items);
    this.oldest.add(items.filter(({ oldestPublishedAt }) => oldestPublishedAt !== null));
    this.failing.add(items.filter(({ push }) => pushFails(push?.state)));
    this.unverified.add(items.filter(({ push }) => push?.state === 'not verified'));
    this.withLetters.add(items.filter((one) => lettersOf(one) > 0));
  }
}

/**
 * Messaging in all projects. A pass over all subscriptions, made only while somebody asks and in a twentieth of the time at most, serves the
 * findings and the lists, so that both say the same.
 */
@Injectable()
export class MessagingNow {
  private readonly latest: RefreshedValue<Readonly<{ pass: Pass; sums: MessagingSums }>>;

  constructor(
    @Inject(WaitingInAll) private readonly all: Pick<WaitingInAll, 'pages'>,
    @Inject(AttachedSubscriptions) private readonly attached: Pick<AttachedSubscriptions, 'topicsOf'>,
    @Inject(DeadLetterLog) private readonly letters: Pick<DeadLetterLog, 'count'>,
    @Inject(AccountQueries) private readonly accounts: Pick<AccountQueries, 'project'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.latest = new RefreshedValue(() => readAcross(() => this.look()), PASS_MS);
  }

  /** Never throws. `null` while the first pass goes on. */
  async newest(): Promise<Pass | null> {
    return (await this.latest.newest())?.pass ?? null;
  }

  /** The findings, also for the overview. Never throws. `null` while the first pass goes on. */
  async sums(): Promise<MessagingSums | null> {
    return (await this.latest.newest())?.sums ?? null;
  }

  private async look(): Promise<Readonly<{ pass: Pass; sums: MessagingSums }>> {
    const pass = new Pass(this.clock());
    const letters = new LetterCounts(this.letters, this.attached, MOST_TOPICS);
    for await (const { subscriptions, items } of this.all.pages(new TimeSlice())) {
      const counts = await letters.of(items.map(({ projectId, name, deadLetterTopic: topic }) => ({ projectId, name, topic })));
      pass.add(
        subscriptions,
        items.map((one, index) => ({ ...one, letters: counts[index] ?? null })),
      );
    }
    const { waiting, exact, oldestPublishedAt, oldestWaitingAt, withLetters, failing, unverified } = pass;
    const sums = {
      ...{ waiting, exact, oldestPublishedAt, oldestWaitingAt },
      deadLetters: { value: letters.sum, ...(await this.viewOf(withLetters, { tab: 'dead-letters' })) },
      pushFails: { value: failing.total, ...(await this.viewOf(failing)) },
      pushUnverified: { value: unverified.total, ...(await this.viewOf(unverified)) },
    };
    return { pass, sums };
  }

  /** The page of the only subscription; of several, the list that the finding names. */
  private async viewOf({ first, total }: FirstItems<BacklogRow>, query?: FindingView['query']): Promise<Pick<Measurement, 'view'>> {
    const [one] = total === 1 ? first : [];
    const project = one && (await this.accounts.project(one.projectId));
    if (!project) return {};
    const path = `/messaging/${encodeURIComponent(project.name)}/subscriptions/${encodeURIComponent(one.name)}`;
    return { view: { path, ...(query && { query }), text: `Open ${one.name}` } };
  }
}
