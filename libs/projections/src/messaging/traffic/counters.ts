import { ACCOUNTS_CATEGORY, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { CURSORS_CATEGORY, type CursorEvent, MESSAGES_CATEGORY, type MessagePublished } from '#domain/messaging/messages/message-events.js';
import { secondsBetween, sizeOf } from '#domain/messaging/messages/messages.js';
import { RESOURCES_CATEGORY, type ResourceEvent } from '#domain/messaging/resources/resource-events.js';
import { type TopicLogDiscarded, TRAFFIC_CATEGORY, type TrafficRecorded, type TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { PROJECT, projectOfEvent } from '#projections/messaging/partitions.js';
import { defineProjection, type EventOf } from '#projections/shared/define.js';
import { firstPart, inMember, ownedBy, type Partitioning } from '#projections/shared/partitions.js';
import {
  type DocumentChange,
  type DocumentKey,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
} from '#projections/shared/projection.js';
import {
  COUNTERS_PROJECTION,
  counterCollections as collections,
  type NamedTopics,
  projectDayKey,
  subscriptionKey,
  type TopicCounters,
  topicDayKey,
  topicNameKey,
} from './counter-documents.js';

type Handled =
  | Extract<ResourceEvent, { type: 'TopicCreated' | 'TopicDeleted' | 'SubscriptionCreated' | 'SubscriptionDeleted' }>
  | Extract<AccountEvent, { type: 'ProjectDeleted' }>
  | MessagePublished
  | CursorEvent
  | TrafficRecorded
  | TopicLogDiscarded;

type Plan = Readonly<{ reads: readonly DocumentKey[]; apply(read: ReadDocument): readonly DocumentChange[] }>;

/** Topics of one name, one after the other, whose days are kept together: the newest ones. */
const MOST_NAMESAKES = 1_000;

const idIn = (category: string, stream: string): string => stream.slice(category.length + 1);

const NOTHING: TrafficTotals = { messages: 0, bytes: 0, lastPublish: null, rate: 0 };

const topicCreated = (event: EventOf<Extract<ResourceEvent, { type: 'TopicCreated' }>>): Plan => {
  const projectId = idIn(RESOURCES_CATEGORY, event.stream);
  const { topicId, name } = event.data;
  const names = { collection: collections.names, key: topicNameKey(projectId, name) };
  const counters: TopicCounters = {
    ...NOTHING,
    projectId,
    name,
    call: null,
    deleted: false,
    record: 0,
    reported: 0,
    closed: NOTHING,
    days: {},
    open: { bytes: 0, days: {} },
  };
  return {
    reads: [names],
    apply: (read) => {
      const { topicIds } = (read(names.collection, names.key) ?? { topicIds: [] }) as NamedTopics;
      return [
        put(collections.topics, topicId, counters),
        put(names.collection, names.key, { topicIds: [...topicIds, topicId].slice(-MOST_NAMESAKES) } satisfies NamedTopics),
      ];
    },
  };
};

/** Where the messages of a topic on a day are counted: in the topic, in its day, and in that of its project. */
type MessagePlaces = Readonly<{ stream: string; day: Day; projectId: string; keys: readonly [DocumentKey, DocumentKey, DocumentKey] }>;

const messagePlaces = (stream: string, day: Day, projectId: string): MessagePlaces => {
  const topicId = idIn(MESSAGES_CATEGORY, stream);
  return {
    stream,
    day,
    projectId,
    keys: [
      { collection: collections.topics, key: topicId },
      { collection: collections.topicDays, key: topicDayKey(topicId, day) },
      { collection: collections.projectDays, key: projectDayKey(projectId, day) },
    ],
  };
};

let latest = messagePlaces('', '', '');

/** The places for a message. Kept from one message to the next: those of a call have them in common. */
const placesOf = ({ stream, data: { publishTime, projectId } }: EventOf<MessagePublished>): MessagePlaces => {
  const same = latest.stream === stream && latest.projectId === projectId && publishTime.startsWith(latest.day);
  if (!same) latest = messagePlaces(stream, dayOf(publishTime), projectId);
  return latest;
};

/** The publish call that a topic's last message came with, after one more message. */
const callWith = (
  { call, lastPublish }: TopicCounters,
  { data, metadata }: EventOf<MessagePublished>,
): NonNullable<TopicCounters['call']> => {
  const id = `${metadata.requestId} ${metadata.time}`;
  if (call?.id === id) return { id, count: call.count + 1, seconds: call.seconds };
  return { id, count: 1, seconds: secondsBetween(lastPublish, data.publishTime) };
};

/** What a topic's counters are after one more message; `total`: of its day. Member by member, because that is several times faster than a copy. */
const withMessage = (topic: TopicCounters, event: EventOf<MessagePublished>, day: Day, total: number): TopicCounters => {
  const size = sizeOf(event.data.data);
  const call = callWith(topic, event);
  const { bytes, days } = topic.open;
  return {
    messages: Number(event.revision) + 1,
    bytes: topic.bytes + size,
    lastPublish: event.data.publishTime,
    rate: call.count / call.seconds,
    projectId: topic.projectId,
    name: topic.name,
    call,
    deleted: topic.deleted,
    record: topic.record,
    reported: topic.reported,
    closed: topic.closed,
    days: topic.days,
    open: { bytes: bytes + size, days: { ...days, [day]: { count: (days[day]?.count ?? 0) + 1, total } } },
  };
};

const messagePublished = (event: EventOf<MessagePublished>): Plan => {
  const { day, keys } = placesOf(event);
  return {
    reads: keys,
    apply: (read) => {
      const [topic, ofTopic, ofProject] = keys;
      const counters = read(topic.collection, topic.key) as TopicCounters | undefined;
      if (!counters || counters.deleted) return []; // deleted in the meantime
      const total = Number(read(ofTopic.collection, ofTopic.key) ?? 0) + 1;
      const ofAll = Number(read(ofProject.collection, ofProject.key) ?? 0) + 1;
      return [
        put(topic.collection, topic.key, withMessage(counters, event, day, total)),
        put(ofTopic.collection, ofTopic.key, total),
        put(ofProject.collection, ofProject.key, ofAll),
      ];
    },
  };
};

/** Brings the counters to what the record and the messages since the record before it tell; in a log from which nothing expired that changes nothing. */
const corrected = (topic: TopicCounters, { totals }: TrafficRecorded['data'], days: TopicCounters['days']): TopicCounters => {
  const newer = topic.lastPublish !== null && (totals.lastPublish === null || topic.lastPublish >= totals.lastPublish);
  const current: TrafficTotals = {
    messages: Math.max(topic.messages, totals.messages),
    bytes: totals.bytes + topic.open.bytes,
    lastPublish: newer ? topic.lastPublish : totals.lastPublish,
    rate: newer ? topic.rate : totals.rate,
  };
  const touched = Object.entries(topic.open.days).map(([day, { total }]) => [day, days[day] ?? total] as const);
  return {
    ...topic,
    ...current,
    record: topic.record + 1,
    reported: totals.messages,
    closed: current,
    days: Object.fromEntries(touched),
    open: { bytes: 0, days: {} },
  };
};

const trafficRecorded = ({ data }: EventOf<TrafficRecorded>): Plan => {
  const { projectId, topicId } = data;
  const days = Object.keys(data.days);
  const keys = days.flatMap((day) => [
    { collection: collections.topicDays, key: topicDayKey(topicId, day) },
    { collection: collections.projectDays, key: projectDayKey(projectId, day) },
  ]);
  const gone = { collection: collections.deletedProjects, key: projectId };
  return {
    reads: [{ collection: collections.topics, key: topicId }, gone, ...keys],
    apply: (read) => {
      const topic = read(collections.topics, topicId) as TopicCounters | undefined;
      if (!topic || read(gone.collection, gone.key)) return [];
      const changes: DocumentChange[] = [];
      const totals: Record<string, number> = {};
      for (const day of days) {
        const [dayKey, projectKey] = [topicDayKey(topicId, day), projectDayKey(projectId, day)];
        const known = Number(read(collections.topicDays, dayKey) ?? 0);
        const total = (data.days[day] ?? 0) + (topic.open.days[day]?.count ?? 0);
        totals[day] = total;
        if (total === known) continue;
        const ofProject = Number(read(collections.projectDays, projectKey) ?? 0) + total - known;
        changes.push(put(collections.topicDays, dayKey, total), put(collections.projectDays, projectKey, ofProject));
      }
      return [...changes, put(collections.topics, topicId, corrected(topic, data, totals))];
    },
  };
};

/** Daily counters outlive their topic, but not the project. */
const topicLogDiscarded = ({ data: { projectId, topicId } }: EventOf<TopicLogDiscarded>): Plan => {
  const gone = { collection: collections.deletedProjects, key: projectId };
  return {
    reads: [gone],
    apply: (read) => [
      remove(collections.topics, topicId),
      ...(read(gone.collection, gone.key) ? [removePrefix(collections.topicDays, `${topicId}/`)] : []),
    ],
  };
};

/** Changes a document that may be gone already: then nothing. */
const changing = <Document>(collection: string, key: string, change: (document: Document) => DocumentChange): Plan => ({
  reads: [{ collection, key }],
  apply: (read) => {
    const document = read(collection, key) as Document | undefined;
    return document === undefined ? [] : [change(document)];
  },
});

const writing = (...changes: readonly DocumentChange[]): Plan => ({ reads: [], apply: () => changes });

/** What an event reads and does. */
const planOf = (event: EventOf<Handled>): Plan => {
  switch (event.type) {
    case 'TopicCreated':
      return topicCreated(event);
    case 'TopicDeleted': {
      const { topicId } = event.data;
      return changing<TopicCounters>(collections.topics, topicId, (topic) => put(collections.topics, topicId, { ...topic, deleted: true }));
    }
    case 'MessagePublished':
      return messagePublished(event);
    case 'TrafficRecorded':
      return trafficRecorded(event);
    case 'TopicLogDiscarded':
      return topicLogDiscarded(event);
    case 'SubscriptionCreated': {
      const { subscriptionId } = event.data;
      const key = subscriptionKey(idIn(RESOURCES_CATEGORY, event.stream), subscriptionId);
      return writing(put(collections.subscriptions, key, startingCursor(event.data)));
    }
    case 'SubscriptionDeleted':
      return writing(remove(collections.subscriptions, subscriptionKey(idIn(RESOURCES_CATEGORY, event.stream), event.data.subscriptionId)));
    case 'BatchDelivered':
    case 'BatchAcknowledged':
    case 'OffsetModified': {
      const key = subscriptionKey(event.data.projectId, event.data.subscriptionId);
      return changing(collections.subscriptions, key, () => put(collections.subscriptions, key, event.data.cursor));
    }
    case 'ProjectDeleted': {
      const { projectId } = event.data;
      const emptied = [collections.projectDays, collections.names, collections.subscriptions];
      return writing(
        ...emptied.map((collection) => removePrefix(collection, `${projectId}/`)),
        put(collections.deletedProjects, projectId, true),
      );
    }
  }
};

/** The counters of a topic's days are found by the topics that a project has had. */
const partitions: Partitioning = {
  ofEvent: projectOfEvent,
  owners: {
    [collections.topics]: inMember(PROJECT, 'projectId'),
    ...ownedBy(firstPart(PROJECT), [collections.projectDays, collections.names, collections.subscriptions, collections.deletedProjects]),
  },
};

/** Counters of topics, subscriptions and days, as {@link counterCollections} says. */
export const countersProjection: Projection = defineProjection<Handled>({
  name: COUNTERS_PROJECTION,
  version: 1,
  service: 'messaging',
  categories: [MESSAGES_CATEGORY, CURSORS_CATEGORY, TRAFFIC_CATEGORY, RESOURCES_CATEGORY, ACCOUNTS_CATEGORY],
  handles: [
    'TopicCreated',
    'TopicDeleted',
    'MessagePublished',
    'TrafficRecorded',
    'TopicLogDiscarded',
    'SubscriptionCreated',
    'SubscriptionDeleted',
    'BatchDelivered',
    'BatchAcknowledged',
    'OffsetModified',
    'ProjectDeleted',
  ],
  partitions,
  reads: (event) => planOf(event).reads,
  apply: (event, read) => planOf(event).apply(read),
});
