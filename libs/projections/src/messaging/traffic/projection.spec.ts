import { describe, it } from '@jest/globals';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { type GivenEvent, projectionSpec } from '#test/support/projection-spec.js';
import { countersProjection } from './projection.js';

const spec = projectionSpec(countersProjection);
const DAY = '2024-01-02';
const NEXT = '2024-01-03';
const NOTHING = { messages: 0, bytes: 0, lastPublish: null, rate: 0 };

const inProject = (type: string, data: object, project = 'p'): GivenEvent => ({ stream: `messaging.resources-${project}`, type, data });
const created = inProject('TopicCreated', { topicId: 't', name: 'n', schemaId: null });
const projectDeleted: GivenEvent = { stream: 'messaging.accounts-global', type: 'ProjectDeleted', data: { projectId: 'p' } };

/** A message of 4 bytes. `call`: the publish call. */
const message = (revision: number, second: number, { call = `c${second}`, day = DAY } = {}): GivenEvent => ({
  stream: 'messaging.messages-t',
  revision: BigInt(revision),
  type: 'MessagePublished',
  data: { projectId: 'p', publishTime: `${day}T00:00:${String(second).padStart(2, '0')}.000Z`, data: 'YQ==' },
  metadata: { requestId: call },
});
const record = (number: number, totals: object, days: object): GivenEvent => ({
  stream: 'messaging.traffic-t',
  type: 'TrafficRecorded',
  data: { projectId: 'p', topicId: 't', record: number, totals: { ...NOTHING, ...totals }, days },
});
const discarded = (number: number): GivenEvent => ({
  stream: 'messaging.traffic-t',
  type: 'TopicLogDiscarded',
  data: { projectId: 'p', topicId: 't', record: number },
});

const TOPIC = {
  ...NOTHING,
  projectId: 'p',
  name: 'n',
  call: null,
  deleted: false,
  record: 0,
  reported: 0,
  closed: NOTHING,
  days: {},
  open: { bytes: 0, days: {} },
};
const specTime = '2024-01-02T03:04:05.678Z';
const callOf = (id: string, count: number, seconds: number) => ({ id: `${id} ${specTime}`, count, seconds });
const names = { 'p/n': { topicIds: ['t'] } };

describe('a published message', () => {
  it('is counted by topic, day and project; the rate is that between two calls', () =>
    spec.given(created, message(0, 0, { call: 'a' }), message(1, 0, { call: 'a' }), message(2, 10), message(3, 5, { day: NEXT })).then({
      topics: {
        t: {
          ...TOPIC,
          messages: 4,
          bytes: 16,
          lastPublish: `${NEXT}T00:00:05.000Z`,
          rate: 1 / 86_395,
          call: callOf('c5', 1, 86_395),
          open: { bytes: 16, days: { [DAY]: { count: 3, total: 3 }, [NEXT]: { count: 1, total: 1 } } },
        },
      },
      'topic-days': { [`t/${DAY}`]: 3, [`t/${NEXT}`]: 1 },
      'project-days': { [`p/${DAY}`]: 3, [`p/${NEXT}`]: 1 },
      names,
    }));

  it.each([
    ['the first call', [message(0, 0, { call: 'a' }), message(1, 0, { call: 'a' })], 2, callOf('a', 2, 1)],
    ['a second call', [message(0, 0), message(1, 4, { call: 'b' }), message(2, 4, { call: 'b' })], 0.5, callOf('b', 2, 4)],
    ['two calls at one instant', [message(0, 0), message(1, 0, { call: 'b' })], 1_000, callOf('b', 1, 0.001)],
  ])('sets the publishing rate: %s', (_what, messages, rate, call) =>
    spec.given(created, ...messages).thenCollections({
      topics: {
        t: {
          ...TOPIC,
          messages: messages.length,
          bytes: messages.length * 4,
          lastPublish: `${DAY}T00:00:0${call.seconds === 4 ? 4 : 0}.000Z`,
          rate,
          call,
          open: { bytes: messages.length * 4, days: { [DAY]: { count: messages.length, total: messages.length } } },
        },
      },
    }),
  );

  it('is counted for its topic, day and project, even if messages of several topics alternate', () => {
    const other: GivenEvent = { ...message(0, 1, { call: 'o' }), stream: 'messaging.messages-u' };
    const elsewhere: GivenEvent = { ...other, data: { ...other.data, projectId: 'q' }, stream: 'messaging.messages-v' };
    spec
      .given(
        created,
        inProject('TopicCreated', { topicId: 'u', name: 'm', schemaId: null }),
        inProject('TopicCreated', { topicId: 'v', name: 'n', schemaId: null }, 'q'),
        message(0, 0),
        other,
        elsewhere,
        message(1, 2),
        message(2, 2, { day: NEXT }),
      )
      .thenCollections({
        'topic-days': { [`t/${DAY}`]: 2, [`t/${NEXT}`]: 1, [`u/${DAY}`]: 1, [`v/${DAY}`]: 1 },
        'project-days': { [`p/${DAY}`]: 3, [`p/${NEXT}`]: 1, [`q/${DAY}`]: 1 },
      });
  });

  it('is not counted for a deleted topic', () => {
    spec.given(message(0, 0)).then({});
    spec
      .given(created, inProject('TopicDeleted', { topicId: 't', name: 'n' }), message(0, 0))
      .then({ topics: { t: { ...TOPIC, deleted: true } }, names });
  });

  it('stays counted under the name of a recreated topic', () =>
    spec
      .given(
        created,
        message(0, 0),
        inProject('TopicDeleted', { topicId: 't', name: 'n' }),
        inProject('TopicCreated', { topicId: 'u', name: 'n', schemaId: null }),
      )
      .thenCollections({
        names: { 'p/n': { topicIds: ['t', 'u'] } },
        'topic-days': { [`t/${DAY}`]: 1 },
        'project-days': { [`p/${DAY}`]: 1 },
      }));
});

describe('a message with a deduplication id', () => {
  const midnight = Date.UTC(2024, 0, 2);
  const turn = midnight / 600_000;
  const keyed = (revision: number, minute: number, deduplicationId: string): GivenEvent => {
    const publishTime = new Date(midnight + minute * 60_000).toISOString();
    return { ...message(revision, 0), data: { projectId: 'p', publishTime, data: 'YQ==', deduplicationId } };
  };
  const found = (id: string, later: number, offset: number, minute: number) => ({
    [`p/t/${(turn + later) % 3}/${id}`]: { offset, time: midnight + minute * 60_000 },
  });

  it('is found by the id for at least ten and at most thirty minutes', () => {
    const messages = [keyed(0, 1, 'a/b'), keyed(1, 12, 'c'), keyed(2, 19, 'd')];
    const early = { ...found('a%2Fb', 0, 0, 1), ...found('c', 1, 1, 12), ...found('d', 1, 2, 19) };
    spec.given(created, ...messages).thenCollections({ deduplicated: early, 'deduplicated.turns': { 'p/t': turn + 1 } });
    const { [`p/t/${turn % 3}/a%2Fb`]: _, ...rest } = early;
    spec.given(created, ...messages, keyed(3, 25, 'e')).thenCollections({ deduplicated: { ...rest, ...found('e', 2, 3, 25) } });
  });

  it('is removed with its project and its log', () => {
    const forgotten = { deduplicated: {}, 'deduplicated.turns': {} };
    const deleted = inProject('TopicDeleted', { topicId: 't', name: 'n' });
    spec.given(created, keyed(0, 1, 'a'), projectDeleted).thenCollections(forgotten);
    spec.given(created, keyed(0, 1, 'a'), deleted, discarded(1)).thenCollections(forgotten);
  });
});

describe('a record of traffic', () => {
  const lastPublish = (second: number, day = DAY) => `${day}T00:00:${String(second).padStart(2, '0')}.000Z`;
  /** Two messages, record 1 (empty), one message, record 2 (of the first two), one message of the next day. */
  const whole = [
    created,
    message(0, 0),
    message(1, 1),
    record(1, {}, {}),
    message(2, 2),
    record(2, { messages: 2, bytes: 8, lastPublish: lastPublish(1), rate: 1 }, { [DAY]: 2 }),
    message(3, 3, { day: NEXT }),
  ];
  const counters = {
    topics: {
      t: {
        ...TOPIC,
        messages: 4,
        bytes: 16,
        lastPublish: lastPublish(3, NEXT),
        rate: 1 / 86_401,
        call: callOf('c3', 1, 86_401),
        record: 2,
        reported: 2,
        closed: { messages: 3, bytes: 12, lastPublish: lastPublish(2), rate: 1 },
        days: { [DAY]: 3 },
        open: { bytes: 4, days: { [NEXT]: { count: 1, total: 1 } } },
      },
    },
    'topic-days': { [`t/${DAY}`]: 3, [`t/${NEXT}`]: 1 },
    'project-days': { [`p/${DAY}`]: 3, [`p/${NEXT}`]: 1 },
    names,
  };

  it('changes nothing if nothing has expired', () => spec.given(...whole).then(counters));

  it('replaces the counts of expired messages', () =>
    spec.given(...whole.filter(({ type, revision = 9n }) => type !== 'MessagePublished' || revision >= 2n)).then(counters));

  it('replaces the counts of all messages once it covers them', () => {
    const end = { messages: 4, bytes: 16, lastPublish: lastPublish(3, NEXT), rate: 1 / 86_401 };
    const records = [...whole, record(3, counters.topics.t.closed, counters.topics.t.days), record(4, end, { [NEXT]: 1 })];
    const topic = { ...TOPIC, ...end, record: 4, reported: 4, closed: end };
    const { topics: _topics, ...days } = counters;
    spec.given(...records).thenCollections({ ...days, topics: { t: { ...topic, call: callOf('c3', 1, 86_401) } } });
    spec.given(...records.filter(({ type }) => type !== 'MessagePublished')).then({ ...days, topics: { t: topic } });
  });

  it('is added to the days of a project together with those of other topics', () =>
    spec
      .given(
        created,
        inProject('TopicCreated', { topicId: 'u', name: 'm', schemaId: null }),
        { ...message(0, 0), stream: 'messaging.messages-u' },
        record(1, {}, {}),
        record(2, { messages: 5, bytes: 20 }, { [DAY]: 5 }),
      )
      .thenCollections({ 'topic-days': { [`t/${DAY}`]: 5, [`u/${DAY}`]: 1 }, 'project-days': { [`p/${DAY}`]: 6 } }));

  it('is applied to a deleted topic until its log is discarded; its days are kept', () =>
    spec
      .given(...whole, inProject('TopicDeleted', { topicId: 't', name: 'n' }), discarded(3))
      .then({ 'topic-days': counters['topic-days'], 'project-days': counters['project-days'], names }));

  it('keeps of a deleted project only the logs to be discarded', () => {
    spec
      .given(...whole, projectDeleted, record(3, { messages: 9 }, { [DAY]: 9 }))
      .then({ topics: counters.topics, 'topic-days': counters['topic-days'], 'projects.deleted': { p: true } });
    spec.given(...whole, projectDeleted, discarded(3)).then({ 'projects.deleted': { p: true } });
  });
});

describe('subscriptions', () => {
  const subscribed = inProject('SubscriptionCreated', { subscriptionId: 's', name: 's', topic: 'n', topicId: 't', startOffset: 3 });
  const start = startingCursor({ topicId: 't', startOffset: 3 });
  const cursor = { ...start, offset: 5, nextOffset: 7 };
  const moved = (type: string): GivenEvent => ({
    stream: 'messaging.cursor-s',
    type,
    data: { subscriptionId: 's', projectId: 'p', cursor },
  });

  it('start at the offset with which they were created', () => spec.given(subscribed).then({ subscriptions: { 'p/s': start } }));
  it.each(['BatchDelivered', 'BatchAcknowledged', 'OffsetModified'])('have the cursor of %s', (type) =>
    spec.given(subscribed, moved(type)).then({ subscriptions: { 'p/s': cursor } }),
  );
  it.each([
    ['they', inProject('SubscriptionDeleted', { subscriptionId: 's', name: 's' }), {}],
    ['their projects', projectDeleted, { 'projects.deleted': { p: true } }],
  ])('are removed when %s are deleted, even if a later event follows', (_what, deletion, left) =>
    spec.given(subscribed, deletion, moved('BatchDelivered')).then(left),
  );
});
