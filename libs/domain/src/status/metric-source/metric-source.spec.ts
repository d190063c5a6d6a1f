import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { firstNew, type MessageRange, type MetricBatchEvent, metricBatches, type Retry } from './metric-batches.js';
import { type MetricSource, type MetricSourceEvent, metricSources } from './metric-source.js';

describe('a metric source', () => {
  const given = deciderSpec(metricSources);
  const source: MetricSource = { projectId: 'p', subscription: 's' };
  const connected = (one: MetricSource): MetricSourceEvent => ({ type: 'MetricSourceConnected', data: { tenantId: 't', ...one } });
  const disconnected: MetricSourceEvent = { type: 'MetricSourceDisconnected', data: { tenantId: 't' } };
  const connect = (one: MetricSource) => ({ type: 'ConnectMetricSource', tenantId: 't', source: one }) as const;
  const disconnect = { type: 'DisconnectMetricSource', tenantId: 't' } as const;

  it('is replaced as a whole, unless the new one is equal', () => {
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
  const request = (since: string) => ({ type: 'RequestRetry', tenantId: 't', since }) as const;
  const wish = (since: string, after = ''): Retry => ({ since, after });
  const requested = (data: object): MetricBatchEvent => ({
    type: 'MetricRetryRequested',
    data: { tenantId: 't', sequence: 0, done: [], retry: wish(''), ...data },
  });

  it('are ingested in batches, one after the other', () => {
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

  it('are not ingested by two nodes', () => {
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

  it('are stored by topic as at most 64 ranges; adjacent ranges are joined', () => {
    const state = (...done: MessageRange[]) => given(taken(1, range(5, 7), ...done));
    state(range(0, 5), range(7, 9), range(0, 9, 'b'))
      .when(finish(1))
      .then(ingested(2, range(5, 7), range(0, 9, 'b'), range(0, 9)));
    const many = Array.from({ length: 64 }, (_, index) => range(10 * index + 10, 10 * index + 11));
    state(...many)
      .when(finish(1))
      .then(ingested(2, range(5, 7), ...many.slice(1), range(5, 7)));
  });

  it('keep the filter with which they were pulled until they are ingested', () => {
    const filter = 'attributes.tenant = "a"';
    const pulled = { type: 'MetricMessagesTaken', data: { ...taken(1, range(0, 2)).data, filter } } as never;
    given()
      .when({ ...take(0, range(0, 2)), filter })
      .then(pulled);
    const asked = requested({ sequence: 1, open: range(0, 2), filter });
    given(pulled).when(request('')).then(asked);
    given(asked).when(request('')).then(asked);
    given()
      .when({ ...take(0, range(0, 2)), filter: '' })
      .then({ type: 'MetricMessagesTaken', data: { ...taken(1, range(0, 2)).data, filter: '' } } as never);
  });

  it('that were set aside are retried batch by batch, between other steps', () => {
    const [done, since] = [[range(0, 9)], '2024-01-01T00:00:00Z'];
    const finished = ingested(2, range(0, 9), ...done);
    given(finished)
      .when(request(since))
      .then(requested({ sequence: 2, done, retry: wish(since) }));
    given(taken(3, range(9, 12), ...done))
      .when(request(since))
      .then(requested({ sequence: 3, done, open: range(9, 12), retry: wish(since) }));
    const under = requested({ sequence: 3, done, open: range(9, 12), retry: wish(since) });
    given(under)
      .when(finish(3))
      .then({ type: 'MetricMessagesIngested', data: { ...ingested(4, range(9, 12), range(0, 12)).data, retry: wish(since) } as never });
    const again = { ...take(2, range(0, 9)), again: { from: 3, to: 5 }, retry: wish(since) };
    const after = wish(since, 'a/0000000000000000');
    const begun = { ...taken(3, range(0, 9), ...done).data, again: again.again, retry: after };
    given(requested({ sequence: 2, done, retry: wish(since) }))
      .when(again)
      .then({ type: 'MetricMessagesTaken', data: begun } as never);
    given({ type: 'MetricMessagesTaken', data: begun } as never)
      .when(finish(3))
      .then({ type: 'MetricMessagesIngested', data: { ...ingested(4, range(0, 9), ...done).data, retry: after } as never });
  });

  it('are all retried for a request, which a later request replaces', () => {
    const finish = (retry: Retry) => ({ type: 'FinishRetry', tenantId: 't', seen: 2, retry }) as const;
    const [first, later] = [wish('', 'a/0000000000000005'), wish('2024-01-01T00:00:00Z')];
    const asked = requested({ sequence: 2, retry: later });
    given(asked)
      .when(finish(later))
      .then({ type: 'MetricRetryFinished', data: { tenantId: 't', sequence: 3, done: [] } });
    given(asked).when(finish(first)).then();
    given(asked)
      .when({ ...take(2, range(6, 9)), again: range(6, 9), retry: first })
      .then({ type: 'MetricMessagesTaken', data: { ...taken(3, range(6, 9)).data, again: range(6, 9), retry: later } as never });
    given(asked)
      .when({ ...finish(later), seen: 1 })
      .thenRejected('SOURCE_MOVED');
  });

  it.each<[string, MessageRange[], MessageRange | null]>([
    ['nothing was ingested', [], range(3, 9)],
    ['the first were ingested', [range(0, 5)], range(5, 9)],
    ['all were ingested', [range(0, 9)], null],
    ['some in between were ingested', [range(5, 6), range(7, 8)], range(3, 5)],
    ['the first, and some in between', [range(7, 8), range(0, 4)], range(4, 7)],
    ['those of another topic', [range(0, 9, 'b')], range(3, 9)],
  ])('are new if they were not ingested before: %s', (_case, done, expected) => expect(firstNew(done, range(3, 9))).toEqual(expected));
});
