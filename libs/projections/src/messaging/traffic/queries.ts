import { cursorIn, type SubscriptionRef, startingCursor } from '#domain/messaging/cursors/cursor.js';
import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import { DEDUPLICATION_MS, type KnownIds } from '#domain/messaging/messages/messages.js';
import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import type { Day } from '#domain/shared/time.js';
import type { Collection } from '#projections/shared/collection.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { observedQueriesOf, queriesOf } from '#projections/shared/queries.js';
import type { StoredDocument } from '#projections/shared/read-store.js';
import {
  COUNTERS,
  cursors,
  type DeduplicatedMessage,
  deduplicated,
  deletedProjects,
  NO_RECORD,
  projectDays,
  RECENT_DAYS,
  ROOMS,
  records,
  type SubscriptionId,
  type TopicCounters,
  type TopicRecord,
  topicDays,
  topics,
  topicsByName,
  totalsOf,
} from './documents.js';

export { COUNTERS } from './documents.js';

/** Deduplication ids that are looked up together. */
const IDS_AT_ONCE = 250;

type TopicId = Readonly<{ projectId: string; topicId: string }>;

/** `next`: offset of the next message of a topic. `offset`: that of the cursor of a subscription to it. */
type Place = Readonly<{ next: number; offset: number }>;

/** Ends of topics and cursors of subscriptions in the read model. */
export class OffsetQueries extends observedQueriesOf(COUNTERS) {
  /** Returns whether the read model is not shown, so that commits do not say what is new. */
  get isWithheld(): boolean {
    return false;
  }

  /** The offset of the next message of a topic. Also correct if all messages have expired. */
  async nextOffset(topicId: string): Promise<number> {
    return (await topics.get(this.view, topicId))?.messages ?? 0;
  }

  /** Like `nextOffset`, but at least `offset`: for a reader who found no message from there on. */
  async endAfter(topicId: string, offset: number): Promise<number> {
    return Math.max(offset, await this.nextOffset(topicId));
  }

  /** Like `nextOffset`, of several topics, in the order of the ids and in one round trip. `undefined`: the topic is deleted. */
  async nextOffsets(topicIds: readonly string[]): Promise<readonly (number | undefined)[]> {
    const found = await topics.getMany(this.view, topicIds);
    return found.map((topic) => (topic && !topic.deleted ? topic.messages : undefined));
  }

  /** The cursor of a subscription in the log of its current topic. */
  async cursor(subscription: SubscriptionRef): Promise<Cursor> {
    const stored = await cursors.get(this.view, subscription);
    return cursorIn(stored ?? startingCursor(subscription.start), subscription.topicId);
  }

  /** Like `cursor`, of several subscriptions, in their order and in one round trip. */
  async cursors(subscriptions: readonly SubscriptionRef[]): Promise<readonly Cursor[]> {
    if (subscriptions.length === 0) return [];
    const stored = await cursors.getMany(this.view, subscriptions);
    return subscriptions.map(({ start, topicId }, index) => cursorIn(stored[index] ?? startingCursor(start), topicId));
  }

  /** The messages of a topic with these deduplication ids, from the ten minutes before `now` (milliseconds since 1970-01-01 UTC). */
  async knownIds(topic: TopicId, ids: readonly string[], now: number): Promise<KnownIds> {
    // Read first, and from the same documents, so that the ids are at least as new.
    const upTo = (await topics.get(this.view, topic.topicId))?.messages ?? 0;
    return { offsets: await this.offsetsOf(topic, ids, ({ time }) => time > now - DEDUPLICATION_MS), upTo };
  }

  /** Offsets of the newest messages with these deduplication ids before an offset. Known for at least ten minutes, often longer. */
  earlierOffsets(topic: TopicId, ids: readonly string[], before: number): Promise<ReadonlyMap<string, number>> {
    return this.offsetsOf(topic, ids, ({ offset }) => offset < before);
  }

  /** The next offset of the topic, and that of the cursor. If the first is greater there are messages, unless they have expired. */
  async place(subscription: SubscriptionRef & Readonly<{ topicId: string }>): Promise<Place> {
    const [next, { offset }] = await Promise.all([this.nextOffset(subscription.topicId), this.cursor(subscription)]);
    return { next, offset };
  }

  private async offsetsOf(
    topic: TopicId,
    ids: readonly string[],
    passes: (message: DeduplicatedMessage) => boolean,
  ): Promise<ReadonlyMap<string, number>> {
    const offsets = new Map<string, number>();
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const some = ids.slice(at, at + IDS_AT_ONCE).flatMap((id) => ROOMS.map((room) => ({ ...topic, room, id })));
      const found = await deduplicated.getMany(this.view, some);
      for (const [index, { id }] of some.entries()) {
        const message = found[index];
        if (message && passes(message)) offsets.set(id, Math.max(message.offset, offsets.get(id) ?? 0));
      }
    }
    return offsets;
  }
}

/** Number of messages published on a UTC day. */
export type DayCount = Readonly<{ day: Day; count: number }>;

const RECENT = { reverse: true, limit: RECENT_DAYS } as const;

const dayCounts = <Id>(days: Collection<number, Id>, stored: readonly StoredDocument[]): readonly DayCount[] =>
  stored.map(({ key, value }) => ({ day: key.slice(key.lastIndexOf('/') + 1), count: days.parse(value) }));

/** The days of a topic with those since its last record, whose totals are greater. */
const withOpen = (recorded: readonly DayCount[], { openDays = {} }: Partial<TopicCounters> = {}): readonly DayCount[] => {
  const days = new Map(recorded.map(({ day, count }) => [day, count]));
  for (const [day, count] of Object.entries(openDays)) days.set(day, Math.max(days.get(day) ?? 0, count));
  return Array.from(days, ([day, count]) => ({ day, count }));
};

/** Sums the counts by day, newest day first. */
const merged = (lists: readonly (readonly DayCount[])[]): readonly DayCount[] => {
  const sums = new Map<Day, number>();
  for (const { day, count } of lists.flat()) sums.set(day, (sums.get(day) ?? 0) + count);
  return Array.from(sums, ([day, count]) => ({ day, count })).sort((a, b) => (a.day < b.day ? 1 : -1));
};

/** Published and consumed messages (messaging contract 3.9). */
export class TrafficQueries extends queriesOf(COUNTERS) {
  /** Totals of a topic. `undefined` if the read model does not have the topic. */
  async ofTopic(topicId: string): Promise<TrafficTotals | undefined> {
    const topic = await topics.get(this.view, topicId);
    return topic && totalsOf(topic);
  }

  /** Like `ofTopic`, of several topics, in the order of the ids and in one round trip. */
  async ofTopics(topicIds: readonly string[]): Promise<readonly (TrafficTotals | undefined)[]> {
    const found = topicIds.length === 0 ? [] : await topics.getMany(this.view, topicIds);
    return found.map((topic) => topic && totalsOf(topic));
  }

  /** Totals of a subscription. `undefined` if the read model does not have the subscription. */
  ofSubscription(subscription: SubscriptionId): Promise<Cursor | undefined> {
    return cursors.get(this.view, subscription);
  }

  /** Like `ofSubscription`, of several subscriptions, in their order and in one round trip. */
  async ofSubscriptions(subscriptions: readonly SubscriptionId[]): Promise<readonly (Cursor | undefined)[]> {
    return subscriptions.length === 0 ? [] : cursors.getMany(this.view, subscriptions);
  }

  /** The newest 30 days with messages, newest first. */
  async recentDaysOfProject(projectId: string): Promise<readonly DayCount[]> {
    return dayCounts(projectDays, await this.view.range(projectDays.name, { ...keysUnder(projectId), ...RECENT }));
  }

  /** Like `recentDaysOfProject`, for a topic, including earlier topics of its name. */
  async recentDaysOfTopic(projectId: string, name: string): Promise<readonly DayCount[]> {
    const { topicIds = [] } = (await topicsByName.get(this.view, { projectId, name })) ?? {};
    if (topicIds.length === 0) return [];
    const counters = await topics.getMany(this.view, topicIds); // first, so that a day that is recorded meanwhile is not missing
    const stored = await this.view.ranges(
      topicDays.name,
      topicIds.map((topicId) => ({ ...keysUnder(topicId), ...RECENT })),
    );
    return merged(stored.map((days, index) => withOpen(dayCounts(topicDays, days), counters[index]))).slice(0, RECENT_DAYS);
  }

  /** Messages of each project between two days, both inclusive, in the order of the ids. `undefined` for projects without messages. */
  async messagesBetween(projectIds: readonly string[], first: Day, last: Day): Promise<readonly (number | undefined)[]> {
    const ranges = projectIds.map((projectId) => ({
      gte: projectDays.key({ projectId, day: first }),
      lte: projectDays.key({ projectId, day: last }),
    }));
    const stored = ranges.length > 0 ? await this.view.ranges(projectDays.name, ranges) : [];
    return stored.map((days) => (days.length > 0 ? dayCounts(projectDays, days).reduce((sum, { count }) => sum + count, 0) : undefined));
  }
}

/** The counters of a topic with its last record, and whether its project is deleted. */
export type RecordableTopic = Readonly<{ topicId: string; counters: TopicCounters & TopicRecord; projectDeleted: boolean }>;

const TOPICS_IN_PAGE = 500;

/** Topics for the traffic recorder. */
export class TrafficRecordQueries extends queriesOf(COUNTERS) {
  /** All topics with a log, in pages, ordered by id. */
  async *topics(): AsyncGenerator<readonly RecordableTopic[]> {
    for (let after: string | undefined; ; ) {
      const page = await this.view.range(topics.name, { ...(after !== undefined && { gt: after }), limit: TOPICS_IN_PAGE });
      if (page.length > 0) yield await this.withProjects(page);
      after = page.at(-1)?.key;
      if (page.length < TOPICS_IN_PAGE) return;
    }
  }

  /** @throws PartitionSetAside if the project of the topic is set aside, because its counters are outdated */
  async requireKeptUp(topicId: string): Promise<void> {
    await topics.bytes(this.view, topicId);
  }

  private async withProjects(page: readonly StoredDocument[]): Promise<readonly RecordableTopic[]> {
    const found = page.map(({ key, value }) => ({ topicId: key, topic: topics.parse(value) }));
    const [last, deleted] = await Promise.all([
      records.getMany(
        this.view,
        found.map(({ topicId }) => topicId),
      ),
      deletedProjects.getMany(
        this.view,
        found.map(({ topic }) => topic.projectId),
      ),
    ]);
    return found.map(({ topicId, topic }, index) => ({
      topicId,
      counters: { ...NO_RECORD, ...last[index], ...topic },
      projectDeleted: deleted[index] ?? false,
    }));
  }
}
