import { ACCOUNTS_CATEGORY, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { CURSORS_CATEGORY, type CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import { DELIVERIES_CATEGORY, type DeliveryEvent } from '#domain/messaging/deliveries/delivery-events.js';
import { MESSAGES_CATEGORY, type MessagePublished } from '#domain/messaging/messages/message-events.js';
import { DEDUPLICATION_MS, secondsBetween, sizeOf } from '#domain/messaging/messages/messages.js';
import { RESOURCES_CATEGORY, type ResourceEvent } from '#domain/messaging/resources/resources.js';
import { TRAFFIC_CATEGORY, type TrafficEvent, type TrafficRecorded, type TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { projectOfEvent } from '#projections/messaging/partitions.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import {
  COUNTERS,
  cursors,
  deduplicated,
  deduplicatedTurns,
  deletedProjects,
  projectDays,
  ROOMS,
  type TopicCounters,
  topicDays,
  topics,
  topicsByName,
} from './documents.js';

type TopicCreated = Extract<ResourceEvent, { type: 'TopicCreated' }>;
type TopicDeleted = Extract<ResourceEvent, { type: 'TopicDeleted' }>;
type TopicLogDiscarded = Extract<TrafficEvent, { type: 'TopicLogDiscarded' }>;
type Handled =
  | Extract<ResourceEvent, { type: 'TopicCreated' | 'TopicDeleted' | 'SubscriptionCreated' | 'SubscriptionDeleted' }>
  | Extract<AccountEvent, { type: 'ProjectDeleted' }>
  | MessagePublished
  | CursorEvent
  | DeliveryEvent
  | TrafficEvent;

/** Maximum topics of a name whose daily counters are used, the newest ones. */
const MOST_TOPICS_OF_A_NAME = 1_000;

const idIn = (category: string, stream: string): string => stream.slice(category.length + 1);
const projectIn = (stream: string): string => idIn(RESOURCES_CATEGORY, stream);

const NO_TRAFFIC: TrafficTotals = { messages: 0, bytes: 0, lastPublish: null, rate: 0 };

const newTopic = (projectId: string, name: string): TopicCounters => ({
  ...NO_TRAFFIC,
  projectId,
  name,
  call: null,
  deleted: false,
  record: 0,
  reported: 0,
  closed: NO_TRAFFIC,
  days: {},
  open: { bytes: 0, days: {} },
});

/** The publish call of a topic's last message, after one more message. */
const callWith = (
  { call, lastPublish }: TopicCounters,
  { data, metadata }: EventOf<MessagePublished>,
): NonNullable<TopicCounters['call']> => {
  const id = `${metadata.requestId} ${metadata.time}`;
  if (call?.id === id) return { id, count: call.count + 1, seconds: call.seconds };
  return { id, count: 1, seconds: secondsBetween(lastPublish, data.publishTime) };
};

/** A topic's counters after one more message. `total`: messages of its day. Members are listed, because that is several times faster than a copy. */
const withMessage = (topic: TopicCounters, event: EventOf<MessagePublished>, total: number): TopicCounters => {
  const day = dayOf(event.data.publishTime);
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

/** Sets the counters to those of the record plus the messages since the previous record. Changes nothing if no message has expired. */
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

const topicCreated = reading(
  ({ stream, data: { name } }: EventOf<TopicCreated>) => ({ named: topicsByName.at({ projectId: projectIn(stream), name }) }),
  ({ stream, data: { topicId, name } }, { named }) => {
    const projectId = projectIn(stream);
    const topicIds = [...(named?.topicIds ?? []), topicId].slice(-MOST_TOPICS_OF_A_NAME);
    return [topics.put(topicId, newTopic(projectId, name)), topicsByName.put({ projectId, name }, { topicIds })];
  },
);

const topicDeleted = reading(
  ({ data: { topicId } }: EventOf<TopicDeleted>) => ({ topic: topics.at(topicId) }),
  ({ data: { topicId } }, { topic }) => (topic ? [topics.put(topicId, { ...topic, deleted: true })] : []),
);

const NO_TURNS: readonly ReturnType<typeof deduplicatedTurns.at>[] = [];
/** Stores the message by its deduplication id and clears the room of the next interval. */
const idRecorded = (
  { data: { projectId, publishTime }, revision }: EventOf<MessagePublished>,
  topicId: string,
  id: string,
  lastTurn: number | undefined,
): readonly DocumentChange[] => {
  const time = Date.parse(publishTime);
  const turn = Math.floor(time / DEDUPLICATION_MS);
  const recorded = deduplicated.put({ projectId, topicId, room: turn % ROOMS.length, id }, { offset: Number(revision), time });
  if (turn === lastTurn) return [recorded];
  const next = `${projectId}/${topicId}/${(turn + 1) % ROOMS.length}/`;
  return [deduplicated.removeUnder(next), deduplicatedTurns.put({ projectId, topicId }, turn), recorded];
};

const messagePublished = reading(
  ({ stream, data: { projectId, publishTime, deduplicationId } }: EventOf<MessagePublished>) => {
    const topicId = idIn(MESSAGES_CATEGORY, stream);
    const day = dayOf(publishTime);
    return {
      topic: topics.at(topicId),
      ofTopic: topicDays.at({ topicId, day }),
      ofProject: projectDays.at({ projectId, day }),
      turns: deduplicationId === undefined ? NO_TURNS : [deduplicatedTurns.at({ projectId, topicId })],
    };
  },
  (event, { topic, ofTopic = 0, ofProject = 0, turns: [turn] }, at) => {
    if (!topic || topic.deleted) return []; // deleted meanwhile
    const { deduplicationId: id } = event.data;
    const counted = [
      topics.putAt(at.topic, withMessage(topic, event, ofTopic + 1)),
      topicDays.putAt(at.ofTopic, ofTopic + 1),
      projectDays.putAt(at.ofProject, ofProject + 1),
    ];
    return id === undefined ? counted : [...counted, ...idRecorded(event, idIn(MESSAGES_CATEGORY, event.stream), id, turn)];
  },
);

const trafficRecorded = reading(
  ({ data: { projectId, topicId, days } }: EventOf<TrafficRecorded>) => ({
    topic: topics.at(topicId),
    projectDeleted: deletedProjects.at(projectId),
    ofTopic: Object.keys(days).map((day) => topicDays.at({ topicId, day })),
    ofProject: Object.keys(days).map((day) => projectDays.at({ projectId, day })),
  }),
  ({ data }, { topic, projectDeleted, ofTopic, ofProject }) => {
    if (!topic || projectDeleted) return [];
    const { projectId, topicId } = data;
    const totals: Record<Day, number> = {};
    const changes = Object.entries(data.days).flatMap(([day, recorded], index) => {
      const known = ofTopic[index] ?? 0;
      const total = recorded + (topic.open.days[day]?.count ?? 0);
      totals[day] = total;
      if (total === known) return [];
      return [topicDays.put({ topicId, day }, total), projectDays.put({ projectId, day }, (ofProject[index] ?? 0) + total - known)];
    });
    return [...changes, topics.put(topicId, corrected(topic, data, totals))];
  },
);

/** Daily counters are kept after a topic is deleted, but not after its project is. */
const topicLogDiscarded = reading(
  ({ data: { projectId } }: EventOf<TopicLogDiscarded>) => ({ projectDeleted: deletedProjects.at(projectId) }),
  ({ data: { projectId, topicId } }, { projectDeleted }) => [
    topics.remove(topicId),
    deduplicated.removeUnder(`${projectId}/${topicId}/`),
    deduplicatedTurns.remove({ projectId, topicId }),
    ...(projectDeleted ? [topicDays.removeUnder(`${topicId}/`)] : []),
  ],
);

/** Ignored if the subscription is already deleted. */
const cursorMoved = reading(
  ({ data: { projectId, subscriptionId } }: EventOf<CursorEvent | DeliveryEvent>) => ({ known: cursors.at({ projectId, subscriptionId }) }),
  ({ data: { projectId, subscriptionId, cursor } }, { known }) => (known ? [cursors.put({ projectId, subscriptionId }, cursor)] : []),
);

/** Published and consumed messages (messaging contract 4.10), and cursors of subscriptions. */
export const countersProjection = readModel<Handled>(
  {
    name: COUNTERS,
    version: 2,
    service: 'messaging',
    categories: [MESSAGES_CATEGORY, CURSORS_CATEGORY, DELIVERIES_CATEGORY, TRAFFIC_CATEGORY, RESOURCES_CATEGORY, ACCOUNTS_CATEGORY],
    collections: [topics, topicDays, projectDays, topicsByName, cursors, deletedProjects, deduplicated, deduplicatedTurns],
    partitionsOf: projectOfEvent,
  },
  {
    TopicCreated: topicCreated,
    TopicDeleted: topicDeleted,
    MessagePublished: messagePublished,
    TrafficRecorded: trafficRecorded,
    TopicLogDiscarded: topicLogDiscarded,
    SubscriptionCreated: ({ stream, data }) => [
      cursors.put({ projectId: projectIn(stream), subscriptionId: data.subscriptionId }, startingCursor(data)),
    ],
    SubscriptionDeleted: ({ stream, data: { subscriptionId } }) => [cursors.remove({ projectId: projectIn(stream), subscriptionId })],
    BatchDelivered: cursorMoved,
    BatchAcknowledged: cursorMoved,
    OffsetModified: cursorMoved,
    DeliveriesRecorded: cursorMoved,
    DeliveriesSettled: cursorMoved,
    DeliveriesSought: cursorMoved,
    ProjectDeleted: ({ data: { projectId } }) => [
      ...[projectDays, topicsByName, cursors, deduplicated, deduplicatedTurns].map((kept) => kept.removeUnder(`${projectId}/`)),
      deletedProjects.put(projectId, true),
    ],
  },
);
