import { describe, expect, it } from '@jest/globals';
import { startingCursor } from '#domain/messaging/cursors/cursor.js';
import { type GivenEvent, projectionSpec } from '#test/support/projection-spec.js';
import { totalsOf } from './documents.js';
import { countersProjection } from './projection.js';

const given = projectionSpec(countersProjection);
const DAY = '2024-01-02';
const NEXT = '2024-01-03';
const specTime = '2024-01-02T03:04:05.678Z';
const NOTHING = { messages: 0, bytes: 0, lastPublish: null, rate: 0 };

const inProject = (type: string, data: object, project = 'p'): GivenEvent => ({ stream: `messaging.resources-${project}`, type, data });
const created = inProject('TopicCreated', { topicId: 't', name: 'n', schemaId: null });
const projectDeleted: GivenEvent = { stream: 'messaging.accounts-global', type: 'ProjectDeleted', data: { projectId: 'p' } };

/** A message of 4 bytes. `call`: the publish call; `time`: that of the call. */
const message = (revision: number, second: number, { call = `c${second}`, day = DAY, time = specTime } = {}): GivenEvent => ({
  stream: 'messaging.messages-t',
  revision: BigInt(revision),
  type: 'MessagePublished',
  data: { projectId: 'p', publishTime: `${day}T00:00:${String(second).padStart(2, '0')}.000Z`, data: 'YQ==' },
  metadata: { requestId: call, time },
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

const TOPIC = { projectId: 'p', messages: 0, bytes: 0, lastPublish: null, call: null, openDays: {} };
const callOf = (id: string, count: number, seconds: number) => ({ id, time: specTime, count, seconds });
const names = { 'p/n': { topicIds: ['t'] } };

describe('a published message', () => {
  it('is counted by topic, day and project; the rate is that between two calls', () =>
    given(created, message(0, 0, { call: 'a' }), message(1, 0, { call: 'a' }), message(2, 10), message(3, 5, { day: NEXT })).then({
      topics: {
        t: {
          ...TOPIC,
          messages: 4,
          bytes: 16,
          lastPublish: `${NEXT}T00:00:05.000Z`,
          call: callOf('c5', 1, 86_395),
          openDays: { [DAY]: 3, [NEXT]: 1 },
        },
      },
      'project-days': { [`p/${DAY}`]: 3, [`p/${NEXT}`]: 1 },
      names,
    }));

  it.each([
    ['the first call', [message(0, 0, { call: 'a' }), message(1, 0, { call: 'a' })], 2, callOf('a', 2, 1)],
    ['a second call', [message(0, 0), message(1, 4, { call: 'b' }), message(2, 4, { call: 'b' })], 0.5, callOf('b', 2, 4)],
    ['two calls at one instant', [message(0, 0), message(1, 0, { call: 'b' })], 1_000, callOf('b', 1, 0.001)],
    [
      'a call at its publish time',
      [0, 1].map((offset) => message(offset, 4, { call: 'b', time: `${DAY}T00:00:04.000Z` })),
      2,
      { id: 'b', count: 2, seconds: 1 },
    ],
    [
      'a call whose clock is behind',
      [message(0, 4, { call: 'b', time: `${DAY}T00:00:04.000Z` }), message(1, 4, { call: 'b', time: `${DAY}T00:00:03.000Z` })],
      1_000,
      { id: 'b', time: `${DAY}T00:00:03.000Z`, count: 1, seconds: 0.001 },
    ],
  ])('sets the publishing rate: %s', (_what, messages, rate, call) => {
    const { publishTime: lastPublish = '' }: { publishTime?: string } = { ...messages.at(-1)?.data };
    const count = messages.length;
    const topic = { ...TOPIC, messages: count, bytes: count * 4, lastPublish, call, openDays: { [DAY]: count } };
    expect(totalsOf(topic).rate).toBe(rate);
    given(created, ...messages).thenCollections({ topics: { t: topic } });
  });

  it('is counted for its topic, day and project, even if messages of several topics alternate', () => {
    const other: GivenEvent = { ...message(0, 1, { call: 'o' }), stream: 'messaging.messages-u' };
    const elsewhere: GivenEvent = { ...other, data: { ...other.data, projectId: 'q' }, stream: 'messaging.messages-v' };
    given(
      created,
      inProject('TopicCreated', { topicId: 'u', name: 'm', schemaId: null }),
      inProject('TopicCreated', { topicId: 'v', name: 'n', schemaId: null }, 'q'),
      message(0, 0),
      other,
      elsewhere,
      message(1, 2),
      message(2, 2, { day: NEXT }),
    ).thenCollections({
      'project-days': { [`p/${DAY}`]: 3, [`p/${NEXT}`]: 1, [`q/${DAY}`]: 1 },
    });
  });

  it('is added to the recorded count of an earlier day', () => {
    const records = [record(1, {}, {}), record(2, { messages: 1, bytes: 4, lastPublish: `${DAY}T00:00:00.000Z`, rate: 1 }, { [DAY]: 1 })];
    const events = [created, message(0, 0), ...records, message(1, 1), message(2, 2, { day: NEXT })];
    const topic = { ...TOPIC, messages: 3, bytes: 12, lastPublish: `${NEXT}T00:00:02.000Z`, call: callOf('c2', 1, 86_401) };
    const days = { 'project-days': { [`p/${DAY}`]: 2, [`p/${NEXT}`]: 1 } };
    given(...events).thenCollections({
      ...days,
      topics: { t: { ...topic, openDays: { [DAY]: 2, [NEXT]: 1 } } },
      'topic-days': { [`t/${DAY}`]: 1 },
    });
    const closed = { messages: 1, bytes: 4, lastPublish: `${DAY}T00:00:00.000Z`, rate: 1 };
    given(...events, record(3, closed, {})).thenCollections({
      ...days,
      topics: { t: topic },
      'topic-days': { [`t/${DAY}`]: 2, [`t/${NEXT}`]: 1 },
    });
  });

  it('is not counted for a deleted topic', () => {
    given(message(0, 0)).then({});
    given(created, inProject('TopicDeleted', { topicId: 't', name: 'n' }), message(0, 0)).then({
      topics: { t: { ...TOPIC, deleted: true } },
      names,
    });
  });

  it('stays counted under the name of a recreated topic', () =>
    given(
      created,
      message(0, 0),
      inProject('TopicDeleted', { topicId: 't', name: 'n' }),
      inProject('TopicCreated', { topicId: 'u', name: 'n', schemaId: null }),
    ).thenCollections({
      names: { 'p/n': { topicIds: ['t', 'u'] } },
      topics: {
        t: {
          ...TOPIC,
          messages: 1,
          bytes: 4,
          lastPublish: `${DAY}T00:00:00.000Z`,
          call: callOf('c0', 1, 1),
          openDays: { [DAY]: 1 },
          deleted: true,
        },
        u: TOPIC,
      },
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
    given(created, ...messages).thenCollections({ deduplicated: early, 'deduplicated.turns': { 'p/t': turn + 1 } });
    const { [`p/t/${turn % 3}/a%2Fb`]: _, ...rest } = early;
    given(created, ...messages, keyed(3, 25, 'e')).thenCollections({ deduplicated: { ...rest, ...found('e', 2, 3, 25) } });
  });

  it('is removed with its project and its log', () => {
    const forgotten = { deduplicated: {}, 'deduplicated.turns': {} };
    const deleted = inProject('TopicDeleted', { topicId: 't', name: 'n' });
    given(created, keyed(0, 1, 'a'), projectDeleted).thenCollections(forgotten);
    given(created, keyed(0, 1, 'a'), deleted, discarded(1)).thenCollections(forgotten);
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
        call: callOf('c3', 1, 86_401),
        openDays: { [NEXT]: 1 },
      },
    },
    records: {
      t: { record: 2, reported: 2, closed: { messages: 3, bytes: 12, lastPublish: lastPublish(2), rate: 1 }, days: { [DAY]: 3 } },
    },
    'topic-days': { [`t/${DAY}`]: 3 },
    'topic-days.kept': { t: [DAY] },
    'project-days': { [`p/${DAY}`]: 3, [`p/${NEXT}`]: 1 },
    names,
  };

  const allDays = { 'topic-days': { [`t/${DAY}`]: 3, [`t/${NEXT}`]: 1 }, 'project-days': counters['project-days'] };

  it('changes nothing if nothing has expired', () => given(...whole).then(counters));

  it('replaces the counts of expired messages', () =>
    given(...whole.filter(({ type, revision = 9n }) => type !== 'MessagePublished' || revision >= 2n)).then(counters));

  it('replaces the counts of all messages once it covers them', () => {
    const end = { messages: 4, bytes: 16, lastPublish: lastPublish(3, NEXT), rate: 1 / 86_401 };
    const { closed, days } = counters.records.t;
    const events = [...whole, record(3, closed, days), record(4, end, { [NEXT]: 1 })];
    const recorded = {
      records: { t: { record: 4, reported: 4, closed: end, days: {} } },
      ...allDays,
      'topic-days.kept': { t: [DAY, NEXT] },
    };
    const documents = { ...recorded, topics: { t: { ...TOPIC, ...end } }, names };
    given(...events).then(documents);
    given(...events.filter(({ type }) => type !== 'MessagePublished')).then(documents);
  });

  describe('shows whether messages have left the log', () => {
    const without = (...gone: readonly bigint[]): readonly GivenEvent[] =>
      whole.filter(({ type, revision = 9n }) => type !== 'MessagePublished' || !gone.includes(revision));
    const numberOf = (events: readonly GivenEvent[], event: GivenEvent | undefined): number => events.indexOf(event as GivenEvent) + 1;

    it.each([
      ['all of them', [0n, 1n, 2n, 3n]],
      ['those before the first record', [0n, 1n]],
      ['the first', [0n]],
    ])('%s', (_what, gone) => {
      const events = without(...gone);
      given(...events).thenLost(numberOf(events, whole[5]));
    });

    it('of which later ones are left', () => {
      const { closed, days } = counters.records.t;
      const third = record(3, closed, days);
      const events = [...without(0n, 1n, 2n), third];
      given(...events).thenLost(numberOf(events, third));
    });

    it('even empty ones', () => {
      const empty = (revision: number): GivenEvent => {
        const { data, ...rest } = message(revision, revision);
        return { ...rest, data: { ...data, data: '' } };
      };
      const totals = { messages: 2, lastPublish: lastPublish(1), rate: 1 };
      given(created, empty(1), record(1, {}, {}), record(2, totals, { [DAY]: 2 })).thenLost(4);
    });

    it('not if all are there, or were counted before the log began', () => {
      given(...whole).thenLost(null);
      const { closed, days } = counters.records.t;
      given(created, record(1, closed, days), record(2, closed, {})).thenLost(null);
    });

    it('with a deleted project, but not with a deleted topic', () => {
      given(...whole, projectDeleted, discarded(3)).thenLost(whole.length + 2);
      given(...whole, inProject('TopicDeleted', { topicId: 't', name: 'n' }), discarded(3)).thenLost(null);
    });
  });

  it('is added to the days of a project together with those of other topics', () =>
    given(
      created,
      inProject('TopicCreated', { topicId: 'u', name: 'm', schemaId: null }),
      { ...message(0, 0), stream: 'messaging.messages-u' },
      record(1, {}, {}),
      record(2, { messages: 5, bytes: 20 }, { [DAY]: 5 }),
    ).thenCollections({ 'topic-days': { [`t/${DAY}`]: 5 }, 'project-days': { [`p/${DAY}`]: 6 } }));

  it('is applied to a deleted topic until its log is discarded; its days are kept', () =>
    given(...whole, inProject('TopicDeleted', { topicId: 't', name: 'n' }), discarded(3)).then({ ...allDays, names }));

  describe('keeps the 30 newest days of a topic', () => {
    const dayAfter = (days: number): string => new Date(Date.parse(DAY) + days * 86_400_000).toISOString().slice(0, 10);
    /** The publishing and the record of a message a day. */
    const year = (days: number, { from = 0 } = {}): readonly GivenEvent[] =>
      Array.from({ length: days }, (_, index) => from + index).flatMap((n) => [
        message(n, 0, { day: dayAfter(n) }),
        record(n + 1, { messages: n, bytes: 4 * n }, n > 0 ? { [dayAfter(n - 1)]: 1 } : {}),
      ]);
    const counts = (first: number, end: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: end - first }, (_, index) => [`${prefix}/${dayAfter(first + index)}`, 1]));
    const newest = (end: number, first = end - 30) => ({
      'topic-days': counts(first, end, 't'),
      'project-days': counts(0, end, 'p'),
      'topic-days.kept': { t: Object.keys(counts(first, end, '')).map((key) => key.slice(1)) },
    });

    it('and all of its project, also if the messages have expired', () => {
      given(created, ...year(100)).thenCollections(newest(100));
      const kept = (type: string, revision = 99n) => type !== 'MessagePublished' || revision >= 99n;
      given(created, ...year(100).filter(({ type, revision }) => kept(type, revision))).thenCollections(newest(100));
    });

    it('if a record has more days, such as that of a topic that was migrated', () => {
      const days = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [dayAfter(n), 1]));
      given(created, record(1, { messages: 3_000, bytes: 12_000 }, days)).thenCollections(newest(3_000));
    });

    it('and those that the next record may correct', () => {
      const all = counts(0, 40, 't');
      const days = Object.fromEntries(Object.keys(all).map((key) => [key.slice(2), 1]));
      const published = Array.from({ length: 40 }, (_, n) => message(n, 0, { day: dayAfter(n) }));
      const events = [created, ...published, record(1, {}, {})];
      given(...events).thenCollections({ 'topic-days': all, 'project-days': counts(0, 40, 'p') });
      const recorded = [...events, record(2, { messages: 40, bytes: 160 }, days)];
      given(...recorded).thenCollections(newest(40));
      given(...recorded.filter(({ type }) => type !== 'MessagePublished')).thenCollections(newest(40));
    });

    it('after its log is discarded, until it is no more among the newest 1,000 of its name', () => {
      const discard = [inProject('TopicDeleted', { topicId: 't', name: 'n' }), discarded(41)];
      const gone = { 'topic-days.kept': {}, 'project-days': counts(0, 40, 'p') };
      given(created, ...year(40), ...discard).thenCollections({ ...gone, 'topic-days': counts(10, 40, 't') });
      const others = Array.from({ length: 1_000 }, (_, n) => inProject('TopicCreated', { topicId: `u${n}`, name: 'n', schemaId: null }));
      given(created, ...year(40), ...discard, ...others.slice(1)).thenCollections({ 'topic-days': counts(10, 40, 't') });
      given(created, ...year(40), ...discard, ...others).thenCollections({ ...gone, 'topic-days': {} });
      const [deletion, end] = discard as [GivenEvent, GivenEvent];
      const days = { 'topic-days': counts(10, 40, 't'), 'project-days': counts(0, 40, 'p') };
      given(created, ...year(40), deletion, ...others, record(41, { messages: 40 }, { [dayAfter(39)]: 1 }), end).thenCollections(days);
    });
  });

  it('keeps of a deleted project only the logs to be discarded', () => {
    given(...whole, projectDeleted, record(3, { messages: 9 }, { [DAY]: 9 })).then({
      topics: counters.topics,
      records: counters.records,
      'topic-days': counters['topic-days'],
      'topic-days.kept': counters['topic-days.kept'],
      'projects.deleted': { p: true },
    });
    given(...whole, projectDeleted, discarded(3)).then({ 'projects.deleted': { p: true } });
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

  it('start at the offset with which they were created', () => given(subscribed).then({ subscriptions: { 'p/s': start } }));
  it.each(['BatchDelivered', 'BatchAcknowledged', 'OffsetModified'])('have the cursor of %s', (type) =>
    given(subscribed, moved(type)).then({ subscriptions: { 'p/s': cursor } }),
  );
  it.each([
    ['they', inProject('SubscriptionDeleted', { subscriptionId: 's', name: 's' }), {}],
    ['their projects', projectDeleted, { 'projects.deleted': { p: true } }],
  ])('are removed when %s are deleted, even if a later event follows', (_what, deletion, left) =>
    given(subscribed, deletion, moved('BatchDelivered')).then(left),
  );
});
