import { describe, it } from '@jest/globals';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { ERASED_VALUE } from '#projections/shared/erased.js';
import { pushSample as push } from '#test/support/messaging/push-sample.js';
import { type GivenEvent, projectionSpec } from '#test/support/projection-spec.js';
import { resourcesProjection } from './projection.js';

const given = projectionSpec(resourcesProjection);

const of =
  (project: string) =>
  (type: string, data: object, time?: string): GivenEvent => ({
    type,
    data,
    stream: `messaging.resources-${project}`,
    ...(time === undefined ? {} : { metadata: { time } }),
  });
const p = of('p');
const projectDeleted = (projectId: string): GivenEvent => ({
  type: 'ProjectDeleted',
  data: { projectId },
  stream: 'messaging.accounts-global',
});

const createdOn = '2024-01-02T03:04:05Z';
const order = (revision: number) => revision.toString(16).padStart(24, '0');
const topic = (name: string, revision: number, schemaId: string | null = null) => ({
  topicId: `id-${name}`,
  name,
  schemaId,
  createdOn,
  order: order(revision),
});
const topicCreated = (name: string, schemaId: string | null = null) => ({ topicId: `id-${name}`, name, schemaId });
const subscriptionCreated = (name: string, push: PushConfiguration | null = null) => ({
  subscriptionId: `id-${name}`,
  name,
  topic: 't',
  topicId: 'id-t',
  startOffset: 3,
  ackDeadlineSeconds: 10,
  push,
});
const subscription = (name: string, revision: number, changes: object = {}) => ({
  ...subscriptionCreated(name),
  createdOn,
  order: order(revision),
  ...changes,
});

describe('topics', () => {
  it('are stored by name, by id and in order of creation, and counted', () => {
    const [a, b] = [topic('a', 0), topic('b', 1, 's')];
    given(p('TopicCreated', topicCreated('a')), p('TopicCreated', topicCreated('b', 's'))).then({
      topics: { 'p/a': a, 'p/b': b },
      'topics.by-id': { 'p/id-a': a, 'p/id-b': b },
      'topics.in-order': { [`p/${order(0)}`]: a, [`p/${order(1)}`]: b },
      totals: { p: { topics: 2, subscriptions: 0 } },
    });
  });

  it('have the settings of their last change', () => {
    const [first, second] = [{ messageRetentionSeconds: 600, labels: { a: 'x' } }, { labels: { b: '' } }];
    const events = [
      p('TopicCreated', { ...topicCreated('a'), settings: first }),
      p('TopicSettingsReplaced', { topicId: 'id-a', settings: second }),
    ];
    given(...events.slice(0, 1)).thenCollections({ 'topics.by-id': { 'p/id-a': { ...topic('a', 0), settings: first } } });
    given(...events).thenCollections({
      topics: { 'p/a': { ...topic('a', 0), settings: second } },
      'topics.in-order': { [`p/${order(0)}`]: { ...topic('a', 0), settings: second } },
    });
  });

  it('with names of more than 200 bytes are found by a hash of the name', () => {
    const name = 'n'.repeat(10_000);
    given(p('TopicCreated', topicCreated('a')), p('TopicCreated', { ...topicCreated('b'), name })).thenCollections({
      'topics.in-order': { [`p/${order(0)}`]: topic('a', 0), [`p/${order(1)}`]: { ...topic('b', 1), name } },
    });
  });

  it('change their schema in all documents', () => {
    const [attached, detached] = [topic('a', 0, 's'), topic('a', 0)];
    const events = [
      p('TopicCreated', topicCreated('a')),
      p('TopicSchemaAttached', { topicId: 'id-a', schemaId: 's' }, '2025-01-01T00:00:00.000Z'),
    ];
    const everywhere = (one: object) => ({
      topics: { 'p/a': one },
      'topics.by-id': { 'p/id-a': one },
      'topics.in-order': { [`p/${order(0)}`]: one },
    });
    given(...events).thenCollections(everywhere(attached));
    given(...events, p('TopicSchemaDetached', { topicId: 'id-a' })).thenCollections(everywhere(detached));
  });

  it('are found by the users in their ACL', () => {
    const acl = (name: string, ...users: string[]) => p('TopicAclReplaced', { topicId: `id-${name}`, users });
    const events = [p('TopicCreated', topicCreated('a')), p('TopicCreated', topicCreated('b')), acl('a', 'v', 'u'), acl('b', 'u')];
    given(...events).thenCollections({
      'topics.of-user': { [`p/v/${order(0)}`]: 'a', [`p/u/${order(0)}`]: 'a', [`p/u/${order(1)}`]: 'b' },
      acls: { 'p/id-a': ['v', 'u'], 'p/id-b': ['u'] },
    });
    given(...events, acl('a', 'w', 'v')).thenCollections({
      'topics.of-user': { [`p/v/${order(0)}`]: 'a', [`p/w/${order(0)}`]: 'a', [`p/u/${order(1)}`]: 'b' },
      acls: { 'p/id-a': ['w', 'v'], 'p/id-b': ['u'] },
    });
    given(...events, acl('a'), acl('b')).thenCollections({ 'topics.of-user': {}, acls: {} });
  });

  it('leave only the count when they are deleted', () =>
    given(
      p('TopicCreated', topicCreated('a')),
      p('TopicAclReplaced', { topicId: 'id-a', users: ['u'] }),
      p('TopicDeleted', { topicId: 'id-a', name: 'a' }),
    ).then({ totals: { p: { topics: 0, subscriptions: 0 } } }));

  it('are new topics when they are recreated', () =>
    given(
      p('TopicCreated', topicCreated('a')),
      p('TopicDeleted', { topicId: 'id-a', name: 'a' }),
      p('TopicCreated', { topicId: 'anew', name: 'a', schemaId: null }, '2025-01-01T00:00:00.999Z'),
    ).thenCollections({
      topics: { 'p/a': { ...topic('a', 2), topicId: 'anew', createdOn: '2025-01-01T00:00:00Z' } },
      totals: { p: { topics: 1, subscriptions: 0 } },
    }));
});

describe('subscriptions', () => {
  it('have the options with which they were created', () => {
    const options = { ackMode: 'message', labels: { a: 'x' } };
    given(p('SubscriptionCreated', { ...subscriptionCreated('s'), options })).thenCollections({
      subscriptions: { 'p/s': subscription('s', 0, { options }) },
    });
  });

  const created = p('SubscriptionCreated', subscriptionCreated('s'));
  const everywhere = (one: object) => ({
    subscriptions: { 'p/s': one },
    'subscriptions.by-id': { 'p/id-s': one },
    'subscriptions.in-order': { [`p/${order(0)}`]: one },
  });

  it('are stored by name, by id, in order of creation and by topic, and counted', () =>
    given(created).then({
      ...everywhere(subscription('s', 0)),
      'subscriptions.of-topic': { [`p/t/${order(0)}`]: 's' },
      totals: { p: { topics: 0, subscriptions: 1 } },
    }));

  it('change their deadline', () =>
    given(created, p('AckDeadlineModified', { subscriptionId: 'id-s', ackDeadlineSeconds: 0 })).thenCollections(
      everywhere(subscription('s', 0, { ackDeadlineSeconds: 0 })),
    ));

  it('are pushed from the verification of their endpoint until they change to pull mode', () => {
    const replaced = (settings: PushConfiguration | null) => p('PushConfigurationReplaced', { subscriptionId: 'id-s', push: settings });
    const verified = p('PushEndpointVerified', { subscriptionId: 'id-s' });
    const waiting = { ...everywhere(subscription('s', 0, { push })), 'subscriptions.pushed': { 'p/id-s': subscription('s', 0) } };
    given(created, replaced(push)).thenCollections(waiting);
    given(p('SubscriptionCreated', subscriptionCreated('s', push))).thenCollections(waiting);
    const pushed = subscription('s', 0, { push: { ...push, verified: true } });
    given(created, replaced(push), verified).thenCollections({ ...everywhere(pushed), 'subscriptions.pushed': { 'p/id-s': pushed } });
    given(created, replaced({ ...push, verified: true })).thenCollections({ 'subscriptions.pushed': { 'p/id-s': pushed } });
    given(created, replaced(push), verified, replaced(null)).thenCollections({
      ...everywhere(subscription('s', 0)),
      'subscriptions.pushed': {},
    });
  });

  it('stay among the pushed ones in a build after their push settings are erased, as in served documents', () => {
    const erased = p('PushConfigurationReplaced', { subscriptionId: 'id-s', push: ERASED_VALUE });
    const pushed = { 'p/id-s': subscription('s', 0, { push: ERASED_VALUE }) };
    for (const later of [[], [p('PushEndpointVerified', { subscriptionId: 'id-s' })]])
      given(created, erased, ...later).thenCollections({ 'subscriptions.pushed': pushed });
  });

  it('show no push settings after their key is destroyed', () =>
    given(p('SubscriptionCreated', subscriptionCreated('s')), p('PushEndpointVerified', { subscriptionId: 'id-s' })).thenCollections({
      ...everywhere(subscription('s', 0)),
      'subscriptions.pushed': {},
    }));

  it('are found by the users in their ACL', () =>
    given(created, p('SubscriptionAclReplaced', { subscriptionId: 'id-s', users: ['u'] })).thenCollections({
      'subscriptions.of-user': { [`p/u/${order(0)}`]: 's' },
      'topics.of-user': {},
      acls: { 'p/id-s': ['u'] },
    }));

  it('are kept when their topic is deleted', () =>
    given(created, p('TopicCreated', topicCreated('t')), p('TopicDeleted', { topicId: 'id-t', name: 't' })).thenCollections({
      ...everywhere(subscription('s', 0)),
      'subscriptions.of-topic': { [`p/t/${order(0)}`]: 's' },
    }));

  it('leave only the count when they are deleted', () =>
    given(
      p('SubscriptionCreated', subscriptionCreated('s', { ...push, verified: true })),
      p('SubscriptionAclReplaced', { subscriptionId: 'id-s', users: ['u', 'v'] }),
      p('SubscriptionDeleted', { subscriptionId: 'id-s', name: 's', pushed: true }),
    ).then({ totals: { p: { topics: 0, subscriptions: 0 } } }));
});

describe('schemas', () => {
  const schema = (name: string, document: object = { a: 1 }) => ({
    schemaId: 'id',
    name,
    type: 'json',
    document,
    createdOn,
    order: order(0),
  });
  const event = (type: string, name: string, document: object = { a: 1 }) => p(type, { schemaId: 'id', name, type: 'json', document });
  const everywhere = (one: { name: string }) => ({
    schemas: { [`p/${one.name}`]: one },
    'schemas.by-id': { 'p/id': one },
    'schemas.in-order': { [`p/${order(0)}`]: one },
  });

  it('are stored by name, by id and in order of creation, under their current name', () => {
    given(event('SchemaCreated', 'a')).then(everywhere(schema('a')));
    given(event('SchemaCreated', 'a'), event('SchemaRevised', 'b', { c: 1 })).then(everywhere(schema('b', { c: 1 })));
    given(event('SchemaCreated', 'a'), event('SchemaRevised', 'a', { c: 1 })).then(everywhere(schema('a', { c: 1 })));
    given(event('SchemaCreated', 'a'), p('SchemaDeleted', { schemaId: 'id', name: 'a' })).then({});
  });
});

describe('a deleted project', () => {
  const q = of('q');
  const log = [
    p('TopicCreated', topicCreated('t')),
    q('TopicCreated', topicCreated('t')),
    p('TopicAclReplaced', { topicId: 'id-t', users: ['u'] }),
    p('SubscriptionCreated', subscriptionCreated('s', { ...push, verified: true })),
    p('SubscriptionAclReplaced', { subscriptionId: 'id-s', users: ['u'] }),
    p('SchemaCreated', { schemaId: 'id', name: 'a', type: 'avro', document: {} }),
    projectDeleted('p'),
  ];
  const left = {
    topics: { 'q/t': topic('t', 0) },
    'topics.by-id': { 'q/id-t': topic('t', 0) },
    'topics.in-order': { [`q/${order(0)}`]: topic('t', 0) },
    totals: { q: { topics: 1, subscriptions: 0 } },
  };

  it('leaves no documents', () => given(...log).then(left));

  it('is not restored by late events', () =>
    given(
      ...log,
      p('TopicSchemaAttached', { topicId: 'id-t', schemaId: 'id' }),
      p('TopicDeleted', { topicId: 'id-t', name: 't' }),
      p('AckDeadlineModified', { subscriptionId: 'id-s', ackDeadlineSeconds: 1 }),
      p('SchemaRevised', { schemaId: 'id', name: 'b', type: 'json', document: {} }),
    ).then(left));
});
