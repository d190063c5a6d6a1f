import { describe, expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { feedsProjection } from '#projections/status/feeds/projection.js';
import { metricListProjection } from '#projections/status/metric-list/projection.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { GapQueries } from './gaps.js';
import { dayListsProjection } from './projection.js';

const tenantDeleted = (tenantId: string) => ({ stream: 'status.tenants-global', type: 'TenantDeleted', data: { tenantId } }) as const;

/** Id of an event, counted from 1. */
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

describe('day lists', () => {
  const given = projectionSpec(dayListsProjection);
  const types = (tenantId: string, date: string, names: readonly string[], part = 0, parts = 1, count = names.length) =>
    ({
      stream: `status.topology_service_types-${tenantId}.${date}`,
      type: 'TopologyServiceTypesListed',
      data: { tenantId, date, count, part, parts, items: names.map((name) => ({ name, title: 'T', description: '' })) },
    }) as const;
  const deleted = (tenantId: string, date: string) =>
    ({
      stream: `status.topology_service_types-${tenantId}.${date}`,
      type: 'TopologyServiceTypesDeleted',
      data: { tenantId, date, count: 1 },
    }) as const;
  const item = (date: string, name: string) => ({ date, name, title: 'T', description: '' });

  it('store the parts of each day, and show the day when its last part is stored', () => {
    const parts = [types('t', '2024-01-01', ['a', 'b'], 0, 2, 3), types('t', '2024-01-01', ['c'], 1, 2, 3)];
    given(...parts.slice(0, 1)).thenCollections({ 'topology_service_types.days': {} });
    given(...parts).then({
      'topology_service_types.days': { 't/2024-01-01': { parts: 2, count: 3, event: idOf(2) } },
      topology_service_types: {
        't/2024-01-01/000000': [item('2024-01-01', 'a'), item('2024-01-01', 'b')],
        't/2024-01-01/000001': [item('2024-01-01', 'c')],
      },
    });
  });

  it('do not include parts of an unfinished upload', () =>
    given(
      types('t', '2024-01-01', ['a'], 0, 3, 3),
      types('t', '2024-01-01', ['b'], 1, 3, 3),
      types('t', '2024-01-01', ['c']),
      types('t', '2024-01-02', ['d'], 0, 2, 1),
      types('t', '2024-01-02', []),
    ).then({
      'topology_service_types.days': {
        't/2024-01-01': { parts: 1, count: 1, event: idOf(3) },
        't/2024-01-02': { parts: 0, count: 0, event: idOf(5) },
      },
      topology_service_types: { 't/2024-01-01/000000': [item('2024-01-01', 'c')] },
    }));

  it('are stored in the format of answers', () => {
    const text = (name: string) => `{\n   "date": "2024-01-01",\n   "name": "${name}",\n   "title": "T",\n   "description": ""\n  }`;
    given(types('t', '2024-01-01', ['a', '<b>'])).thenText(
      'topology_service_types',
      't/2024-01-01/000000',
      `${text('a')},\n  ${text('\\u003cb\\u003e')}`,
    );
    const downtime = { hostname: 'h', service: 's', start_time: '', end_time: '' };
    const data = { tenantId: 't', date: '2024-01-01', count: 1, part: 0, parts: 1, items: [downtime] };
    const stored = '{\n     "hostname": "h",\n     "service": "s",\n     "start_time": "",\n     "end_time": ""\n    }';
    given({ stream: 'status.downtimes-t.2024-01-01', type: 'DowntimesListed', data }).thenText('downtimes', 't/2024-01-01/000000', stored);
  });

  it('need no part if they are empty', () =>
    given(types('t', '2024-01-01', [])).then({
      'topology_service_types.days': { 't/2024-01-01': { parts: 0, count: 0, event: idOf(1) } },
    }));

  it('are removed when they are deleted, without affecting other days', () =>
    given(
      types('t', '2024-01-01', ['a']),
      types('t', '2024-01-02', ['b']),
      deleted('t', '2024-01-01'),
      types('t', '2024-01-03', ['c']),
      deleted('t', '2024-01-03'),
      types('t', '2024-01-03', ['d']),
    ).then({
      'topology_service_types.days': {
        't/2024-01-02': { parts: 1, count: 1, event: idOf(2) },
        't/2024-01-03': { parts: 1, count: 1, event: idOf(6) },
      },
      topology_service_types: {
        't/2024-01-02/000000': [item('2024-01-02', 'b')],
        't/2024-01-03/000000': [item('2024-01-03', 'd')],
      },
    }));

  it('are removed with their tenant', () =>
    given(types('t', '2024-01-01', ['a']), types('tt', '2024-01-01', ['b']), tenantDeleted('t')).then({
      'topology_service_types.days': { 'tt/2024-01-01': { parts: 1, count: 1, event: idOf(2) } },
      topology_service_types: { 'tt/2024-01-01/000000': [item('2024-01-01', 'b')] },
    }));
});

describe('feeds', () => {
  const given = projectionSpec(feedsProjection);
  const weights = (tenantId: string, type: string) =>
    ({
      stream: `status.feeds-${tenantId}.weights`,
      type: 'FeedReplaced',
      data: { tenantId, kind: 'weights', feed: { type, feed_url: 'u', weight_type: 'w', group_type: 'g' } },
    }) as const;

  it('store the newest one of each kind and tenant, and remove those of a deleted tenant', () => {
    const feed = { feed_url: 'u', weight_type: 'w', group_type: 'g' };
    given(weights('t', 'a'), weights('t', 'b'), weights('u', 'c')).then({
      feeds: { 't/weights': { type: 'b', ...feed }, 'u/weights': { type: 'c', ...feed } },
    });
    given(weights('t', 'a'), weights('u', 'c'), tenantDeleted('t')).then({ feeds: { 'u/weights': { type: 'c', ...feed } } });
  });
});

describe('metric list', () => {
  const given = projectionSpec(metricListProjection);
  const replaced = (...metrics: readonly object[]) =>
    ({ stream: 'status.metrics-global', type: 'MetricListReplaced', data: { metrics } }) as const;

  it('is one document, or none if it is empty', () => {
    const metric = { name: 'm', tags: ['a'] };
    given(replaced({ name: 'x', tags: [] }), replaced(metric, metric)).then({ metrics: { global: [metric, metric] } });
    given(replaced(metric), replaced()).then({});
    expect(metricListProjection.categories).toEqual(['status.metrics']);
  });
});

it('Documents of gaps of a version before 7 hold no look back', async () => {
  const view = { get: async () => Buffer.from('{"begun":3,"open":[]}'), range: async () => [] };
  const gaps = new GapQueries({ view: () => view } as unknown as ReadStore);
  const look = await gaps.begin('t', { from: '2024-01-01', to: '2024-01-02' }, Date.parse('2024-01-02T12:00:00Z'));
  expect(look).toMatchObject({ number: 3 });
  expect(look && (await gaps.holds(look))).toBe(true);
});
