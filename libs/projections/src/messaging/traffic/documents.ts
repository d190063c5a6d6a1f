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

/** Ids of all topics that ever had a name, oldest first. Daily counters continue when a topic is recreated (messaging contract 4.1). */
export type NamedTopics = Readonly<{ topicIds: readonly string[] }>;

/** A publish call. `seconds`: since the previous call. `time`: that of the call, if it is not the publish time of its messages. */
type PublishCall = Readonly<{ id: string; time?: string; count: number; seconds: number }>;

/**
 * Counters of a topic, as small as possible, because they are written for each message. `messages`: also the offset of the next message.
 * `call`: the publish call of the last message. `rate`: only if it is not that of `call`. `openDays`: totals of the days with messages
 * since the last record. Documents of versions 1 and 2 always have `rate`, and the members of the record instead of `openDays`.
 */
export type TopicCounters = Readonly<{
  projectId: string;
  messages: number;
  bytes: number;
  lastPublish: string | null;
  rate?: number;
  call: PublishCall | null;
  openDays?: Readonly<Record<Day, number>>;
  deleted?: boolean;
}>;

/**
 * The last record of a topic's traffic, which is recorded before it expires: `reported` messages are in records. The next record has number
 * `record` + 1 and contains `closed` and `days`, the state at the time of this one.
 */
export type TopicRecord = Readonly<{ record: number; reported: number; closed: TrafficTotals; days: Readonly<Record<Day, number>> }>;

/** Before the first record. */
export const NO_RECORD: TopicRecord = {
  record: 0,
  reported: 0,
  closed: { messages: 0, bytes: 0, lastPublish: null, rate: 0 },
  days: {},
};

export const totalsOf = ({
  messages,
  bytes,
  lastPublish,
  call,
  rate = call ? call.count / call.seconds : 0,
}: TopicCounters): TrafficTotals => ({
  messages,
  bytes,
  lastPublish,
  rate,
});

/** By topic id. */
export const topics = collection<TopicCounters>('topics', { owner: inMember(PROJECT, 'projectId') });

/** By topic id, from the first record on. The partition is found through the topics. */
export const records = collection<TopicRecord>('records');

/** Number of messages published to a topic on a day, as of its last record. The partition is found through the topics. */
export const topicDays = collection<number, TopicDay>('topic-days', { key: ({ topicId, day }) => `${topicId}/${day}` });

/** By topic id, until its log is discarded: the days in {@link topicDays}, oldest first. The partition is found through the topics. */
export const keptDays = collection<readonly Day[]>('topic-days.kept');

/** Maximum number of days in an answer, the newest ones with messages. Older days of a topic are not kept. */
export const RECENT_DAYS = 30;

/** Number of messages published to the topics of a project on a day, including deleted topics. */
export const projectDays = collection<number, ProjectDay>('project-days', {
  key: ({ projectId, day }) => `${projectId}/${day}`,
  owner: firstPart(PROJECT),
});

export const topicsByName = collection<NamedTopics, TopicName>('names', {
  key: ({ projectId, name }) => keyOf(projectId, name),
  owner: firstPart(PROJECT),
});

/**
 * Messages by deduplication id, of at least the last ten minutes. Each is in one of three rooms, which rotate every ten minutes, so that older
 * messages are removed together.
 */
export const ROOMS = [0, 1, 2] as const;
type DeduplicatedId = Readonly<{ projectId: string; topicId: string; room: number; id: string }>;
/** `time`: milliseconds since 1970-01-01 UTC. */
export type DeduplicatedMessage = Readonly<{ offset: number; time: number }>;

export const deduplicated = collection<DeduplicatedMessage, DeduplicatedId>('deduplicated', {
  key: ({ projectId, topicId, room, id }) => keyOf(projectId, topicId, `${room}`, id),
  owner: firstPart(PROJECT),
  expiring: true,
});

/** By topic: the ten-minute interval since 1970-01-01 UTC of the last message with a deduplication id. */
export const deduplicatedTurns = collection<number, Readonly<{ projectId: string; topicId: string }>>('deduplicated.turns', {
  key: ({ projectId, topicId }) => `${projectId}/${topicId}`,
  owner: firstPart(PROJECT),
  expiring: true,
});

/** Cursor of a subscription, with its counters. */
export const cursors = collection<Cursor, SubscriptionId>('subscriptions', {
  key: ({ projectId, subscriptionId }) => `${projectId}/${subscriptionId}`,
  owner: firstPart(PROJECT),
});

/** By project id: deleted projects whose message logs must be discarded. */
export const deletedProjects = collection<true>('projects.deleted', { owner: firstPart(PROJECT) });
