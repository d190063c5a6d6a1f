import { describe, it } from '@jest/globals';
import { type GivenEvent, projectionSpec } from '#test/support/projection-spec.js';
import { metricSourcesProjection } from './projection.js';

const given = (...events: readonly GivenEvent[]) => projectionSpec(metricSourcesProjection).given(...events);

const tenantId = 't';
const range = { topicId: 'a', from: 0, to: 4 };
const connected = { type: 'MetricSourceConnected', data: { tenantId, projectId: 'p', subscription: 's', deadLetterTopic: 'd' } };
const taken = { type: 'MetricMessagesTaken', data: { tenantId, sequence: 1, done: [], open: range } };
const outcome = { messages: 4, points: 7, deadLettered: 1, discarded: 1, flaw: { messageId: '3', reason: 'not JSON' } };
const ingested = { type: 'MetricMessagesIngested', data: { tenantId, sequence: 2, done: [range], range, ...outcome } };
const at = '2024-01-02T03:04:05Z';

describe('metric sources', () => {
  it('are shown until they are disconnected', () => {
    const source = { projectId: 'p', subscription: 's', deadLetterTopic: 'd' };
    given(connected).then({ sources: { t: source } });
    given(connected, { type: 'MetricSourceDisconnected', data: { tenantId } }).then({});
  });

  it('count what became of messages, over all batches', () => {
    const open = { sequence: 1, done: [], open: range, received: 0, ingested: 0, points: 0, deadLettered: 0, discarded: 0 };
    given(taken).then({ progress: { t: open } });
    const [twice] = [
      { ...open, sequence: 2, done: [range], open: null, received: 8, ingested: 4, points: 14, deadLettered: 2, discarded: 2 },
    ];
    given(taken, ingested, taken, ingested).then({
      progress: { t: { ...twice, lastAt: at, flaw: { ...outcome.flaw, at } } },
    });
  });

  it('go with their tenant', () => given(connected, taken, { type: 'TenantDeleted', data: { tenantId, userIds: [] } }).then({}));
});
