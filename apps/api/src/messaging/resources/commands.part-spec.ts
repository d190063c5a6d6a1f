import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Command } from '@nestjs/cqrs';
import { CreateProject, DeleteProject } from '#api/messaging/accounts/project-commands.js';
import { CreateUser, DeleteUser } from '#api/messaging/accounts/user-commands.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { resourcesStream } from '#domain/messaging/resources/resources.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { ResourceQueries, SchemaQueries, schemaIn } from '#projections/messaging/resources/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { ReplaceTopicAcl } from './acl-commands.js';
import { CreateSchema, ReviseSchema } from './schema-commands.js';
import { CreateSubscription, DeleteSubscription } from './subscription-commands.js';
import { AttachSchema, ChangeTopic, CreateTopic, DeleteTopic } from './topic-commands.js';

let application: Application;
let projectId: string;
beforeAll(async () => {
  application = await openApplication();
  const { project } = await application.execute(new CreateProject(context(), { by: null, name: 'p', description: '' }));
  projectId = project.projectId;
});
afterAll(() => application?.close());

const context = () => contextFor('messaging');
const createTopic = (name: string, schema: string | null = null) =>
  application.execute(new CreateTopic(context(), { projectId, name, schema }));
const subscribe = (name: string, topic: string) =>
  application.execute(new CreateSubscription(context(), { projectId, name, settings: { topic, ackDeadlineSeconds: 10, push: null } }));

describe('Creating a subscription', () => {
  it('resolves with the subscription, which reads show then', async () => {
    await createTopic('t-1');
    const { subscription, readable } = await subscribe('s-1', 't-1');
    expect(subscription).toMatchObject({ name: 's-1', topic: 't-1', ackDeadlineSeconds: 10, push: null });
    expect(readable).toBe(true);
    const resources = application.get(ResourceQueries);
    expect(await resources.subscriptionsOf(projectId, 't-1')).toEqual(['s-1']);
    expect(await resources.subscription(projectId, 's-1')).toMatchObject({ startOffset: 0, createdOn: subscription.createdOn });
  });

  it('is refused with N03 for a topic that does not exist', () => expect(subscribe('s-2', 'none')).rejects.toThrow("Topic doesn't exist"));
});

describe('Deleting a subscription', () => {
  it('resolves with the subscription as it was', async () => {
    await createTopic('t-3');
    await subscribe('s-3', 't-3');
    await application.execute(new DeleteTopic(context(), { projectId, name: 't-3' }));
    const { deleted } = await application.execute(new DeleteSubscription(context(), { projectId, name: 's-3' }));
    expect(deleted).toMatchObject({ name: 's-3', topic: 't-3' });
    await expect(application.execute(new DeleteSubscription(context(), { projectId, name: 's-3' }))).rejects.toThrow(
      "Subscription doesn't exist",
    );
  });
});

describe('Replacing an ACL', () => {
  it('takes members of the project by their names', async () => {
    const profile = { name: 'member', firstName: '', lastName: '', organization: '', email: '', description: '' };
    const { user } = await application.execute(
      new CreateUser(context(), { by: null, profile, projects: [{ project: 'p', roles: ['publisher'] }], serviceRoles: [] }),
    );
    await createTopic('t-4');
    await application.execute(new ReplaceTopicAcl(context(), { projectId, topic: 't-4', userNames: ['member'] }));
    const resources = application.get(ResourceQueries);
    const topic = await resources.topic(projectId, 't-4');
    expect(await resources.acl(projectId, topic?.topicId ?? '')).toEqual([user.userId]);
    expect(await resources.accessibleTopics([{ projectId, userId: user.userId }])).toEqual([['t-4']]);
  });

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

  it('is refused with the names that no member has, in their order', async () => {
    await createTopic('t-5');
    const replace = application.execute(new ReplaceTopicAcl(context(), { projectId, topic: 't-5', userNames: ['z', 'a'] }));
    await expect(replace).rejects.toThrow('User(s): z, a do not exist');
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

const document = { type: 'object' };
const createSchema = (name: string, type: string, schema: typeof document | undefined) =>
  application.execute(new CreateSchema(context(), { projectId, name, type, document: schema }));

describe('Creating a schema', () => {
  it('resolves with the schema, which a topic can have then', async () => {
    const { schema } = await createSchema('c-1', 'JSON', document);
    expect(schema).toMatchObject({ name: 'c-1', type: 'json', document });
    await createTopic('t-6');
    await application.execute(new AttachSchema(context(), { projectId, topic: 't-6', schema: 'c-1' }));
    const names = await application.get(ResourceQueries).schemaNames(projectId, [schema.schemaId, null, 'gone']);
    expect([...names]).toEqual([[schema.schemaId, 'c-1']]);
  });

  it('is refused for a taken name before what is wrong with the schema', async () => {
    await expect(createSchema('c-2', 'xml', document)).rejects.toThrow("Schema type can only be 'json' or 'avro'");
    await createSchema('c-2', 'json', document);
    await expect(createSchema('c-2', 'xml', undefined)).rejects.toThrow('Schema already exists');
  });

  it('is refused for a schema that does not compile', () =>
    expect(createSchema('c-3', 'json', { type: 'nonsense' })).rejects.toMatchObject({ statusCode: 400 }));
});

describe('Revising a schema', () => {
  const revise = (name: string, changes: Readonly<{ name?: string; type?: string; document?: typeof document }>) =>
    application.execute(new ReviseSchema(context(), { projectId, name, changes: { name, type: '', document: undefined, ...changes } }));

  it('changes only what is given', async () => {
    await createSchema('c-4', 'json', document);
    const { schema } = await revise('c-4', { name: 'c-5' });
    expect(schema).toMatchObject({ name: 'c-5', type: 'json', document });
    const stored = await application.get(SchemaQueries).stored(projectId, 'c-5');
    expect(stored && schemaIn(stored)).toMatchObject({ schemaId: schema.schemaId, type: 'json', document });
    expect(await application.get(SchemaQueries).stored(projectId, 'c-4')).toBeNull();
  });

  it('is refused with N05 for an unknown schema, and with C04 for a name that is taken', async () => {
    await expect(revise('none', {})).rejects.toThrow("Schema doesn't exist");
    await createSchema('c-6', 'json', document);
    await createSchema('c-7', 'json', document);
    await expect(revise('c-6', { name: 'c-7' })).rejects.toThrow('Schema already exists');
  });

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
