import type { Cursor } from '#domain/messaging/cursors/cursor-events.js';
import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import type { Day } from '#domain/shared/time.js';
import { PROJECT } from '#projections/messaging/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const COUNTERS = 'messaging.counters';

type TopicDay = Readonly<{ topicId: string; day: Day }>;
type ProjectDay = Readonly<{ projectId: string; day: Day }>;
type TopicName = Readonly<{ projectId: string; name: string }>;
export type SubscriptionId = Readonly<{ projectId: string; subscriptionId: string }>;

/** Ids of the topics that ever had a name, oldest first: daily counters go on where a topic is created anew (messaging contract 4.1). */
type NamedTopics = Readonly<{ topicIds: readonly string[] }>;

/** Messages since the last record of a topic's traffic: by day, with the total of the day. */
type OpenTraffic = Readonly<{ bytes: number; days: Readonly<Record<Day, Readonly<{ count: number; total: number }>>> }>;

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

/** By topic id. */
export const topics = collection<TopicCounters>('topics', { owner: inMember(PROJECT, 'projectId') });

/** How many messages were published to a topic on a day. The partition is found by the topics that a project has had. */
export const topicDays = collection<number, TopicDay>('topic-days', { key: ({ topicId, day }) => `${topicId}/${day}` });

/** How many messages were published to the topics of a project on a day, including topics deleted since. */
export const projectDays = collection<number, ProjectDay>('project-days', {
  key: ({ projectId, day }) => `${projectId}/${day}`,
  owner: firstPart(PROJECT),
});

export const topicsByName = collection<NamedTopics, TopicName>('names', {
  key: ({ projectId, name }) => keyOf(projectId, name),
  owner: firstPart(PROJECT),
});

/**
 * A message by its deduplication id, of the last ten minutes and some before. Each is in one of three rooms, which take turns every ten minutes: so what
 * is older is removed together.
 */
export const ROOMS = [0, 1, 2] as const;
type DeduplicatedId = Readonly<{ projectId: string; topicId: string; room: number; id: string }>;
/** `time`: milliseconds since 1970-01-01 UTC. */
type DeduplicatedMessage = Readonly<{ offset: number; time: number }>;

export const deduplicated = collection<DeduplicatedMessage, DeduplicatedId>('deduplicated', {
  key: ({ projectId, topicId, room, id }) => keyOf(projectId, topicId, `${room}`, id),
  owner: firstPart(PROJECT),
});

/** By topic: the turn of ten minutes since 1970-01-01 UTC in which the last message with a deduplication id came. */
export const deduplicatedTurns = collection<number, Readonly<{ projectId: string; topicId: string }>>('deduplicated.turns', {
  key: ({ projectId, topicId }) => `${projectId}/${topicId}`,
  owner: firstPart(PROJECT),
});

/** Where a subscription stands, with its counters. */
export const cursors = collection<Cursor, SubscriptionId>('subscriptions', {
  key: ({ projectId, subscriptionId }) => `${projectId}/${subscriptionId}`,
  owner: firstPart(PROJECT),
});

/** By project id: deleted projects, whose message logs are to be discarded. */
export const deletedProjects = collection<true>('projects.deleted', { owner: firstPart(PROJECT) });
