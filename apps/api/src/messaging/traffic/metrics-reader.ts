import { byBytes } from '#api/shared/answers/text-order.js';
import { rangeInParts } from '#api/shared/http/range-parts.js';
import type { Cursor } from '#domain/messaging/messages/message-events.js';
import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import type { Day } from '#domain/shared/time.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import {
  RESOURCES_PROJECTION,
  resourceCollections,
  type SubscriptionDocument,
  type TopicDocument,
  type TotalsDocument,
} from '#projections/messaging/resources/resource-documents.js';
import {
  COUNTERS_PROJECTION,
  counterCollections,
  type NamedTopics,
  projectDayKey,
  subscriptionKey,
  topicNameKey,
} from '#projections/messaging/traffic/counter-documents.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import type { MetricPoint } from './metric-views.js';

/** Days that metrics show. */
const RECENT_DAYS = 30;

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;
const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
const dayCounters = (stored: readonly StoredDocument[]): readonly MetricPoint[] =>
  stored.map(({ key, value }) => ({ timestamp: lastPart(key), value: Number(parse(value)) }));

/** Counters with the days of all added up, newest first. */
const merged = (lists: readonly (readonly MetricPoint[])[]): readonly MetricPoint[] => {
  const sums = new Map<Day, number>();
  for (const { timestamp, value } of lists.flat()) sums.set(timestamp, (sums.get(timestamp) ?? 0) + value);
  return Array.from(sums, ([timestamp, value]) => ({ timestamp, value })).sort((a, b) => byBytes(b.timestamp, a.timestamp));
};

/** What metrics are made of: counters, and how many there are of everything. */
export class MetricsReader {
  private readonly counters: ReadView;
  private readonly resources: ReadView;

  constructor(store: ReadStore) {
    this.counters = store.view(COUNTERS_PROJECTION);
    this.resources = store.view(RESOURCES_PROJECTION);
  }

  async totals({ projectId }: ProjectReference): Promise<TotalsDocument> {
    const stored = await this.resources.get(resourceCollections.totals, projectId);
    return stored ? parse(stored) : { topics: 0, subscriptions: 0 };
  }

  /** How many topics or subscriptions of a project have a user in their ACL, by the user's id. */
  async accessible({ projectId }: ProjectReference, kind: 'topics' | 'subscriptions'): Promise<ReadonlyMap<string, number>> {
    const collection = kind === 'topics' ? resourceCollections.topicsOfUser : resourceCollections.subscriptionsOfUser;
    const counts = new Map<string, number>();
    for await (const part of rangeInParts(this.resources, collection, keysUnder(projectId))) {
      for (const { key } of part) {
        const [, userId = ''] = key.split('/');
        counts.set(userId, (counts.get(userId) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** The newest 30 of the days with messages, newest first. */
  async recentDaysOfProject({ projectId }: ProjectReference): Promise<readonly MetricPoint[]> {
    const range = { ...keysUnder(projectId), reverse: true, limit: RECENT_DAYS };
    return dayCounters(await this.counters.range(counterCollections.projectDays, range));
  }

  /** The same of a topic, with those of earlier topics of its name. */
  async recentDaysOfTopic({ projectId }: ProjectReference, name: string): Promise<readonly MetricPoint[]> {
    const names = await this.counters.get(counterCollections.names, topicNameKey(projectId, name));
    const topicIds = names ? parse<NamedTopics>(names).topicIds : [];
    const ranges = topicIds.map((topicId) => ({ ...keysUnder(topicId), reverse: true, limit: RECENT_DAYS }));
    const stored = ranges.length > 0 ? await this.counters.ranges(counterCollections.topicDays, ranges) : [];
    return merged(stored.map(dayCounters)).slice(0, RECENT_DAYS);
  }

  /** Messages of each project from one day to another, both included; nothing for projects without a counter in that time. */
  async messagesBetween(projectIds: readonly string[], first: Day, last: Day): Promise<readonly (number | undefined)[]> {
    const ranges = projectIds.map((projectId) => ({ gte: projectDayKey(projectId, first), lte: projectDayKey(projectId, last) }));
    const stored = ranges.length > 0 ? await this.counters.ranges(counterCollections.projectDays, ranges) : [];
    return stored.map((days) => (days.length > 0 ? dayCounters(days).reduce((sum, { value }) => sum + value, 0) : undefined));
  }

  /** How many topics and subscriptions a project has that were created from one day to another, both included. */
  async createdBetween(projectId: string, first: Day, last: Day): Promise<TotalsDocument> {
    const countIn = async (collection: string): Promise<number> => {
      let count = 0;
      for await (const part of rangeInParts(this.resources, collection, keysUnder(projectId))) {
        const days = part.map(({ value }) => parse<TopicDocument | SubscriptionDocument>(value).createdOn.slice(0, first.length));
        count += days.filter((day) => day >= first && day <= last).length;
      }
      return count;
    };
    const topics = await countIn(resourceCollections.topicsInOrder);
    return { topics, subscriptions: await countIn(resourceCollections.subscriptionsInOrder) };
  }

  async traffic(topicId: string): Promise<TrafficTotals | undefined> {
    const stored = await this.counters.get(counterCollections.topics, topicId);
    return stored ? parse(stored) : undefined;
  }

  async consumption({ projectId }: ProjectReference, subscriptionId: string): Promise<Cursor | undefined> {
    const stored = await this.counters.get(counterCollections.subscriptions, subscriptionKey(projectId, subscriptionId));
    return stored ? parse(stored) : undefined;
  }
}
