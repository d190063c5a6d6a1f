import type { DeadLetterLog, LetterCount } from '#api/messaging/deliveries/dead-letters/dead-letter-log.js';
import { ReadBudget } from '#api/messaging/messages/read-budget.js';
import type { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';

/** A subscription by its name. `topic`: name of its dead letter topic. */
type CountedSubscription = Readonly<{ projectId: string; name: string; topic: string | null }>;

/** Dead letters of subscriptions, each topic counted once. One instance per call, which reads a limited part of the log. */
export class LetterCounts {
  private readonly budget = new ReadBudget();
  private readonly topics = new Map<string, Awaited<ReturnType<DeadLetterLog['count']>> | null>();

  /** @param most number of topics that are counted. Default: any */
  constructor(
    private readonly letters: Pick<DeadLetterLog, 'count'>,
    private readonly attached: Pick<AttachedSubscriptions, 'topicsOf'>,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  /** Number of dead letters that were not redriven, as far as they are counted. */
  get sum(): number {
    return [...this.topics.values()].reduce((sum, count) => sum + (count?.().count ?? 0), 0);
  }

  /** In the given order; `null` for a subscription that has no dead letter topic, or that is gone. */
  async of(subscriptions: readonly CountedSubscription[]): Promise<readonly (LetterCount | null)[]> {
    const keyOf = ({ projectId, topic }: CountedSubscription): string => `${projectId}/${topic}`;
    const added = new Map(subscriptions.flatMap((one) => (one.topic === null || this.topics.has(keyOf(one)) ? [] : [[keyOf(one), one]])));
    const named = [...added].slice(0, this.most - this.topics.size);
    const found = await this.attached.topicsOf(named.map(([, { projectId, topic }]) => ({ projectId, document: { topic: topic ?? '' } })));
    for (const [index, [key, { projectId }]] of named.entries()) {
      const topic = found[index];
      this.topics.set(key, topic ? await this.letters.count({ projectId, topicId: topic.topicId }, this.budget) : null);
    }
    return subscriptions.map((one) => (one.topic === null ? null : (this.topics.get(keyOf(one))?.(one.name) ?? null)));
  }
}
