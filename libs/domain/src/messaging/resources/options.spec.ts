import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { areLabels, hasLabel, type Labels, labelsInOrder, wantedLabel } from './labels.js';
import { type ResourceCommand, type ResourceEvent, resources } from './resources.js';
import type { SubscriptionOptions } from './subscription-options.js';
import type { TopicSettings } from './topic-settings.js';

const given = deciderSpec(resources);

const topicCreated = (name: string, settings?: TopicSettings): ResourceEvent => ({
  type: 'TopicCreated',
  data: { topicId: `id-${name}`, name, schemaId: null, ...(settings && { settings }) },
});
const replaced = (settings: TopicSettings): ResourceEvent => ({ type: 'TopicSettingsReplaced', data: { topicId: 'id-t', settings } });
const subscriptionOf = (options?: SubscriptionOptions) => ({
  subscriptionId: 'id-s',
  name: 's',
  topic: 't',
  topicId: 'id-t',
  startOffset: 7,
  ackDeadlineSeconds: 10,
  push: null,
  ...(options && { options }),
});
const created = (options?: SubscriptionOptions): ResourceEvent => ({ type: 'SubscriptionCreated', data: subscriptionOf(options) });
const create = (options?: SubscriptionOptions): ResourceCommand => ({ type: 'CreateSubscription', ...subscriptionOf(options) });

describe('settings of topics', () => {
  const change = (changes: object): ResourceCommand => ({ type: 'ChangeTopic', topic: 't', changes });
  const labels = { a: 'x' };

  it('are set at creation', () => {
    const settings = { messageRetentionSeconds: 600, labels };
    given().when({ type: 'CreateTopic', topicId: 'id-t', name: 't', schema: null, settings }).then(topicCreated('t', settings));
  });

  it('are changed one by one', () => {
    const before = topicCreated('t', { messageRetentionSeconds: 600, labels });
    given(before)
      .when(change({ messageRetentionSeconds: 700 }))
      .then(replaced({ messageRetentionSeconds: 700, labels }));
    given(before)
      .when(change({ messageRetentionSeconds: null }))
      .then(replaced({ labels }));
    given(before, replaced({ labels }))
      .when(change({ labels: null }))
      .then(replaced({}));
    given(topicCreated('t')).when(change({ labels })).then(replaced({ labels }));
  });

  it('that do not change record no event', () => {
    given(topicCreated('t', { messageRetentionSeconds: 600, labels }))
      .when(change({ labels, messageRetentionSeconds: 600 }))
      .then();
    given(topicCreated('t'))
      .when(change({ labels: null, messageRetentionSeconds: null }))
      .then();
  });

  it('need an existing topic', () => given().when(change({})).thenRejected('TOPIC_NOT_FOUND'));
});

describe('options of subscriptions', () => {
  const deadLetterPolicy = { topic: 'dead', maxDeliveryAttempts: 5 };

  it('are stored as given', () => {
    const options: SubscriptionOptions = { ackMode: 'message', filter: 'attributes:a', deadLetterPolicy };
    given(topicCreated('t'), topicCreated('dead')).when(create(options)).then(created(options));
    given(topicCreated('t')).when(create()).then(created());
  });

  it('need an existing dead letter topic', () =>
    given(topicCreated('t'), created()).when(create({ deadLetterPolicy })).thenRejected('TOPIC_NOT_FOUND'));

  it('determine whether a subscription expires, which it does once', () => {
    const expire: ResourceCommand = { type: 'ExpireSubscription', subscriptionId: 'id-s' };
    const deleted: ResourceEvent = { type: 'SubscriptionDeleted', data: { subscriptionId: 'id-s', name: 's', pushed: false } };
    const mortal = created({ expiresAfterSeconds: 86_400 });
    given(topicCreated('t'), mortal).when(expire).then(deleted);
    given(topicCreated('t'), mortal, deleted).when(expire).then();
    given(topicCreated('t'), created({ labels: { a: '' } }))
      .when(expire)
      .then();
  });
});

describe('labels', () => {
  it('have their keys in order', () =>
    expect(Object.keys(labelsInOrder({ b: '1', 'a-': '', a_: '', a: '2' }))).toEqual(['a', 'a-', 'a_', 'b']));

  it.each<Labels>([{}, { a: '' }, { 'a-b_9': 'É\n"' }])('may be %j', (labels) => expect(areLabels(labels)).toBe(true));
  it.each<Labels>([{ A: '' }, { _a: '' }, { é: '' }, { 'a b': '' }])('may not be %j', (labels) => expect(areLabels(labels)).toBe(false));

  it.each([
    ['labels.a:x', { key: 'a', value: 'x' }],
    ['labels.a:', { key: 'a', value: '' }],
    ['labels.a-b:c:d\n', { key: 'a-b', value: 'c:d\n' }],
    ['labels.A:x', undefined],
    ['labels.a', undefined],
    ['a:x', undefined],
  ])('are parsed from %j', (text, wanted) => expect(wantedLabel(text)).toEqual(wanted));

  it('are matched by key and value', () => {
    expect(hasLabel({ a: 'x' }, { key: 'a', value: 'x' })).toBe(true);
    expect(hasLabel({ a: 'x' }, { key: 'a', value: '' })).toBe(false);
    expect(hasLabel(undefined, { key: 'constructor', value: '' })).toBe(false);
  });
});
