import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Command } from '@nestjs/cqrs';
import { CreateProject, DeleteProject } from '#api/messaging/accounts/project-commands.js';
import { CreateUser, DeleteUser } from '#api/messaging/accounts/user-commands.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import { resourcesStream } from '#domain/messaging/resources/resources.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { ReplaceTopicAcl } from './acl-commands.js';
import { CreateSchema, ReviseSchema } from './schema-commands.js';
import { CreateSubscription, DeleteSubscription } from './subscription-commands.js';
import { ChangeTopic, CreateTopic } from './topic-commands.js';

let application: Application;
let projectId: string;
beforeAll(async () => {
  application = await openApplication();
  const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'p', description: '' }));
  projectId = project.projectId;
});
afterAll(() => application?.close());

const context = () => contextFor('messaging');
const createTopic = (name: string) => application.execute(new CreateTopic(context(), { projectId, name, schema: null }));

describe('Replacing an ACL', () => {
  it('is answered under its idempotency key as before, also if it changed nothing, or a user is gone', async () => {
    const profile = { firstName: '', lastName: '', organization: '', email: '', description: '' };
    const projects = [{ project: 'p', roles: ['publisher'] }];
    for (const name of ['one', 'two'])
      await application.execute(new CreateUser(context(), { by: null, profile: { ...profile, name }, projects, serviceRoles: [] }));
    await createTopic('t-7');
    const replace = (key: string, ...userNames: readonly string[]) =>
      application.execute(new ReplaceTopicAcl({ ...context(), idempotency: { key, body: 'b' } }, { projectId, topic: 't-7', userNames }));
    const resources = application.get(ResourceQueries);
    const { topicId = '' } = (await resources.topic(projectId, 't-7')) ?? {};
    await replace('first', 'one');
    await replace('same', 'one');
    await replace('other', 'two');
    const acl = await resources.acl(projectId, topicId);
    expect((await replace('same', 'one')).events).toEqual([]);
    await application.execute(new DeleteUser(context(), { name: 'one' }));
    expect((await replace('first', 'one')).events).toHaveLength(1);
    await expect(replace('fresh', 'one')).rejects.toThrow('User(s): one do not exist');
    expect(await resources.acl(projectId, topicId)).toEqual(acl);
  });
});

describe('Changing a topic', () => {
  it('resolves with its settings also if nothing changes, and it was read before they were in force', async () => {
    await createTopic('t-8');
    const before = await application.get(ResourceQueries).topic(projectId, 't-8');
    const change = () => new ChangeTopic(context(), { projectId, topic: 't-8', changes: { labels: { a: 'b' } } });
    await application.execute(change());
    jest.spyOn(ResourceQueries.prototype, 'topic').mockResolvedValueOnce(before);
    expect((await application.execute(change())).topic).toMatchObject({ settings: { labels: { a: 'b' } } });
    jest.restoreAllMocks();
  });
});

it('Idempotency keys stored for a subscription are forgotten when it is deleted', async () => {
  const forgotten = jest.spyOn(application.get(StreamProcessor), 'forget');
  await createTopic('t-9');
  const settings = { topic: 't-9', ackDeadlineSeconds: 10, push: null };
  const { subscription } = await application.execute(new CreateSubscription(context(), { projectId, name: 's-9', settings }));
  await application.execute(new DeleteSubscription(context(), { projectId, name: 's-9' }));
  const { subscriptionId } = subscription;
  expect(forgotten).toHaveBeenLastCalledWith(cursorStream(subscriptionId), deliveriesStream(subscriptionId));
  jest.restoreAllMocks();
});

const document = { type: 'object' };
const createSchema = (name: string, type: string, schema: typeof document | undefined) =>
  application.execute(new CreateSchema(context(), { projectId, name, type, document: schema }));

describe('Revising a schema', () => {
  const revise = (name: string, changes: Readonly<{ name?: string; type?: string; document?: typeof document }>) =>
    application.execute(new ReviseSchema(context(), { projectId, name, changes: { name, type: '', document: undefined, ...changes } }));

  it('loses neither of two revisions at once of which one has the type and one the document', async () => {
    await createSchema('c-8', 'json', { type: 'string' });
    const other = { type: 'string', doc: 'other' }; // a schema of both types
    await Promise.all([revise('c-8', { type: 'avro' }), revise('c-8', { document: other })]);
    const { schema } = await revise('c-8', {});
    expect(schema).toMatchObject({ type: 'avro', document: other });
  });
});

it('Resources of a project that was deleted before are deleted, and refused with N01', async () => {
  const late = { projectId: 'late' };
  await addProject(application, 'late');
  await application.execute(new CreateTopic(context(), { ...late, name: 't', schema: null }));
  const topic = await application.get(ResourceQueries).topic('late', 't');
  await application.execute(new DeleteProject(context(), late));
  jest.spyOn(ResourceQueries.prototype, 'topic').mockResolvedValue(topic);
  const commands: readonly Command<unknown>[] = [
    new CreateTopic(context(), { ...late, name: 'u', schema: null }),
    new CreateSchema(context(), { ...late, name: 'c', type: 'json', document }),
    new CreateSubscription(context(), { ...late, name: 's', settings: { topic: 't', ackDeadlineSeconds: 10, push: null } }),
  ];
  for (const command of commands) await expect(application.execute(command)).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  jest.restoreAllMocks();
  const [, ...events] = await application.get<EventStore>(EVENT_STORE).readStream(resourcesStream('late'), { limit: 100 });
  expect(events.map(({ type }) => type)).toEqual(
    ['Topic', 'Schema', 'Subscription'].flatMap((resource) => [`${resource}Created`, `${resource}Deleted`]),
  );
});
