import { describe, expect, it } from '@jest/globals';
import { accountingCatalogues } from '#domain/accounting/index.js';
import { messagingCatalogues } from '#domain/messaging/index.js';
import { none } from '#domain/shared/resource-change.js';
import { statusCatalogues } from '#domain/status/index.js';
import { changedKinds, passes, statementOf, typesOf } from './statements.js';

const catalogues = { ...messagingCatalogues, ...accountingCatalogues, ...statusCatalogues };

describe('statements', () => {
  it('are there for every event that changes a record, which is not folded', () => {
    const silent = Object.entries(catalogues).flatMap(([category, types]) =>
      Object.entries(types)
        .filter(([type, { resource = none }]) => resource !== none && !statementOf({ stream: `${category}-x`, type }))
        .map(([type]) => `${category} ${type}`),
    );
    expect(silent).toEqual([]);
  });

  it('count what is folded', () => {
    const published = statementOf({ stream: 'messaging.messages-t', type: 'MessagePublished' });
    expect(published?.says(1, {})).toBe('published 1 message to');
    expect(published?.says(40, {})).toBe('published 40 messages to');
    expect(published?.says(40, {}, true)).toBe('published at least 40 messages to');
    const sent = statementOf({ stream: 'status.metric_data-t', type: 'MetricResultsRecorded' });
    expect(sent?.amount?.({ results: [{}, {}] })).toBe(2);
    const redriven = statementOf({ stream: 'messaging.resources-p', type: 'DeadLettersRedriven' });
    expect(redriven?.says(redriven.amount?.({ messages: [0, 2, 7, 8] }) ?? 0, {})).toBe('redrove 3 dead letters of');
    const pulled = statementOf({ stream: 'messaging.cursor-s', type: 'BatchDelivered' });
    expect([1, 2].map((count) => pulled?.says(count, {}))).toEqual(['pulled messages from', 'pulled messages 2 times from']);
    expect(pulled?.says(2, {}, true)).toBe('pulled messages at least 2 times from');
  });

  it('pass filters of service, kind, reads and traffic', () => {
    const read = statementOf({ stream: 'ops.audit-global', type: 'AsOfRead' });
    expect([true, false].map((reads) => read && passes(read, { reads, traffic: true }))).toEqual([true, false]);
    expect(typesOf({ service: 'status', kind: 'weights', reads: false, traffic: true })).toEqual([
      'WeightsSnapshotDated',
      'WeightsDeleted',
    ]);
    expect(typesOf({ service: 'messaging', kind: 'weights', reads: false, traffic: true })).toEqual([]);
    const shown = typesOf({ service: 'messaging', reads: false, traffic: false });
    const types = ['MessagePublished', 'BatchDelivered', 'BatchAcknowledged', 'DeliveriesRecorded', 'DeliveriesSettled', 'OffsetModified'];
    expect(types.filter((type) => shown.includes(type))).toEqual(['OffsetModified']); // a position is moved by somebody, not by messages
    expect(typesOf({ service: 'messaging', reads: false, traffic: true })).toEqual(expect.arrayContaining(types));
    expect(statementOf({ stream: 'messaging.traffic-t', type: 'TrafficRecorded' })).toBeUndefined();
    expect(changedKinds().messaging).toEqual(['project', 'user', 'registration', 'topic', 'subscription', 'schema']);
  });
});
