import { describe, it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { metricSourcesProjection } from './projection.js';

const given = projectionSpec(metricSourcesProjection);

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

  it('count messages by outcome, over all batches', () => {
    const open = { sequence: 1, done: [], open: range, received: 0, ingested: 0, points: 0, deadLettered: 0, discarded: 0, dropped: 0 };
    given(taken).then({ progress: { t: open } });
    const [twice] = [
      { ...open, sequence: 2, done: [range], open: null, received: 8, ingested: 4, points: 14, deadLettered: 2, discarded: 2, dropped: 0 },
    ];
    given(taken, ingested, taken, ingested).then({
      progress: { t: { ...twice, lastAt: at, flaw: { ...outcome.flaw, at } } },
    });
  });

  it('show the filter of a batch until it is finished', () => {
    const open = { sequence: 1, done: [], open: range };
    const none = { received: 0, ingested: 0, points: 0, deadLettered: 0, discarded: 0, dropped: 0 };
    const once = {
      received: 4,
      ingested: 2,
      points: 7,
      deadLettered: 1,
      discarded: 1,
      dropped: 0,
      lastAt: at,
      flaw: { ...outcome.flaw, at },
    };
    const filtered = (filter: string) => ({ ...taken, data: { ...taken.data, filter } });
    const retry = { since: '', after: '' };
    const requested = { type: 'MetricRetryRequested', data: { ...filtered('x').data, retry } };
    given(filtered('x')).then({ progress: { t: { ...open, ...none, filter: 'x' } } });
    given(filtered('x'), requested).then({ progress: { t: { ...open, ...none, filter: 'x', retry } } });
    given(filtered('x'), ingested, filtered('')).then({ progress: { t: { ...once, ...open, filter: '' } } });
    given(filtered('x'), ingested, taken).then({ progress: { t: { ...once, ...open } } });
  });

  const batch = { topicId: 'a', from: 0, to: 4 };
  const setAside = [
    { from: 1, to: 2, fate: 'deadLettered' },
    { from: 3, to: 4, fate: 'dropped' },
  ];
  const aside = { ...ingested, data: { ...ingested.data, ...outcome, discarded: 0, dropped: 1, setAside } };
  const row = 't/a/0000000000000000';
  const counts = { received: 4, ingested: 2, points: 7, deadLettered: 1, discarded: 0, dropped: 1 };
  const shown = { sequence: 2, open: null, done: [range], ...counts, lastAt: at, flaw: { ...outcome.flaw, at } };

  it('list the messages set aside in each batch', () =>
    given(taken, aside).then({ progress: { t: shown }, 'set-aside': { [row]: { ...batch, at, messages: setAside } } }));

  it('count retried messages by their current outcome, and list them no longer', () => {
    const retry = { since: '', after: '' };
    const requested = { type: 'MetricRetryRequested', data: { tenantId, sequence: 2, done: [range], retry } };
    given(taken, aside, requested).then({
      progress: { t: { ...shown, retry } },
      'set-aside': { [row]: { ...batch, at, messages: setAside } },
    });
    const takenAgain = { type: 'MetricMessagesTaken', data: { ...requested.data, sequence: 3, open: range, again: { from: 0, to: 4 } } };
    const before = { deadLettered: 1, discarded: 0, dropped: 1 };
    const good = { messages: 2, points: 3, deadLettered: 0, discarded: 0, before };
    const finished = { type: 'MetricMessagesIngested', data: { tenantId, sequence: 4, done: [range], range, retry, ...good } };
    const over = { type: 'MetricRetryFinished', data: { tenantId, sequence: 5, done: [range] } };
    given(taken, aside, requested, takenAgain, finished, over).then({
      progress: { t: { ...shown, sequence: 5, ingested: 4, points: 10, deadLettered: 0, dropped: 0 } },
    });
  });

  it('are removed with their tenant', () =>
    given(connected, taken, aside, { type: 'TenantDeleted', data: { tenantId, userIds: [] } }).then({}));
});
