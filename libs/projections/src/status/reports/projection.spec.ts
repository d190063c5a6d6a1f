import { describe, expect, it } from '@jest/globals';
import type { Report } from '#domain/status/reports/reports.js';
import { wireText } from '#projections/status/layout.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { reportCollections } from './documents.js';
import { reportsProjection, schemaTypes } from './projection.js';

const given = projectionSpec(reportsProjection);

const report = (name: string, changes: Partial<Report> = {}): Report => ({
  name,
  description: 'd <&>',
  weight: '',
  disabled: false,
  computations: { ar: true, status: false, trends: [] },
  topology_schema: '{"group":{"type":"A","2":1.0,"1":[]}}',
  profiles: [{ id: 'p', name: 'profile', type: 'metric' }],
  filter_tags: [{ name: 'n', value: 'v', context: '' }],
  ...changes,
});
const thresholds = { availability: 80, reliability: 85.5, uptime: 80, unknown: 10, downtime: 0 };
const of = (tenant: string) => ({ stream: `status.reports-${tenant}` });
const at = (time: string) => ({ metadata: { time } });
const created = (tenant: string, id: string, one: Report) => ({ ...of(tenant), type: 'ReportCreated', data: { id, report: one } }) as const;
const revised = (tenant: string, id: string, one: Report) => ({ ...of(tenant), type: 'ReportRevised', data: { id, report: one } }) as const;
const deleted = (tenant: string, id: string) => ({ ...of(tenant), type: 'ReportDeleted', data: { id } }) as const;
const tenantDeleted = (tenantId: string) =>
  ({ stream: 'status.tenants-global', type: 'TenantDeleted', data: { tenantId, userIds: [] } }) as const;
const named = (id: string, { profiles, filter_tags, computations, disabled }: Report) => ({
  id,
  types: ['A'],
  profiles,
  filter_tags,
  computations,
  disabled,
});

/** The head, then the record in the format of answers, without id and tenant. */
const text = (id: string, one: Report, created: string, updated: string) => {
  const { name, description, weight, topology_schema: _schema, disabled, computations, thresholds, profiles, filter_tags } = one;
  const info = { name, description, created, updated };
  const first = { ...(weight ? { weight } : {}), disabled, info, computations, ...(thresholds ? { thresholds } : {}) };
  const schema = '{\n    "group": {\n     "type": "A",\n     "2": 1.0,\n     "1": []\n    }\n   }';
  const record = wireText({ ...first, topology_schema: 'SCHEMA', profiles, filter_tags }, 2).replace('"SCHEMA"', schema);
  return `${JSON.stringify({ id, name, created })}\n${record.slice(1)}`;
};

describe('reports', () => {
  it('are stored in the format of answers, without their tenant, after a line for later events', () => {
    const one = report('a');
    const full = report('a', { weight: 'w', disabled: true, thresholds });
    given(created('t-1', 'x', one)).thenText('reports', 't-1/x', text('x', one, '2024-01-02 03:04:05', '2024-01-02 03:04:05'));
    given(created('t-1', 'x', full)).thenText('reports', 't-1/x', text('x', full, '2024-01-02 03:04:05', '2024-01-02 03:04:05'));
  });

  it('keep the time of their creation when they are replaced', () => {
    const one = report('b');
    given(
      { ...created('t', 'x', report('a', { thresholds, weight: 'w' })), ...at('2024-01-01T00:00:01.000Z') },
      { ...revised('t', 'x', report('c')), ...at('2024-01-01T12:00:00.000Z') },
      { ...revised('t', 'x', one), ...at('2024-02-01T12:34:56.789Z') },
    ).thenText('reports', 't/x', text('x', one, '2024-01-01 00:00:01', '2024-02-01 12:34:56'));
  });

  it('have the types of a schema of any depth', () => {
    expect(schemaTypes({ group: { type: 'PROJECT', group: { type: 'SITES' } } })).toEqual(['PROJECT', 'SITES']);
    expect(schemaTypes({})).toEqual([]);
    expect(schemaTypes({ group: { type: 5, group: { type: 'X', group: [] } } })).toEqual(['', 'X']);
  });

  it('are found by their current name', () =>
    given(
      created('t', 'x', report('a/b')),
      created('t', 'y', report('gone')),
      created('t2', 'z', report('a/b')),
      revised('t', 'x', report('c')),
      deleted('t', 'y'),
    ).thenCollections({
      'reports.by-name': {
        't/c': named('x', report('c')),
        [reportCollections.byName.key({ tenantId: 't2', name: 'a/b' })]: named('z', report('a/b')),
      },
    }));

  it('may take the former name of another report', () =>
    given(
      created('t', 'x', report('a')),
      revised('t', 'x', report('b')),
      created('t', 'y', report('a')),
      revised('t', 'x', report('c')),
      deleted('t', 'x'),
    ).thenCollections({ 'reports.by-name': { 't/a': named('y', report('a')) } }));

  it('are removed when they or their tenant are deleted', () => {
    given(created('t', 'x', report('a')), deleted('t', 'x')).then({});
    given(created('t', 'x', report('a')), created('t', 'y', report('b')), tenantDeleted('t')).then({});
    given(created('t', 'x', report('a')), created('t1', 'y', report('b')), tenantDeleted('t')).thenCollections({
      'reports.by-name': { 't1/b': named('y', report('b')) },
    });
  });

  it('of a deleted tenant are ignored', () =>
    given(created('t', 'x', report('a')), tenantDeleted('t'), revised('t', 'x', report('b')), deleted('t', 'x')).then({}));
});
