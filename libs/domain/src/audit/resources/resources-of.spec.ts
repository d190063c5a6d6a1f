import { describe, expect, it } from '@jest/globals';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { none } from '#domain/shared/resource-change.js';
import { statusCatalogues } from '#domain/status/index.js';
import { resourcesOf, resourceTermsOf } from './resources-of.js';

const eventOf = (stream: string, type: string, data: JsonObject): RecordedEvent => ({
  stream,
  type,
  data,
  id: '6f0c2f3e-0000-4000-8000-000000000001',
  revision: 0n,
  position: 1n,
  recordedAt: 0,
  metadata: {
    time: '2024-01-01T00:00:00.000Z',
    actor: { kind: 'system', id: 'test' },
    service: 'ops',
    requestId: 'r',
    correlationId: 'c',
    causationId: 'c',
    schemaVersion: 1,
  },
});

/** Kinds of dated records as the status service names them. */
const DATED_KINDS = ['operations_profiles', 'metric_profiles', 'aggregation_profiles', 'thresholds_profiles', 'weights'];

describe('The records that events change', () => {
  it('are said with every event of a union', () => {
    type Lamp = Readonly<{ type: 'LampLit' | 'LampPutOut'; data: object }>;
    // @ts-expect-error: `LampPutOut` has no row
    const incomplete: CatalogueOf<Lamp> = { LampLit: { resource: none } };
    // @ts-expect-error: nothing is said of the record of `LampPutOut`
    const silent: CatalogueOf<Lamp> = { LampLit: { resource: none }, LampPutOut: {} };
    expect([incomplete, silent].flatMap((rows) => Object.keys(rows))).toHaveLength(3);
  });

  it('are in the scope of their project or tenant where the id needs it', () => {
    const topic = eventOf('messaging.resources-p1', 'TopicCreated', { topicId: 't1', name: 'news', schemaId: null });
    const project = { service: 'messaging', kind: 'project', id: 'p1' };
    expect(resourcesOf(topic)).toEqual([{ service: 'messaging', kind: 'topic', id: 't1', scope: 'p1', name: 'news', owners: [project] }]);
    expect(resourceTermsOf(topic)).toEqual(['id/messaging/topic/p1/t1', 'name/messaging/topic/p1/news']);
  });

  it('are deleted with their owners, which have a term of their own for that', () => {
    const deleted = eventOf('messaging.accounts-global', 'ProjectDeleted', { projectId: 'p1' });
    expect(resourceTermsOf(deleted)).toEqual(['id/messaging/project//p1', 'end/messaging/project//p1']);
  });

  it('are both of a provider whose id is changed', () => {
    const revised = eventOf('accounting.catalogue-global', 'ProviderRevised', { providerId: 'a', newId: 'b', name: 'n' });
    expect(resourceTermsOf(revised)).toEqual(['id/accounting/provider//a', 'end/accounting/provider//a', 'id/accounting/provider//b']);
    const kept = eventOf('accounting.catalogue-global', 'ProviderRevised', { providerId: 'a', newId: 'a', name: 'n' });
    expect(resourcesOf(kept).map(({ id }) => id)).toEqual(['a']);
  });

  it('are lists of a day with their last part only', () => {
    const part = (part: number) =>
      eventOf('status.downtimes-t.2024-01-15', 'DowntimesListed', { tenantId: 't', date: '2024-01-15', part, parts: 2, items: [] });
    const type = Object.keys(statusCatalogues['status.downtimes'] ?? {})[0] ?? '';
    const listed = (index: number) => resourcesOf({ ...part(index), type });
    expect(listed(0)).toEqual([]);
    const owners = [{ service: 'status', kind: 'tenant', id: 't' }];
    expect(listed(1)).toEqual([{ service: 'status', kind: 'downtimes', id: '2024-01-15', scope: 't', owners }]);
  });

  it('are the user and, beside, its tenant; only the user ends', () => {
    const terms = (type: string) => resourceTermsOf(eventOf('status.tenants-global', type, { tenantId: 't', userId: 'u' }));
    for (const type of ['TenantUserAdded', 'TenantUserRevised', 'TenantUserKeyRenewed'])
      expect([type, terms(type)]).toEqual([type, ['id/status/user//u', 'beside/status/tenant//t']]);
    expect(terms('TenantUserRemoved')).toEqual(['id/status/user//u', 'end/status/user//u', 'beside/status/tenant//t']);
    expect(terms('TenantDeleted')).toEqual(['id/status/tenant//t', 'end/status/tenant//t']);
  });

  it('are the report of the node and the one that was it before', () => {
    const chosen = (data: JsonObject) => resourcesOf(eventOf('status.reports-t', 'NodeReportChosen', data)).map(({ id }) => id);
    expect(chosen({ id: 'r', formerId: 'q' })).toEqual(['r', 'q']);
    expect(chosen({ id: 'r' })).toEqual(['r']);
  });

  it('are dated records under the names of one of them', () => {
    const kinds = DATED_KINDS.map((kind) => {
      const category = `status.${kind}`;
      const [type = ''] = Object.keys(statusCatalogues[category] ?? {});
      return resourcesOf(eventOf(`${category}-t`, type, { id: 'r' }))[0]?.kind;
    });
    expect(kinds).toEqual(['operations_profile', 'metric_profile', 'aggregation_profile', 'thresholds_profile', 'weights']);
  });

  it('have terms that cannot be taken for those of another record', () => {
    const key = eventOf('ops.keys-global', 'AccessKeyIssued', { keyId: 'a/b\ud800' });
    expect(resourceTermsOf(key)).toEqual(['id/ops/key//a%2Fb%EF%BF%BD']);
  });

  it('are none for types that no catalogue of a service has', () => {
    expect(resourcesOf(eventOf('status.tenants-global', 'toString', {}))).toEqual([]);
    expect(resourcesOf(eventOf('ops.audit-global', 'AsOfRead', {}))).toEqual([]);
  });
});
