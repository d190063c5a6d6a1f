import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TrafficTotals } from '#domain/messaging/traffic/traffic.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { forAny } from '#test/support/for-any.js';
import { memoryView } from '#test/support/memory-view.js';
import { type GivenEvent, textsAfter } from '#test/support/projection-spec.js';
import { runs } from '#test/support/test-runs.js';
import { NO_RECORD } from './documents.js';
import { countersProjection } from './projection.js';
import { OffsetQueries, type RecordableTopic, TrafficQueries, TrafficRecordQueries } from './queries.js';

const NAMES = ['one', 'two'] as const;
const HOUR = 3_600_000;

const publish = fc.record({
  kind: fc.constant('publish' as const),
  name: fc.constantFrom(...NAMES),
  count: fc.integer({ min: 1, max: 3 }),
  /** Milliseconds since the previous call. */
  later: fc.constantFrom(0, 1, 5 * HOUR, 40 * HOUR),
  /** Milliseconds by which the clock of the node is behind that of another. */
  behind: fc.constantFrom(0, 0, 1, 30 * HOUR),
  isSameRequest: fc.boolean(),
});
const other = fc.record({
  kind: fc.constantFrom(
    'record' as const,
    'record' as const,
    'record' as const,
    'recreate' as const,
    'delete' as const,
    'discard' as const,
  ),
  name: fc.constantFrom(...NAMES),
});
const lives = fc.array(fc.oneof({ arbitrary: publish, weight: 3 }, { arbitrary: other, weight: 2 }), { minLength: 1, maxLength: 30 });
/** A message a day, with records or without. */
const month = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.boolean(), { minLength: 20, maxLength: 45 }))
  .map(([name, records]) =>
    records.flatMap((isRecorded): readonly Step[] => [
      { kind: 'publish', name, count: 1, later: 24 * HOUR, behind: 0, isSameRequest: false },
      ...(isRecorded ? [{ kind: 'record', name } as const] : []),
    ]),
  );
type Step = (typeof lives extends fc.Arbitrary<infer Steps> ? Steps : never) extends readonly (infer One)[] ? One : never;

type Message = Readonly<{ bytes: number; publishTime: string; call: string }>;
type Counted = Readonly<{ totals: TrafficTotals; days: Readonly<Record<Day, number>> }>;

const NOTHING: Counted = { totals: NO_RECORD.closed, days: {} };

/** A topic with all messages that were ever published. `states`: those at its records, the first one at its creation. */
class PlainTopic {
  readonly messages: Message[] = [];
  readonly states: Counted[] = [NOTHING];
  isDeleted = false;
  isDiscarded = false;

  constructor(
    readonly topicId: string,
    readonly name: string,
  ) {}

  get counted(): Counted {
    const { messages } = this;
    const last = messages.at(-1);
    const begin = messages.findLastIndex(({ call }) => call !== last?.call) + 1;
    const [before, first] = [messages[begin - 1], messages[begin]];
    const seconds = before && first ? Math.max(Date.parse(first.publishTime) - Date.parse(before.publishTime), 1) / 1_000 : 1;
    const days: Record<Day, number> = {};
    for (const { publishTime } of messages) days[dayOf(publishTime)] = (days[dayOf(publishTime)] ?? 0) + 1;
    const bytes = messages.reduce((sum, message) => sum + message.bytes, 0);
    const totals = {
      messages: messages.length,
      bytes,
      lastPublish: last?.publishTime ?? null,
      rate: (messages.length - begin) / seconds,
    };
    return { totals, days };
  }

  /** Content of the next record. */
  get due(): Counted {
    const [before = NOTHING, closed = NOTHING] = this.states.length > 1 ? this.states.slice(-2) : [NOTHING, NOTHING];
    return {
      totals: closed.totals,
      days: Object.fromEntries(Object.entries(closed.days).filter(([day, count]) => before.days[day] !== count)),
    };
  }
}

/** A project that lives through the steps: its topics, and the events of its log. */
class PlainProject {
  readonly topics: PlainTopic[] = [];
  readonly events: GivenEvent[] = [];
  private now = Date.UTC(2024, 0, 2);
  private last = { requestId: 'first', time: '' };

  constructor() {
    for (const name of NAMES) this.create(name);
  }

  take(step: Step): void {
    const topic = this.topics.findLast(({ name }) => name === step.name);
    if (!topic) return;
    if (step.kind === 'publish') this.publish(topic, step);
    else if (step.kind === 'record') this.record(topic);
    else if (step.kind === 'discard') this.discard(topic);
    else this.delete(topic);
    if (step.kind === 'recreate') this.create(step.name);
  }

  private create(name: string): void {
    const topic = new PlainTopic(`t${this.topics.length}`, name);
    this.topics.push(topic);
    this.events.push({ stream: 'messaging.resources-p', type: 'TopicCreated', data: { topicId: topic.topicId, name, schemaId: null } });
  }

  private delete(topic: PlainTopic): void {
    if (topic.isDeleted) return;
    topic.isDeleted = true;
    this.events.push({ stream: 'messaging.resources-p', type: 'TopicDeleted', data: { topicId: topic.topicId, name: topic.name } });
  }

  private publish(topic: PlainTopic, { count, later, behind, isSameRequest }: Extract<Step, { kind: 'publish' }>): void {
    if (topic.isDeleted) return;
    this.now += later;
    const now = new Date(this.now - behind).toISOString();
    const requestId = isSameRequest ? this.last.requestId : `request ${this.events.length}`;
    this.last = { requestId, time: now };
    const before = topic.messages.at(-1)?.publishTime ?? '';
    const publishTime = [before, now].sort()[1] ?? now;
    for (let message = 0; message < count; message++) {
      const data = 'YQ=='.repeat(count);
      this.events.push({
        stream: `messaging.messages-${topic.topicId}`,
        revision: BigInt(topic.messages.length),
        type: 'MessagePublished',
        data: { projectId: 'p', publishTime, data },
        metadata: { requestId, time: now },
      });
      topic.messages.push({ bytes: data.length, publishTime, call: `${requestId} ${now}` });
    }
  }

  private record(topic: PlainTopic): void {
    if (topic.isDiscarded) return;
    const { topicId, states } = topic;
    this.events.push({
      stream: `messaging.traffic-${topicId}`,
      type: 'TrafficRecorded',
      data: { projectId: 'p', topicId, record: states.length, ...topic.due },
    });
    states.push(topic.counted);
    this.last = { requestId: `after record ${this.events.length}`, time: '' }; // records are minutes apart: no call outlasts two of them
  }

  /** The log of a topic is discarded once its messages are in records. */
  private discard(topic: PlainTopic): void {
    if (!topic.isDeleted || topic.isDiscarded) return;
    this.record(topic);
    this.record(topic);
    const { topicId, states } = topic;
    this.events.push({
      stream: `messaging.traffic-${topicId}`,
      type: 'TopicLogDiscarded',
      data: { projectId: 'p', topicId, record: states.length },
    });
    topic.isDiscarded = true;
  }
}

const byDay = (all: readonly Counted[]): readonly Readonly<{ day: Day; count: number }>[] => {
  const sums = new Map<Day, number>();
  for (const { days } of all) for (const [day, count] of Object.entries(days)) sums.set(day, (sums.get(day) ?? 0) + count);
  const days = Array.from(sums, ([day, count]) => ({ day, count })).sort((one, next) => (one.day < next.day ? 1 : -1));
  return days.slice(0, 30);
};

const expected = ({ topics }: PlainProject) => ({
  totals: topics.map(({ isDiscarded, counted }) => (isDiscarded ? undefined : counted.totals)),
  ends: topics.map(({ isDeleted, messages }) => (isDeleted ? undefined : messages.length)),
  days: NAMES.map((name) => byDay(topics.filter((one) => one.name === name).map(({ counted }) => counted))),
  ofProject: byDay(topics.map(({ counted }) => counted)),
  recordable: topics
    .filter(({ isDiscarded }) => !isDiscarded)
    .map((one) => ({ topicId: one.topicId, record: one.states.length, isDeleted: one.isDeleted, ...one.due })),
});

/** The log without messages that are in records. `kept`: part of these messages that have not expired. */
const withoutExpired = ({ events, topics }: PlainProject, kept: number): readonly GivenEvent[] => {
  const first = new Map(
    topics.map(({ topicId, states }) => [`messaging.messages-${topicId}`, Math.floor((1 - kept) * (states.at(-2)?.totals.messages ?? 0))]),
  );
  return events.filter(({ type, stream = '', revision = 0n }) => type !== 'MessagePublished' || revision >= (first.get(stream) ?? 0));
};

const recordable = async (store: Pick<ReadStore, 'view'>): Promise<readonly RecordableTopic[]> => {
  const found: RecordableTopic[] = [];
  for await (const page of new TrafficRecordQueries(store).topics()) found.push(...page);
  return found.toSorted((one, next) => Number(one.topicId.slice(1)) - Number(next.topicId.slice(1)));
};

const answered = async (documents: Parameters<typeof memoryView>[0], ids: readonly string[]) => {
  const view = memoryView(documents);
  const store = { view: () => view } as unknown as ReadStore;
  const [traffic, offsets] = [new TrafficQueries(store), new OffsetQueries(store)];
  return {
    totals: await traffic.ofTopics(ids),
    ends: await offsets.nextOffsets(ids),
    days: await Promise.all(NAMES.map((name) => traffic.recentDaysOfTopic('p', name))),
    ofProject: await traffic.recentDaysOfProject('p'),
    recordable: (await recordable(store)).map(({ topicId, counters: { record, closed, days, deleted = false } }) => ({
      topicId,
      record: record + 1,
      isDeleted: deleted,
      totals: closed,
      days,
    })),
  };
};

const answeredAfter = (events: readonly GivenEvent[], { topics }: PlainProject) =>
  answered(
    textsAfter(countersProjection, events),
    topics.map(({ topicId }) => topicId),
  );

/** The rate of a call is another one if part of it has expired, or the call before it. */
const withoutRates = (answers: object): unknown => JSON.parse(JSON.stringify(answers, (name, value) => (name === 'rate' ? 0 : value)));

describe('Answers about traffic', () => {
  it('are those of a list of all messages, after each event', () =>
    forAny(runs(200), lives, async (steps) => {
      const project = new PlainProject();
      for (const step of steps) {
        project.take(step);
        expect(await answeredAfter(project.events, project)).toEqual(expected(project));
      }
    }));

  it('are the same after messages have expired that are in records', () =>
    forAny(runs(400), lives, fc.constantFrom(0, 0.5), async (steps, kept) => {
      const project = new PlainProject();
      for (const step of steps) project.take(step);
      expect(withoutRates(await answeredAfter(withoutExpired(project, kept), project))).toEqual(withoutRates(expected(project)));
    }));

  it('are the same with more days than an answer has, in any number of records', () =>
    forAny(runs(100), fc.array(month, { minLength: 1, maxLength: 3 }), lives, fc.constantFrom(0, 0.5, 1), async (months, steps, kept) => {
      const project = new PlainProject();
      for (const step of [...months.flat(), ...steps]) project.take(step);
      const events = kept === 1 ? project.events : withoutExpired(project, kept);
      expect(withoutRates(await answeredAfter(events, project))).toEqual(withoutRates(expected(project)));
      const [stored, whole] = [events, project.events].map((log) => textsAfter(countersProjection, log));
      for (const name of ['topic-days', 'topic-days.kept', 'project-days']) expect(stored?.[name]).toEqual(whole?.[name]); // a verification compares them
      for (const { topicId, states } of project.topics) {
        const [before = 0, last = 0] = states.slice(-2).map(({ days }) => Object.keys(days).length);
        const days = Object.keys(stored?.['topic-days'] ?? {}).filter((key) => key.startsWith(`${topicId}/`));
        expect(days.length).toBeLessThanOrEqual(Math.max(30, last - before + 1)); // with those of the next record
      }
    }));

  it('are those of documents of versions 1 and 2, while these are served', async () => {
    const [totals, days] = [{ messages: 3, bytes: 12, lastPublish: '2024-01-02T00:00:02.000Z', rate: 2 }, { '2024-01-02': 2 }];
    const topic = {
      ...{ ...totals, projectId: 'p', name: 'one', call: null, deleted: false, record: 1, reported: 0, closed: totals, days },
      open: { bytes: 4, days: { '2024-01-02': { count: 1, total: 3 } } },
    };
    const documents = {
      topics: { t0: JSON.stringify(topic) },
      names: { 'p/one': '{"topicIds":["t0"]}' },
      'topic-days': { 't0/2024-01-02': '3' },
    };
    expect(await answered(documents, ['t0'])).toEqual({
      totals: [totals],
      ends: [3],
      days: [[{ day: '2024-01-02', count: 3 }], []],
      ofProject: [],
      recordable: [{ topicId: 't0', record: 2, isDeleted: false, totals, days }],
    });
  });
});
