import { MessageLog } from '#api/messaging/messages/message-log.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { ACCOUNTS_STREAM } from '#domain/messaging/accounts/account-events.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { resourcesStream } from '#domain/messaging/resources/resources.js';
import { type TopicLogDiscarded, type TrafficRecorded, traffic, trafficStream } from '#domain/messaging/traffic/traffic.js';
import { type Cause, newestCause, reactionTo } from '#domain/shared/causation.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

const toTraffic = toStreams(traffic, ({ topicId }) => trafficStream(topicId));

/** The event that deleted the topic, or its project. */
const deletionOf = async (
  events: Pick<EventStore, 'readStream'>,
  { projectId, topicId }: TopicLogDiscarded['data'],
): Promise<Cause | null> =>
  (await newestCause(events, resourcesStream(projectId), ({ type, data }) => type === 'TopicDeleted' && data.topicId === topicId)) ??
  newestCause(events, ACCOUNTS_STREAM, ({ type, data }) => type === 'ProjectDeleted' && data.projectId === projectId);

/** Records the traffic of a topic before its messages expire. Does nothing if another node has made this record. */
export class RecordTraffic extends commandWith([], async (data: TrafficRecorded['data'], { context, gateway }) => {
  await gateway.execute(toTraffic(context, { type: 'RecordTraffic', ...data }), false);
}) {}

/** Discards the messages of a deleted topic. Any node may do so; it is recorded once. */
export class DiscardTopicLog extends commandWith(
  [MessageLog, EVENT_STORE, StreamProcessor],
  async (data: TopicLogDiscarded['data'], { context, gateway }, log, events, processor) => {
    const head = await log.head(data.topicId);
    if (head > 0) {
      await events.truncate(messagesStream(data.topicId), BigInt(head));
      await events.setRetention(messagesStream(data.topicId), { maxAgeSeconds: 1 }); // for data that are stored beside the stream
    }
    processor.forget(messagesStream(data.topicId));
    const cause = await deletionOf(events, data);
    await gateway.execute(toTraffic({ ...context, ...(cause && reactionTo(cause)) }, { type: 'DiscardTopicLog', ...data }), false);
  },
) {}
