import { describe, it } from '@jest/globals';
import { sizeOf } from '#domain/status/limits.js';
import { wireText } from '#projections/status/layout.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { recomputationsProjection } from './projection.js';

const given = projectionSpec(recomputationsProjection);
const request = {
  requester_name: 'ann',
  requester_email: 'ann@example.org',
  reason: 'r',
  start_time: '2024-02-28T12:00:00Z',
  end_time: '2024-02-29T23:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
};
const NOBODY = { requester_name: '', requester_email: '' };
const none = { exclude_metrics: [], exclude_monitoring_source: [], applied_status_changes: [] };
const lists = {
  exclude_metrics: [{ hostname: 'h' }],
  exclude_monitoring_source: [{ host: 'mon', start_time: 's', end_time: 'e' }],
  applied_status_changes: [{ group: 'g', state: 'OK' }],
};
const of = (id: string, tenantId = 't') => ({ tenantId, id });
const event = (type: string, id: string, data: object = {}, time = '2024-01-01T00:00:00.123Z', tenantId = 't') => ({
  stream: `status.recomputation-${id}`,
  type,
  data: { ...of(id, tenantId), ...data },
  metadata: { time },
});
const requested = (id: string, time?: string, data: object = none, tenantId?: string) =>
  event('RecomputationRequested', id, { ...request, ...data }, time, tenantId);
const moved = (id: string, status: string, time?: string) => event('RecomputationStatusChanged', id, { status, change: 'set' }, time);
const tenantDeleted = (tenantId: string) => ({
  stream: 'status.tenants-global',
  type: 'TenantDeleted',
  data: { tenantId, userIds: [] },
});
const first = { status: 'pending', timestamp: '2024-01-01T00:00:00Z' };
const waiting = (id: string, changes: object = {}) => {
  const { report, start_time, end_time } = request;
  return { tenantId: 't', id, report, start_time, end_time, status: 'pending', since: first.timestamp, ...changes };
};
const document = (id: string, changes: object = {}) => ({ id, ...request, ...first, history: [first], ...changes });

describe('recomputations', () => {
  it('start as pending and are stored in the format of a list', () => {
    given(requested('x')).then({
      recomputations: { 't/x': document('x') },
      'recomputations.ordered': { 't/2024-01-01T00:00:00Z/00000000000000000010': document('x') },
      'recomputations.positions': { 't/x': '00000000000000000010' },
      'recomputations.requesters': { 't/x': { kind: 'key', id: 'spec' } },
      'recomputations.totals': { 't/': { count: 1, size: sizeOf(document('x', NOBODY)) } },
      'recomputations.waiting': { 't/x': waiting('x') },
    });
    for (const [collection, key] of [
      ['recomputations', 't/x'],
      ['recomputations.ordered', 't/2024-01-01T00:00:00Z/00000000000000000010'],
    ] as const)
      given(requested('x', undefined, lists)).thenText(collection, key, wireText(document('x', lists), 2));
  });

  it('keep their history, and are ordered by timestamp after every change', () => {
    const second = { status: 'running', timestamp: '2024-01-03T10:00:00Z' };
    const third = { status: 'pending', timestamp: '2024-01-03T10:00:01Z' };
    const x = document('x', { ...third, history: [first, second, third], ...lists });
    const y = document('y', { timestamp: '2024-01-02T00:00:00Z', history: [{ ...first, timestamp: '2024-01-02T00:00:00Z' }] });
    given(
      requested('x', undefined, lists),
      requested('y', '2024-01-02T00:00:00.000Z'),
      moved('x', 'running', '2024-01-03T10:00:00.999Z'),
      event('RecomputationStatusChanged', 'x', { status: 'pending', change: 'reset' }, '2024-01-03T10:00:01.000Z'),
    ).thenCollections({
      recomputations: { 't/x': x, 't/y': y },
      'recomputations.ordered': {
        't/2024-01-02T00:00:00Z/00000000000000000020': y,
        't/2024-01-03T10:00:01Z/00000000000000000010': x,
      },
    });
  });

  it('are counted per tenant, with their bytes in a list without the requester', () => {
    const totals = (tenant: string, ...documents: readonly object[]) => ({
      [`${tenant}/`]: {
        count: documents.length,
        size: documents.reduce((sum: number, one) => sum + Buffer.byteLength(wireText({ ...one, ...NOBODY }, 2)), 0),
      },
    });
    const done = { status: 'done', timestamp: '2024-01-02T00:00:00Z' };
    const events = [
      requested('x', undefined, lists),
      requested('y'),
      requested('z', undefined, none, 't1'),
      moved('x', 'done', '2024-01-02T00:00:00.000Z'),
      event('RecomputationRevised', 'x', { ...request, reason: 'é<' }),
    ];
    const x = document('x', { ...done, reason: 'é<', history: [first, done], ...lists });
    const z = totals('t1', document('z'));
    given(...events).thenCollections({ 'recomputations.totals': { ...totals('t', x, document('y')), ...z } });
    given(...events, event('RecomputationDeleted', 'x')).thenCollections({
      'recomputations.totals': { ...totals('t', document('y')), ...z },
    });
  });

  it('keep status, history and absent lists when they are replaced', () => {
    const done = { status: 'done', timestamp: '2024-01-02T00:00:00Z' };
    const change = { ...request, reason: 'other', exclude: [] };
    const revised = (data: object) => event('RecomputationRevised', 'x', data, '2024-01-05T00:00:00.000Z');
    const expected = { ...change, ...done, history: [first, done] };
    const before = [requested('x', undefined, lists), moved('x', 'done', '2024-01-02T00:00:00.000Z')];
    given(...before, revised(change)).thenText('recomputations', 't/x', wireText(document('x', { ...expected, ...lists }), 2));
    const { applied_status_changes: _, ...rest } = lists;
    const metrics = { exclude_metrics: [{ metric: 'm' }] };
    given(...before, revised({ ...change, ...metrics, applied_status_changes: [] })).thenText(
      'recomputations',
      't/x',
      wireText(document('x', { ...expected, ...rest, ...metrics }), 2),
    );
  });

  it('show no requester after the key of the requester is destroyed', () =>
    given(requested('x', undefined, { ...none, requester_name: null, requester_email: null })).thenCollections({
      recomputations: { 't/x': document('x', { requester_name: '', requester_email: '' }) },
    }));

  it('are due while they are approved or running, with a version that counts their events', () => {
    const due = (id: string, status: string, version: number, changes: object = {}) => {
      const { report, start_time, end_time } = request;
      return { [`t/${id}`]: { tenantId: 't', id, report, start_time, end_time, status, version, ...changes } };
    };
    const afterRequest = (...events: readonly ReturnType<typeof moved>[]) => given(requested('x'), ...events);
    afterRequest(moved('x', 'approved')).thenCollections({ 'recomputations.due': due('x', 'approved', 2) });
    afterRequest(moved('x', 'approved'), moved('x', 'running')).thenCollections({ 'recomputations.due': due('x', 'running', 3) });
    afterRequest(moved('x', 'approved'), event('RecomputationRevised', 'x', { ...request, report: 'Other' })).thenCollections({
      'recomputations.due': due('x', 'approved', 3, { report: 'Other' }),
    });
    for (const status of ['pending', 'rejected', 'done'])
      afterRequest(moved('x', 'running'), moved('x', status)).thenCollections({ 'recomputations.due': {} });
    afterRequest(moved('x', 'running'), event('RecomputationDeleted', 'x')).thenCollections({ 'recomputations.due': {} });
    given(requested('x'), moved('x', 'running'), tenantDeleted('t')).thenCollections({ 'recomputations.due': {} });
  });

  it('wait while they are pending or approved, and keep who asked for them', () => {
    const ann = { kind: 'user', id: 'ann' } as const;
    const asked = { ...requested('x'), metadata: { time: '2024-01-01T00:00:00.123Z', actor: ann } };
    const expectWaiting = (events: readonly ReturnType<typeof event>[], documents: Readonly<Record<string, object>>) =>
      given(asked, ...events).thenCollections({ 'recomputations.waiting': documents, 'recomputations.requesters': { 't/x': ann } });
    expectWaiting([], { 't/x': waiting('x') });
    const approved = moved('x', 'approved', '2024-01-02T00:00:00.000Z');
    expectWaiting([approved], { 't/x': waiting('x', { status: 'approved', since: '2024-01-02T00:00:00Z' }) });
    expectWaiting([event('RecomputationRevised', 'x', { ...request, report: 'Other' })], { 't/x': waiting('x', { report: 'Other' }) });
    for (const status of ['running', 'done', 'rejected']) expectWaiting([approved, moved('x', status)], {});
    const back = moved('x', 'pending', '2024-01-03T00:00:00.000Z');
    expectWaiting([moved('x', 'running'), back], { 't/x': waiting('x', { since: '2024-01-03T00:00:00Z' }) });
    given(asked, event('RecomputationDeleted', 'x')).then({});
  });

  it('are removed when they or their tenant are deleted', () => {
    given(requested('x'), moved('x', 'done'), event('RecomputationDeleted', 'x')).then({});
    given(requested('x'), requested('y'), tenantDeleted('t')).then({});
    given(requested('x'), requested('y', undefined, none, 't1'), tenantDeleted('t')).thenCollections({
      recomputations: { 't1/y': document('y') },
    });
  });

  it('are in force under the current name of their report while approved, running or done, in order of requests', () => {
    const { start_time, end_time, exclude } = request;
    const forced = (id: string, changes: object = {}) => ({ id, start_time, end_time, exclude, ...changes });
    const status = (id: string, to: string, change = 'set') => event('RecomputationStatusChanged', id, { status: to, change });
    const all = [requested('x', '2024-01-09T00:00:00.000Z', lists), requested('y'), requested('z'), requested('r')];
    const moves = [status('y', 'running'), status('x', 'approved'), status('z', 'done'), status('r', 'rejected')];
    const [x, y, z] = ['10', '20', '30'].map((position) => position.padStart(20, '0'));
    const inForce = (...events: readonly ReturnType<typeof event>[]) => given(...all, ...moves, ...events);
    inForce().thenCollections({
      'recomputations.in-force': {
        [`t/Critical/${x}`]: forced('x', lists),
        [`t/Critical/${y}`]: forced('y'),
        [`t/Critical/${z}`]: forced('z'),
      },
    });
    const renamed = { ...request, report: 'a/b', exclude: [] };
    inForce(
      event('RecomputationRevised', 'x', renamed),
      status('y', 'pending', 'reset'),
      event('RecomputationDeleted', 'z'),
    ).thenCollections({ 'recomputations.in-force': { [`t/a%2Fb/${x}`]: forced('x', { ...lists, exclude: [] }) } });
    inForce(status('x', 'rejected'), status('y', 'done'), status('z', 'pending')).thenCollections({
      'recomputations.in-force': { [`t/Critical/${y}`]: forced('y') },
    });
  });

  it('of a deleted tenant are ignored', () =>
    given(
      requested('x'),
      tenantDeleted('t'),
      moved('x', 'done'),
      event('RecomputationRevised', 'x', request),
      event('RecomputationDeleted', 'x'),
    ).then({}));
});
