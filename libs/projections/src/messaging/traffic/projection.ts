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
import type { DocumentChange, ReadDocument } from '#projections/shared/projection.js';
import { type EventOf, type Handler, reading, readModel } from '#projections/shared/read-model.js';
import {
  COUNTERS,
  cursors,
  deduplicated,
  deduplicatedTurns,
  deletedProjects,
  keptDays,
  type NamedTopics,
  NO_RECORD,
  projectDays,
  RECENT_DAYS,
  ROOMS,
  records,
  type TopicCounters,
  type TopicRecord,
  topicDays,
  topics,
  topicsByName,
  totalsOf,
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

/** The publish call of a topic's last message, after one more message. */
const callWith = (
  { call, lastPublish }: TopicCounters,
  { data: { publishTime }, metadata: { requestId: id, time } }: EventOf<MessagePublished>,
): TopicCounters['call'] => {
  const isSame = call?.id === id && (call.time ?? lastPublish) === time;
  const [count, seconds] = isSame ? [call.count + 1, call.seconds] : [1, secondsBetween(lastPublish, publishTime)];
  return time === publishTime ? { id, count, seconds } : { id, time, count, seconds };
};

/**
 * A topic's counters after one more message. `ofDay`: messages of its day until the last record. Members are listed, because that is
 * several times faster than a copy.
 */
const withMessage = (topic: TopicCounters, event: EventOf<MessagePublished>, ofDay: () => number | undefined): TopicCounters => {
  const { publishTime, data } = event.data;
  const day = dayOf(publishTime);
  return {
    projectId: topic.projectId,
    messages: Number(event.revision) + 1,
    bytes: topic.bytes + sizeOf(data),
    lastPublish: publishTime,
    call: callWith(topic, event),
    openDays: { ...topic.openDays, [day]: (topic.openDays?.[day] ?? ofDay() ?? 0) + 1 },
  };
};

/**
 * Sets the counters to those of the record plus the messages since the previous record. If no message has expired, only the form of the rate may
 * change.
 */
const countersAfter = (topic: TopicCounters, totals: TrafficTotals, { closed }: TopicRecord): TopicCounters => {
  const { lastPublish, rate } = totals;
  const isNewer = topic.messages > totals.messages;
  return {
    ...topic,
    messages: Math.max(topic.messages, totals.messages),
    bytes: totals.bytes + topic.bytes - closed.bytes,
    ...(!isNewer && { lastPublish, rate, call: null }),
    openDays: {},
  };
};

/** A complete model makes each record of its own `closed` and `days`. The first record has what was counted before the log began. */
const lacksMessages = ({ record, totals, days }: TrafficRecorded['data'], { closed, days: counted }: TopicRecord): boolean =>
  record > 1 &&
  (totals.messages !== closed.messages ||
    totals.bytes !== closed.bytes ||
    Object.entries(days).some(([day, count]) => count !== counted[day]));

const namedLike = ({ stream, data: { name } }: EventOf<TopicCreated>) => topicsByName.at({ projectId: projectIn(stream), name });

/** The topics of a name after one more, and those whose daily counters are used no more. */
const withTopic = (event: EventOf<TopicCreated>, read: ReadDocument) => {
  const { collection, key } = namedLike(event);
  const { topicIds = [] } = (read(collection, key) as NamedTopics | undefined) ?? {};
  const all = [...topicIds, event.data.topicId];
  return { topicIds: all.slice(-MOST_TOPICS_OF_A_NAME), unused: all.slice(0, -MOST_TOPICS_OF_A_NAME) };
};

const topicCreated: Handler<EventOf<TopicCreated>> = {
  reads: (event) => [namedLike(event)],
  readsNext: (event, read) => withTopic(event, read).unused.map((unused) => topics.at(unused)),
  apply: (event, read) => {
    const { topicIds, unused } = withTopic(event, read);
    const topic = { projectId: projectIn(event.stream), messages: 0, bytes: 0, lastPublish: null, call: null, openDays: {} };
    // A topic whose log is not discarded yet has records to come, which are compared with its days.
    const discarded = unused.filter((id) => read(topics.name, id) === undefined);
    return [
      topics.put(event.data.topicId, topic),
      topicsByName.putAt(namedLike(event), { topicIds }),
      ...discarded.map((id) => topicDays.removeUnder(`${id}/`)),
    ];
  },
};

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
      ofTopic: topicDays.lazyAt({ topicId, day }),
      ofProject: projectDays.at({ projectId, day }),
      turns: deduplicationId === undefined ? NO_TURNS : [deduplicatedTurns.at({ projectId, topicId })],
    };
  },
  (event, { topic, ofTopic, ofProject = 0, turns: [turn] }, at) => {
    if (!topic || topic.deleted) return []; // deleted meanwhile
    const { deduplicationId: id } = event.data;
    const counted = [topics.putAt(at.topic, withMessage(topic, event, ofTopic)), projectDays.putAt(at.ofProject, ofProject + 1)];
    return id === undefined ? counted : [...counted, ...idRecorded(event, idIn(MESSAGES_CATEGORY, event.stream), id, turn)];
  },
);

type DayTotals = Readonly<Record<Day, number>>;

/** Days of a topic before a change, which of them are put, and those that its next record may correct. */
type DaysOfTopic = Readonly<{ topicId: string; kept: readonly Day[] | undefined; totals: DayTotals; next?: DayTotals }>;

/**
 * Puts totals of days, and removes the days that no answer shows any more: all but the newest ones. It depends on the days of messages and
 * records alone, not on the present day, so that a build gives the same documents at any time.
 */
const daysPut = ({ topicId, kept: before = [], totals, next = {} }: DaysOfTopic): readonly DocumentChange[] => {
  const all = [...new Set([...before, ...Object.keys(totals)])].sort();
  const oldest = all.at(-RECENT_DAYS) ?? '';
  const kept = all.filter((day) => day >= oldest || day in next);
  const put = kept.flatMap((day) => (totals[day] === undefined ? [] : [topicDays.put({ topicId, day }, totals[day])]));
  const gone = before.filter((day) => !kept.includes(day)).map((day) => topicDays.remove({ topicId, day }));
  return [...put, ...gone, ...(kept.join() === before.join() ? [] : [keptDays.put(topicId, kept)])];
};

const trafficRecorded = reading(
  ({ data: { projectId, topicId, days } }: EventOf<TrafficRecorded>) => ({
    topic: topics.at(topicId),
    last: records.at(topicId),
    kept: keptDays.at(topicId),
    projectDeleted: deletedProjects.at(projectId),
    ofTopic: Object.keys(days).map((day) => topicDays.at({ topicId, day })),
    ofProject: Object.keys(days).map((day) => projectDays.at({ projectId, day })),
  }),
  ({ data }, { topic, last = NO_RECORD, kept, projectDeleted, ofTopic, ofProject }) => {
    if (!topic || projectDeleted) return [];
    const { projectId, topicId, totals } = data;
    const { openDays = {} } = topic;
    const days: Record<Day, number> = { ...openDays };
    const corrected: Record<Day, number> = {};
    const corrections = Object.entries(data.days).flatMap(([day, recorded], index) => {
      const before = ofTopic[index] ?? 0;
      const counted = openDays[day] ?? before;
      const total = recorded + counted - before;
      if (total === counted) return [];
      if (day in openDays) days[day] = total;
      corrected[day] = total;
      return [projectDays.put({ projectId, day }, (ofProject[index] ?? 0) + total - counted)];
    });
    const counters = countersAfter(topic, totals, last);
    const next = { record: last.record + 1, reported: totals.messages, closed: totalsOf(counters), days };
    const put = daysPut({ topicId, kept, totals: { ...corrected, ...days }, next: days });
    return [...corrections, ...put, topics.put(topicId, counters), records.put(topicId, next)];
  },
  ({ data }, { topic, last = NO_RECORD, projectDeleted }) => topic !== undefined && !projectDeleted && lacksMessages(data, last),
);

/** Daily counters are kept after a topic is deleted, but not after its project is. */
const topicLogDiscarded = reading(
  ({ data: { projectId, topicId } }: EventOf<TopicLogDiscarded>) => ({
    topic: topics.at(topicId),
    kept: keptDays.at(topicId),
    projectDeleted: deletedProjects.at(projectId),
  }),
  ({ data: { projectId, topicId } }, { topic, kept, projectDeleted }) => [
    topics.remove(topicId),
    records.remove(topicId),
    deduplicated.removeUnder(`${projectId}/${topicId}/`),
    deduplicatedTurns.remove({ projectId, topicId }),
    ...(projectDeleted ? [topicDays.removeUnder(`${topicId}/`)] : daysPut({ topicId, kept, totals: topic?.openDays ?? {} })),
    keptDays.remove(topicId),
  ],
  (_event, { projectDeleted = false }) => projectDeleted, // its last messages were never recorded
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
    version: 5,
    service: 'messaging',
    categories: [MESSAGES_CATEGORY, CURSORS_CATEGORY, DELIVERIES_CATEGORY, TRAFFIC_CATEGORY, RESOURCES_CATEGORY, ACCOUNTS_CATEGORY],
    collections: [
      topics,
      records,
      topicDays,
      keptDays,
      projectDays,
      topicsByName,
      cursors,
      deletedProjects,
      deduplicated,
      deduplicatedTurns,
    ],
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
