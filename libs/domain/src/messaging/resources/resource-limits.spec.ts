import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { shownSize } from './resource-limits.js';
import type { ResourceEvent } from './resources.js';
import { resources } from './resources.js';

const given = deciderSpec(resources);

const times = (count: number, eventOf: (index: number) => ResourceEvent): readonly ResourceEvent[] =>
  Array.from({ length: count }, (_, index) => eventOf(index));
const topic = (index: number): ResourceEvent => ({
  type: 'TopicCreated',
  data: { topicId: `t${index}`, name: `t${index}`, schemaId: null },
});
const subscription = (index: number): ResourceEvent => ({
  type: 'SubscriptionCreated',
  data: { subscriptionId: `s${index}`, name: `s${index}`, topic: 't0', topicId: 't0', startOffset: 0, ackDeadlineSeconds: 10, push: null },
});
const document = (characters: number) => ({ description: 'x'.repeat(characters) });
const schema = (index: number, characters = 1): ResourceEvent => ({
  type: 'SchemaCreated',
  data: { schemaId: `c${index}`, name: `c${index}`, type: 'json', document: document(characters) },
});
const users = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `u${index}`);
const createTopic = { type: 'CreateTopic', topicId: 'new', name: 'new', schema: null } as const;
const createSchema = (characters: number) =>
  ({ type: 'CreateSchema', schemaId: 'new', name: 'new', content: { type: 'json', document: document(characters) } }) as const;
const aclOf = (name: string, count: number) => ({ type: 'ReplaceTopicAcl', topic: name, users: users(count) }) as const;
const aclReplaced = (topicId: string, count: number): ResourceEvent => ({
  type: 'TopicAclReplaced',
  data: { topicId, users: users(count) },
});

const MIB = 1024 * 1024;

describe('a project', () => {
  it('has at most 10,000 topics', () => {
    given(...times(9_999, topic))
      .when(createTopic)
      .then({ type: 'TopicCreated', data: { topicId: 'new', name: 'new', schemaId: null } });
    given(...times(10_000, topic))
      .when(createTopic)
      .thenRejected('PROJECT_FULL');
  });

  it('reports an existing topic before the limit of topics', () =>
    given(...times(10_000, topic))
      .when({ ...createTopic, name: 't5' })
      .thenRejected('TOPIC_EXISTS'));

  it('has at most 10,000 subscriptions', () => {
    const create = {
      type: 'CreateSubscription',
      subscriptionId: 'new',
      name: 'new',
      topic: 't0',
      topicId: 't0',
      startOffset: 0,
      ackDeadlineSeconds: 10,
      push: null,
    } as const;
    given(topic(0), ...times(10_000, subscription))
      .when(create)
      .thenRejected('PROJECT_FULL');
  });

  it('has at most 1,000 schemas', () =>
    given(...times(1_000, (index) => schema(index)))
      .when(createSchema(1))
      .thenRejected('PROJECT_FULL'));

  it('has schemas of limited size, each and in total', () => {
    given()
      .when(createSchema(4 * MIB))
      .thenRejected('SCHEMA_TOO_LARGE');
    const large = times(16, (index) => schema(index, MIB - 100));
    given(...large)
      .when(createSchema(1_000))
      .then({ type: 'SchemaCreated', data: { schemaId: 'new', name: 'new', type: 'json', document: document(1_000) } });
    given(...large)
      .when(createSchema(2_000))
      .thenRejected('PROJECT_FULL');
  });

  it('may shorten a schema while it is over the limit', () => {
    const revise = (characters: number) =>
      ({ type: 'ReviseSchema', name: 'c0', content: { type: 'json', document: document(characters) } }) as const;
    const tooMuch = times(20, (index) => schema(index, MIB));
    given(...tooMuch)
      .when(revise(MIB + 1))
      .thenRejected('PROJECT_FULL');
    given(...tooMuch)
      .when(revise(MIB - 1))
      .then({ type: 'SchemaRevised', data: { schemaId: 'c0', name: 'c0', type: 'json', document: document(MIB - 1) } });
  });

  it('has ACLs of at most 5,000 users', () => {
    given(topic(0)).when(aclOf('t0', 5_000)).then(aclReplaced('t0', 5_000));
    given(topic(0)).when(aclOf('t0', 5_001)).thenRejected('ACL_TOO_LARGE');
  });

  it('has at most 200,000 users in all ACLs', () => {
    const full = [...times(41, topic), ...times(40, (index) => aclReplaced(`t${index}`, 5_000))];
    given(...full)
      .when(aclOf('t40', 1))
      .thenRejected('PROJECT_FULL');
    given(...full)
      .when(aclOf('t0', 4_000))
      .then(aclReplaced('t0', 4_000));
  });
});

describe('the displayed size of a document', () => {
  it('grows with the nesting level of each value', () => {
    expect(shownSize({})).toBe(2);
    expect(shownSize({ a: 1 })).toBe('{\n  "a": 1\n }'.length);
    expect(shownSize({ a: ['<', {}, []] })).toBe('{\n  "a": [\n   "\\u003c",\n   {},\n   []\n  ]\n }'.length);
    let deep: { not?: unknown } = { not: Array(1_000).fill(1) };
    for (let level = 0; level < 900; level++) deep = { not: deep };
    expect(shownSize(deep as never)).toBeGreaterThan(900 * 1_000);
  });
});
