import { describe, expect, it } from '@jest/globals';
import { accountingCatalogues } from '#domain/accounting/index.js';
import { messagingCatalogues } from '#domain/messaging/index.js';
import { none } from '#domain/shared/resource-change.js';
import { categoryOfDayList } from '#domain/status/day-lists/day-lists.js';
import { statusCatalogues } from '#domain/status/index.js';
import { topologyGroups } from '#domain/status/topology/topology.js';
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
    expect(published?.says(2_400, {})).toBe('published 2,400 messages to');
    const sent = statementOf({ stream: 'status.metric_data-t', type: 'MetricResultsRecorded' });
    expect(sent?.amount?.({ results: [{}, {}] })).toBe(2);
    const redriven = statementOf({ stream: 'messaging.resources-p', type: 'DeadLettersRedriven' });
    expect(redriven?.says(redriven.amount?.({ messages: [0, 2, 7, 8] }) ?? 0, {})).toBe('redrove 3 dead letters of');
    const pulled = statementOf({ stream: 'messaging.cursor-s', type: 'BatchDelivered' });
    expect([1, 2].map((count) => pulled?.says(count, {}))).toEqual(['pulled messages from', 'pulled messages 2 times from']);
    expect(pulled?.says(2, {}, true)).toBe('pulled messages at least 2 times from');
    expect(pulled?.says(2, {}, false, { kind: 'system', id: 'push' })).toBe('tried to push messages 2 times from');
  });

  it('say that the first list of a day was created, and later ones changed it', () => {
    const listed = statementOf({ stream: `${categoryOfDayList(topologyGroups)}-t`, type: topologyGroups.events.listed });
    expect([listed?.says(1, {}), listed?.says(1, { replaces: 0 })]).toEqual(['created', 'changed']);
  });

  it('say what was done with recomputations and public reports, and which records have a day', () => {
    const saying = (stream: string, type: string, data = {}) => statementOf({ stream, type })?.says(1, data);
    expect(saying('status.recomputation-r', 'RecomputationRequested')).toBe('asked for');
    expect(saying('status.reports-t', 'ReportMadePublic')).toBe('gave public access to');
    expect(saying('status.reports-t', 'ReportMadePrivate')).toBe('ended public access to');
    expect(
      ['oidc_tenant', 'user', 'installation'].map((kind) => saying('ops.erasures-x', 'SubjectErased', { service: 'accounting', kind })),
    ).toEqual(['erased an OIDC tenant of accounting', 'erased a user of accounting', 'erased an installation of accounting']);
    const isDated = (stream: string, type: string) => statementOf({ stream, type })?.dated === true;
    expect([isDated('status.weights-t', 'WeightsSnapshotDated'), isDated('status.weights-t', 'WeightsDeleted')]).toEqual([true, false]);
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
