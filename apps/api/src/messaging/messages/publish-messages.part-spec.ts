import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CreateSchema } from '#api/messaging/resources/schema-commands.js';
import { CreateTopic } from '#api/messaging/resources/topic-commands.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { DEDUPLICATION_MS, messages as decider } from '#domain/messaging/messages/messages.js';
import type { Execution } from '#domain/shared/execution.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { SchemaQueries, schemaIn } from '#projections/messaging/resources/schema-queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { until } from '#test/support/eventually.js';
import { MessageLog } from './message-log.js';
import { PublishMessages } from './publish-messages.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
  await addProject(application);
});
afterAll(() => application?.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const publish = (
  topicId: string,
  data: readonly string[],
  { schemaId = null as string | null, context = contextFor('messaging'), bytes = 0 } = {},
) => {
  const messages = data.map((one) => ({ data: one }));
  return application.execute(new PublishMessages(context, { topic: { projectId: 'p', topicId, schemaId }, messages, bytes }));
};

const dataIn = async (topicId: string): Promise<readonly string[]> =>
  (await application.get(MessageLog).page(topicId, 0, 100)).map(({ data }) => data);

describe('Publishing messages', () => {
  it('stores a large call while the one before waits for read models', async () => {
    await publish('t-8', [base64('first')]); // looks the topic up
    let show = (): void => undefined;
    const shown = new Promise<boolean>((resolve) => {
      show = () => resolve(true);
    });
    const applied = jest.spyOn(application.get(ReadModels), 'applied').mockReturnValue(shown);
    const positions: bigint[] = [];
    const context = { ...contextFor('messaging'), onExecuted: ({ position }: Execution) => void positions.push(position) };
    const calls = ['a', 'b'].map((text) => publish('t-8', [base64(text)], { context, bytes: 16 * 1024 * 1024 }));
    await until(() => positions.length === 2);
    show();
    applied.mockRestore();
    expect(await Promise.all(calls)).toMatchObject([{ messageIds: ['1'] }, { messageIds: ['2'] }]);
  });

  it('answers a repeat under its idempotency key even if the topic has a schema since', async () => {
    const document = { type: 'string' } as const;
    await application.execute(new CreateSchema(contextFor('messaging'), { projectId: 'p', name: 'texts', type: 'json', document }));
    const { schemaId } = schemaIn((await application.get(SchemaQueries).stored('p', 'texts')) ?? Buffer.from('{}'));
    const context = { ...contextFor('messaging'), idempotency: { key: 'k', body: 'b' } };
    expect(await publish('t-6', [base64('1')], { context })).toMatchObject({ messageIds: ['0'] });
    expect(await publish('t-6', [base64('1')], { context, schemaId })).toMatchObject({ messageIds: ['0'] });
    const fresh = { ...context, idempotency: { key: 'l', body: 'b' } };
    await expect(publish('t-6', [base64('1')], { context: fresh, schemaId })).rejects.toMatchObject({ statusCode: 400 });
    expect(await dataIn('t-6')).toHaveLength(1);
  });

  it('answers the ids of earlier messages also when they are older than ten minutes or not shown yet', async () => {
    await application.execute(new CreateTopic(contextFor('messaging'), { projectId: 'p', name: 't-7', schema: null }));
    const { topicId = '' } = (await application.get(ResourceQueries).topic('p', 't-7')) ?? {};
    const send = (ids: readonly string[], context = contextFor('messaging')) => {
      const messages = ids.map((id) => ({ data: base64(id), deduplicationId: id }));
      return application.execute(new PublishMessages(context, { topic: { projectId: 'p', topicId, schemaId: null }, messages, bytes: 0 }));
    };
    await send(['a']);
    const context = { ...contextFor('messaging'), idempotency: { key: 'k', body: 'b' } };
    const offsets = jest.spyOn(OffsetQueries.prototype, 'knownIds').mockResolvedValue({ offsets: new Map(), upTo: 0 });
    expect(await send(['a', 'b'], context)).toMatchObject({ messageIds: ['0', '1'] });
    expect(await send(['a', 'b'], context)).toMatchObject({ messageIds: ['0', '1'] });
    offsets.mockRestore();
    jest.spyOn(OffsetQueries.prototype, 'earlierOffsets').mockResolvedValue(new Map());
    expect(await send(['a', 'b'], context)).toMatchObject({ messageIds: ['', '1'] });
    jest.restoreAllMocks();
    const unchanged = { ...context, idempotency: { key: 'l', body: 'b' } };
    for (let repeat = 0; repeat < 2; repeat++) expect(await send(['b'], unchanged)).toMatchObject({ messageIds: ['1'] });
    const [earlier] = await application.get(MessageLog).page(topicId, 1, 1);
    const now = new Date(Date.parse(earlier?.publishTime ?? '') + DEDUPLICATION_MS).toISOString();
    const messages = [{ data: base64('b'), deduplicationId: 'b' }];
    const { events } = await application.get(CommandGateway).execute({
      stream: messagesStream(topicId),
      decider,
      command: { type: 'PublishMessages', projectId: 'p', messages, now, known: { offsets: new Map(), upTo: 2 } },
      context: contextFor('messaging'),
    });
    expect(events).toMatchObject([{ revision: 2n }]);
    expect(await send(['b'], unchanged)).toMatchObject({ messageIds: ['1'] });
  });
});
