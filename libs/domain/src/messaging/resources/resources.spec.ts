import { describe, expect, it } from '@jest/globals';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { pushSample as push } from '#test/support/messaging/push-sample.js';
import { type ResourceCommand, type ResourceEvent, resourceEvents, resources, resourcesStream } from './resources.js';
import type { RequestedPush } from './subscriptions.js';

const given = deciderSpec(resources);

const topicCreated = (name: string, schemaId: string | null = null, topicId = `id-${name}`): ResourceEvent => ({
  type: 'TopicCreated',
  data: { topicId, name, schemaId },
});
const topicDeleted = (name: string): ResourceEvent => ({ type: 'TopicDeleted', data: { topicId: `id-${name}`, name } });
const schemaCreated = (name: string): ResourceEvent => ({
  type: 'SchemaCreated',
  data: { schemaId: `id-${name}`, name, type: 'json', document: { a: 1 } },
});
const schemaDeleted = (name: string): ResourceEvent => ({ type: 'SchemaDeleted', data: { schemaId: `id-${name}`, name } });
const subscriptionCreated = (
  name: string,
  topic: string,
  push: PushConfiguration | null = null,
  topicId = `id-${topic}`,
): ResourceEvent => ({
  type: 'SubscriptionCreated',
  data: { subscriptionId: `id-${name}`, name, topic, topicId, startOffset: 7, ackDeadlineSeconds: 10, push },
});
const createTopic = (name: string, schema: string | null = null): ResourceCommand => ({
  type: 'CreateTopic',
  topicId: `id-${name}`,
  name,
  schema,
});
const createSubscription = (name: string, topic: string, push: RequestedPush | null = null, topicId = `id-${topic}`): ResourceCommand => ({
  type: 'CreateSubscription',
  subscriptionId: `id-${name}`,
  name,
  topic,
  topicId,
  startOffset: 7,
  ackDeadlineSeconds: 10,
  push,
});

const request = {
  type: 'http_endpoint',
  pushEndpoint: 'https://example.org/in',
  maxMessages: 0,
  authorizationType: '',
  retryPolicyType: '',
  retryPeriod: 0,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: undefined,
};
const asked = (changes: Partial<typeof request> = {}, mark = ''): RequestedPush => ({
  request: { ...request, ...changes },
  secrets: { verificationHash: `hash${mark}`, authorizationValue: `value${mark}` },
  rules: { plainHttp: false },
});
const verified: ResourceEvent = { type: 'PushEndpointVerified', data: { subscriptionId: 'id-s' } };

it('resources of a project share one stream', () => expect(resourcesStream('p-1')).toBe('messaging.resources-p-1'));

describe('topics', () => {
  it('are created with and without a schema', () => {
    given().when(createTopic('t')).then(topicCreated('t'));
    given(schemaCreated('s')).when(createTopic('t', 's')).then(topicCreated('t', 'id-s'));
  });

  it('have unique names, which are free after a deletion', () => {
    given(topicCreated('t')).when(createTopic('t')).thenRejected('TOPIC_EXISTS');
    given(topicCreated('t'), topicDeleted('t')).when(createTopic('t')).then(topicCreated('t'));
    given(topicCreated('T')).when(createTopic('t')).then(topicCreated('t'));
  });

  it('report an unknown schema before a taken name', () =>
    given(topicCreated('t')).when(createTopic('t', 's')).thenRejected('SCHEMA_NOT_FOUND'));

  it('get another schema', () => {
    const attached: ResourceEvent = { type: 'TopicSchemaAttached', data: { topicId: 'id-t', schemaId: 'id-s' } };
    const attach: ResourceCommand = { type: 'AttachSchema', topic: 't', schema: 's' };
    given(schemaCreated('r'), schemaCreated('s'), topicCreated('t', 'id-r')).when(attach).then(attached);
    given(schemaCreated('s'), topicCreated('t'), attached).when(attach).then();
    given(topicCreated('t')).when(attach).thenRejected('SCHEMA_NOT_FOUND');
    given().when(attach).thenRejected('TOPIC_NOT_FOUND');
  });

  it('lose their schema', () => {
    const detached: ResourceEvent = { type: 'TopicSchemaDetached', data: { topicId: 'id-t' } };
    const detach: ResourceCommand = { type: 'DetachSchema', topic: 't' };
    given(schemaCreated('s'), topicCreated('t', 'id-s')).when(detach).then(detached);
    given(schemaCreated('s'), topicCreated('t', 'id-s'), detached).when(detach).then();
    given(schemaCreated('s'), topicCreated('t', 'id-s'), schemaDeleted('s')).when(detach).then();
    given().when(detach).thenRejected('TOPIC_NOT_FOUND');
  });

  it('have an ACL that is replaced as a whole, without repeated users', () => {
    const replace = (...users: string[]): ResourceCommand => ({ type: 'ReplaceTopicAcl', topic: 't', users });
    const replaced = (...users: string[]): ResourceEvent => ({ type: 'TopicAclReplaced', data: { topicId: 'id-t', users } });
    given(topicCreated('t'))
      .when(replace('b', 'a', 'b'))
      .then(replaced('b', 'a'));
    given(topicCreated('t'), replaced('a', 'b')).when(replace('b', 'a')).then(replaced('b', 'a'));
    given(topicCreated('t'), replaced('a', 'b'))
      .when(replace('a', 'b', 'a'))
      .then();
    given(topicCreated('t'), replaced('a')).when(replace()).then(replaced());
    given(topicCreated('t')).when(replace()).then();
    given().when(replace('a')).thenRejected('TOPIC_NOT_FOUND');
  });

  it('are deleted once', () => {
    given(topicCreated('t')).when({ type: 'DeleteTopic', name: 't' }).then(topicDeleted('t'));
    given(topicCreated('t'), topicDeleted('t')).when({ type: 'DeleteTopic', name: 't' }).thenRejected('TOPIC_NOT_FOUND');
  });
});

describe('subscriptions', () => {
  it('are created for an existing topic', () => {
    given(topicCreated('t')).when(createSubscription('s', 't')).then(subscriptionCreated('s', 't'));
    given(topicCreated('t'), topicDeleted('t')).when(createSubscription('s', 't')).thenRejected('TOPIC_NOT_FOUND');
  });

  it('start at the beginning of a topic that was recreated meanwhile', () =>
    given(topicCreated('t'), topicDeleted('t'), topicCreated('t', null, 'anew'))
      .when(createSubscription('s', 't'))
      .then({
        type: 'SubscriptionCreated',
        data: { subscriptionId: 'id-s', name: 's', topic: 't', topicId: 'anew', startOffset: 0, ackDeadlineSeconds: 10, push: null },
      }));

  it('have unique names, independent of those of topics', () => {
    given(topicCreated('t')).when(createSubscription('t', 't')).then(subscriptionCreated('t', 't'));
    given(topicCreated('t'), subscriptionCreated('s', 't')).when(createSubscription('s', 't')).thenRejected('SUBSCRIPTION_EXISTS');
  });

  it('report an unknown topic, then invalid push settings, then a taken name', () => {
    const wrong = asked({ pushEndpoint: 'nowhere' });
    given(subscriptionCreated('s', 't'))
      .when(createSubscription('s', 't', wrong))
      .thenRejected('TOPIC_NOT_FOUND');
    given(topicCreated('t'), subscriptionCreated('s', 't'))
      .when(createSubscription('s', 't', wrong))
      .thenRejected('PUSH_ENDPOINT_INVALID');
  });

  it('outlive their topic', () => {
    const log = [topicCreated('t'), subscriptionCreated('s', 't'), topicDeleted('t')];
    given(...log)
      .when(createSubscription('s', 't'))
      .thenRejected('TOPIC_NOT_FOUND');
    given(...log)
      .when({ type: 'DeleteSubscription', name: 's' })
      .then({ type: 'SubscriptionDeleted', data: { subscriptionId: 'id-s', name: 's', pushed: false } });
  });

  it('get another deadline', () => {
    const modify = (ackDeadlineSeconds: number): ResourceCommand => ({ type: 'ModifyAckDeadline', subscription: 's', ackDeadlineSeconds });
    given(subscriptionCreated('s', 't'))
      .when(modify(0))
      .then({ type: 'AckDeadlineModified', data: { subscriptionId: 'id-s', ackDeadlineSeconds: 0 } });
    given(subscriptionCreated('s', 't')).when(modify(10)).then();
    given().when(modify(10)).thenRejected('SUBSCRIPTION_NOT_FOUND');
  });

  it('have an ACL that is replaced as a whole', () => {
    const replace = (...users: string[]): ResourceCommand => ({ type: 'ReplaceSubscriptionAcl', subscription: 's', users });
    const replaced: ResourceEvent = { type: 'SubscriptionAclReplaced', data: { subscriptionId: 'id-s', users: ['a'] } };
    given(subscriptionCreated('s', 't')).when(replace('a', 'a')).then(replaced);
    given(subscriptionCreated('s', 't'), replaced).when(replace('a')).then();
    given().when(replace('a')).thenRejected('SUBSCRIPTION_NOT_FOUND');
  });

  it('do not exist after they are deleted', () => {
    const deleted: ResourceEvent = { type: 'SubscriptionDeleted', data: { subscriptionId: 'id-s', name: 's', pushed: false } };
    const log = [topicCreated('t'), subscriptionCreated('s', 't'), deleted];
    given(...log)
      .when({ type: 'DeleteSubscription', name: 's' })
      .thenRejected('SUBSCRIPTION_NOT_FOUND');
    given(...log)
      .when(createSubscription('s', 't'))
      .then(subscriptionCreated('s', 't'));
  });
});

describe('push settings', () => {
  const replace = (settings: RequestedPush | null): ResourceCommand => ({
    type: 'ReplacePushConfiguration',
    subscription: 's',
    push: settings,
  });
  const replaced = (settings: PushConfiguration | null): ResourceEvent => ({
    type: 'PushConfigurationReplaced',
    data: { subscriptionId: 'id-s', push: settings },
  });
  const verify = (verificationHash: string): ResourceCommand => ({ type: 'VerifyPushEndpoint', subscription: 's', verificationHash });

  it('are completed when the subscription is created', () =>
    given(topicCreated('t'))
      .when(createSubscription('s', 't', asked()))
      .then(subscriptionCreated('s', 't', push)));

  it('are replaced depending on the previous ones', () => {
    given(subscriptionCreated('s', 't')).when(replace(asked())).then(replaced(push));
    given(subscriptionCreated('s', 't', push), verified)
      .when(replace(asked({ maxMessages: 5 }, '2')))
      .then(replaced({ ...push, maxMessages: 5, verified: true }));
    given(subscriptionCreated('s', 't', push))
      .when(replace(null))
      .then(replaced(null));
    given(subscriptionCreated('s', 't')).when(replace(null)).then();
    given().when(replace(asked())).thenRejected('SUBSCRIPTION_NOT_FOUND');
  });

  it('are verified once, with the current hash', () => {
    given(subscriptionCreated('s', 't', push))
      .when(verify('hash'))
      .then(verified);
    given(subscriptionCreated('s', 't', push))
      .when(verify('other'))
      .thenRejected('VERIFICATION_HASH_WRONG');
    given(subscriptionCreated('s', 't', push), verified)
      .when(verify('hash'))
      .thenRejected('PUSH_ENDPOINT_VERIFIED');
    given(subscriptionCreated('s', 't')).when(verify('hash')).thenRejected('NOT_IN_HTTP_PUSH_MODE');
    given(subscriptionCreated('s', 't', { ...push, type: 'mattermost', verified: true }))
      .when(verify('hash'))
      .thenRejected('NOT_IN_HTTP_PUSH_MODE');
    given().when(verify('hash')).thenRejected('SUBSCRIPTION_NOT_FOUND');
  });

  it('have a key that is destroyed with the subscription', () => {
    const deleted = (pushed: boolean): ResourceEvent => ({
      type: 'SubscriptionDeleted',
      data: { subscriptionId: 'id-s', name: 's', pushed },
    });
    given(subscriptionCreated('s', 't'), replaced(push), replaced(null))
      .when({ type: 'DeleteSubscription', name: 's' })
      .then(deleted(true));
    const forgets = (event: ResourceEvent) => resourceEvents[event.type]?.forgets?.({ ...event.data, push: null });
    expect(forgets(deleted(true))).toEqual(['subscription-id-s']);
    expect(forgets(deleted(false))).toEqual([]);
  });
});

describe('schemas', () => {
  const create = (name: string): ResourceCommand => ({
    type: 'CreateSchema',
    schemaId: `id-${name}`,
    name,
    content: { type: 'json', document: { a: 1 } },
  });
  const revised = (name: string, type: 'json' | 'avro' = 'json', document: { [key: string]: number } = { a: 1 }): ResourceEvent => ({
    type: 'SchemaRevised',
    data: { schemaId: 'id-s', name, type, document },
  });
  const revise = (changes: object): ResourceCommand => ({ type: 'ReviseSchema', name: 's', ...changes });

  it('have unique names', () => {
    given().when(create('s')).then(schemaCreated('s'));
    given(schemaCreated('s')).when(create('s')).thenRejected('SCHEMA_EXISTS');
  });

  it('can be revised in part; absent members are unchanged', () => {
    const content = { type: 'avro', document: { b: 2 } } as const;
    given(schemaCreated('s'))
      .when(revise({ newName: 'r' }))
      .then(revised('r'));
    given(schemaCreated('s'))
      .when(revise({ content }))
      .then(revised('s', 'avro', { b: 2 }));
    given(schemaCreated('s'), revised('r')).when(create('s')).then(schemaCreated('s'));
    given(schemaCreated('s'))
      .when(revise({ newName: 's', content: { type: 'json', document: { a: 1 } } }))
      .then();
    given(schemaCreated('s'), schemaCreated('r'))
      .when(revise({ newName: 'r' }))
      .thenRejected('SCHEMA_EXISTS');
    given(schemaCreated('r')).when(revise({})).thenRejected('SCHEMA_NOT_FOUND');
  });

  it('are not revised in part from another content than theirs', () => {
    const [content, basedOn] = [
      { type: 'avro', document: { a: 1 } },
      { id: 'id-s', content: { type: 'json', document: { a: 1 } } },
    ] as const;
    given(schemaCreated('s')).when(revise({ content, basedOn })).then(revised('s', 'avro'));
    for (const now of [revised('s', 'avro'), revised('s', 'json', { b: 2 })])
      given(schemaCreated('s'), now).when(revise({ content, basedOn })).thenRejected('SCHEMA_CHANGED');
    given(schemaCreated('s'))
      .when(revise({ basedOn: { ...basedOn, id: 'id of an earlier one' } }))
      .thenRejected('SCHEMA_CHANGED');
  });

  it('keep their topics when they are renamed', () =>
    given(schemaCreated('s'), topicCreated('t', 'id-s'), revised('r')).when({ type: 'AttachSchema', topic: 't', schema: 'r' }).then());

  it('are detached from every topic when they are deleted', () => {
    given(schemaCreated('s')).when({ type: 'DeleteSchema', name: 's' }).then(schemaDeleted('s'));
    given(schemaCreated('s'), schemaDeleted('s')).when({ type: 'DeleteSchema', name: 's' }).thenRejected('SCHEMA_NOT_FOUND');
    const log = [schemaCreated('s'), topicCreated('t', 'id-s'), topicCreated('u', 'id-s'), schemaDeleted('s')];
    for (const topic of ['t', 'u'])
      given(...log)
        .when({ type: 'DetachSchema', topic })
        .then();
  });
});
