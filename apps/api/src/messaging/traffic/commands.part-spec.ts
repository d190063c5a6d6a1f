import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { PublishMessages } from '#api/messaging/messages/publish-messages.js';
import { CreateTopic, DeleteTopic } from '#api/messaging/resources/topic-commands.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { type TrafficRecorded, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { DiscardTopicLog, RecordTraffic } from './commands.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
  await addProject(application);
});
afterAll(() => application?.close());

const context = () => contextFor('messaging');

/** Creates a topic with two messages. */
const topicNamed = async (name: string): Promise<string> => {
  await application.execute(new CreateTopic(context(), { projectId: 'p', name, schema: null }));
  const { topicId = '' } = (await application.get(ResourceQueries).topic('p', name)) ?? {};
  const messages = [{ data: 'YQ==' }, { data: 'Yg==' }];
  await application.execute(new PublishMessages(context(), { topic: { projectId: 'p', topicId, schemaId: null }, messages, bytes: 0 }));
  return topicId;
};

const recordOf = (topicId: string, record: number): TrafficRecorded['data'] => ({
  projectId: 'p',
  topicId,
  record,
  totals: { messages: 0, bytes: 0, lastPublish: null, rate: 0 },
  days: {},
});

const recorded = async (topicId: string): Promise<readonly string[]> =>
  (await application.get<EventStore>(EVENT_STORE).readStream(trafficStream(topicId), { limit: 10 })).map(({ type }) => type);

it('Recording traffic appends each record once, whatever the number of nodes that ask for it', async () => {
  const topicId = await topicNamed('recorded');
  for (const record of [1, 1, 2, 1]) await application.execute(new RecordTraffic(context(), recordOf(topicId, record)));
  expect(await recorded(topicId)).toEqual(['TrafficRecorded', 'TrafficRecorded']);
});

describe('Discarding the log of a topic', () => {
  it('removes the messages, leaves other data of them no time, and is recorded once', async () => {
    const retention = jest.spyOn(application.get<EventStore>(EVENT_STORE), 'setRetention');
    const forgotten = jest.spyOn(application.get(StreamProcessor), 'forget');
    const topicId = await topicNamed('discarded');
    await application.execute(new DeleteTopic(context(), { projectId: 'p', name: 'discarded' }));
    const log = application.get(MessageLog);
    expect(await log.page(topicId, 0, 10)).toHaveLength(2);
    for (let node = 0; node < 2; node++) await application.execute(new DiscardTopicLog(context(), { projectId: 'p', topicId, record: 1 }));
    expect(await log.page(topicId, 0, 10)).toEqual([]);
    expect(retention).toHaveBeenLastCalledWith(messagesStream(topicId), { maxAgeSeconds: 1 });
    expect(forgotten).toHaveBeenLastCalledWith(messagesStream(topicId));
    expect(await recorded(topicId)).toEqual(['TopicLogDiscarded']);
  });
});
