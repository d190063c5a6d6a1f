import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { firstNew, type MessageRange, type MetricBatchEvent, metricBatches } from './metric-batches.js';
import { type MetricSource, type MetricSourceEvent, metricSources } from './metric-source.js';

describe('a metric source', () => {
  const given = deciderSpec(metricSources);
  const source: MetricSource = { projectId: 'p', subscription: 's' };
  const connected = (one: MetricSource): MetricSourceEvent => ({ type: 'MetricSourceConnected', data: { tenantId: 't', ...one } });
  const disconnected: MetricSourceEvent = { type: 'MetricSourceDisconnected', data: { tenantId: 't' } };
  const connect = (one: MetricSource) => ({ type: 'ConnectMetricSource', tenantId: 't', source: one }) as const;
  const disconnect = { type: 'DisconnectMetricSource', tenantId: 't' } as const;

  it('is replaced as a whole, and not by an equal one', () => {
    given().when(connect(source)).then(connected(source));
    given(connected(source)).when(connect(source)).then();
    const withTopic = { ...source, deadLetterTopic: 'd' };
    given(connected(source)).when(connect(withTopic)).then(connected(withTopic));
    given(connected(withTopic)).when(connect(source)).then(connected(source));
  });

  it('is removed once', () => {
    given(connected(source)).when(disconnect).then(disconnected);
    given(connected(source), disconnected).when(disconnect).then();
    given(connected(source), disconnected).when(connect(source)).then(connected(source));
  });
});

describe('messages of a metric source', () => {
  const given = deciderSpec(metricBatches);
  const range = (from: number, to: number, topicId = 'a'): MessageRange => ({ topicId, from, to });
  const outcome = { messages: 2, points: 3, deadLettered: 1, discarded: 0, flaw: { messageId: '1', reason: 'not JSON' } };
  const taken = (sequence: number, open: MessageRange, ...done: MessageRange[]): MetricBatchEvent => ({
    type: 'MetricMessagesTaken',
    data: { tenantId: 't', sequence, open, done },
  });
  const ingested = (sequence: number, one: MessageRange, ...done: MessageRange[]): MetricBatchEvent => ({
    type: 'MetricMessagesIngested',
    data: { tenantId: 't', sequence, range: one, done, ...outcome },
  });
  const take = (seen: number, one: MessageRange) => ({ type: 'TakeMessages', tenantId: 't', seen, range: one }) as const;
  const finish = (seen: number) => ({ type: 'FinishMessages', tenantId: 't', seen, outcome }) as const;

  it('are taken up in batches, one after the other', () => {
    given()
      .when(take(0, range(0, 2)))
      .then(taken(1, range(0, 2)));
    given(taken(1, range(0, 2)))
      .when(finish(1))
      .then(ingested(2, range(0, 2), range(0, 2)));
    given(ingested(2, range(0, 2), range(0, 2)))
      .when(take(2, range(2, 5)))
      .then(taken(3, range(2, 5), range(0, 2)));
    given(taken(3, range(2, 5), range(0, 2)))
      .when(finish(3))
      .then(ingested(4, range(2, 5), range(0, 5)));
  });

  it('are not taken up by two nodes', () => {
    given(taken(1, range(0, 2)))
      .when(take(0, range(0, 2)))
      .thenRejected('SOURCE_MOVED');
    given(taken(1, range(0, 2)))
      .when(take(1, range(2, 3)))
      .thenRejected('SOURCE_MOVED');
    given(taken(1, range(0, 2)), ingested(2, range(0, 2), range(0, 2)))
      .when(finish(1))
      .thenRejected('SOURCE_MOVED');
    given(taken(1, range(0, 2)), ingested(2, range(0, 2), range(0, 2)))
      .when(finish(2))
      .thenRejected('SOURCE_MOVED');
  });

  it('are remembered by topic, ranges that meet as one, no more than 64', () => {
    const state = (...done: MessageRange[]) => given(taken(1, range(5, 7), ...done));
    state(range(0, 5), range(7, 9), range(0, 9, 'b'))
      .when(finish(1))
      .then(ingested(2, range(5, 7), range(0, 9, 'b'), range(0, 9)));
    const many = Array.from({ length: 64 }, (_, index) => range(10 * index + 10, 10 * index + 11));
    state(...many)
      .when(finish(1))
      .then(ingested(2, range(5, 7), ...many.slice(1), range(5, 7)));
  });

  it.each<[string, MessageRange[], MessageRange | null]>([
    ['nothing was taken up', [], range(3, 9)],
    ['the first were taken up', [range(0, 5)], range(5, 9)],
    ['all were taken up', [range(0, 9)], null],
    ['some in between were taken up', [range(5, 6), range(7, 8)], range(3, 5)],
    ['the first, and some in between', [range(7, 8), range(0, 4)], range(4, 7)],
    ['those of another topic', [range(0, 9, 'b')], range(3, 9)],
  ])('are new as far as they were not taken up before: %s', (_case, done, expected) =>
    expect(firstNew(done, range(3, 9))).toEqual(expected),
  );
});
