import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import type { Day } from '#domain/shared/time.js';
import { keyOf } from '#projections/shared/key-part.js';

export const COUNTERS_PROJECTION = 'messaging.counters';

/** What was published and consumed (messaging contract 4.10), and where subscriptions stand. */
export const counterCollections = {
  /** Topic id → {@link TopicCounters} */
  topics: 'topics',
  /** {@link topicDayKey} → number of messages published to the topic on that day */
  topicDays: 'topic-days',
  /** {@link projectDayKey} → number of messages published to topics of the project on that day, topics deleted since included */
  projectDays: 'project-days',
  /** {@link topicNameKey} → {@link NamedTopics} */
  names: 'names',
  /** {@link subscriptionKey} → `Cursor`, with the counters of the subscription */
  subscriptions: 'subscriptions',
  /** Ids of deleted projects, whose message logs are to be discarded → `true` */
  deletedProjects: 'projects.deleted',
} as const;

/** Ids of the topics that ever had a name, oldest first: daily counters go on where a topic is created anew (messaging contract 4.1). */
export type NamedTopics = Readonly<{ topicIds: readonly string[] }>;

/** Messages since the last record of a topic's traffic: by day, with what the day has altogether. */
export type OpenTraffic = Readonly<{ bytes: number; days: Readonly<Record<Day, Readonly<{ count: number; total: number }>>> }>;

/**
 * Counters of a topic. `messages` is also the offset that the next message gets. `call`: the publish call that the last message came with.
 * The other members are for recording the traffic before it expires: `reported` messages are in records; the next record, number
 * `record` + 1, will say `closed` and `days`, which is how things were when the last one was made.
 */
export type TopicCounters = TrafficTotals &
  Readonly<{
    projectId: string;
    name: string;
    call: Readonly<{ id: string; count: number; seconds: number }> | null;
    deleted: boolean;
    record: number;
    reported: number;
    closed: TrafficTotals;
    days: Readonly<Record<Day, number>>;
    open: OpenTraffic;
  }>;

export const topicDayKey = (topicId: string, day: Day): string => keyOf(topicId, day);
export const projectDayKey = (projectId: string, day: Day): string => keyOf(projectId, day);
export const topicNameKey = (projectId: string, name: string): string => keyOf(projectId, name);
export const subscriptionKey = (projectId: string, subscriptionId: string): string => keyOf(projectId, subscriptionId);
