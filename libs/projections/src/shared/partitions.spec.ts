import { describe, expect, it } from '@jest/globals';
import { accessCollections } from '#projections/accounting/access/documents.js';
import { catalogueCollections } from '#projections/accounting/catalogue/documents.js';
import { countCollections } from '#projections/accounting/counts/documents.js';
import { definitionCollections } from '#projections/accounting/definitions/projection.js';
import { accountingProjections } from '#projections/accounting/index.js';
import { metricsCollections } from '#projections/accounting/usage-projection.js';
import { accountCollections } from '#projections/messaging/accounts/documents.js';
import { messagingProjections } from '#projections/messaging/index.js';
import { resourceCollections } from '#projections/messaging/resources/documents.js';
import { operationsProjections } from '#projections/operations/index.js';
import { statusProjections } from '#projections/status/index.js';
import { METRIC_LIST } from '#projections/status/metric-list/documents.js';
import { resultCollections } from '#projections/status/metric-results/documents.js';
import { recomputationCollections } from '#projections/status/recomputations/documents.js';
import { reportCollections } from '#projections/status/reports/documents.js';
import { tenantCollections } from '#projections/status/tenants/documents.js';
import { partitionOf } from './partitions.js';
import type { Projection } from './projection.js';

const all: readonly Projection[] = [...operationsProjections, ...messagingProjections, ...accountingProjections, ...statusProjections];
const namesOf = (collections: Readonly<Record<string, Readonly<{ name: string }>>>): readonly string[] =>
  Object.values(collections).map(({ name }) => name);
const ofEvent = (projection: string, event: { stream: string; type?: string; data: object }): readonly string[] =>
  all.find(({ name }) => name === projection)?.partitions.ofEvent({ type: 'Any', ...event }) ?? ['no such projection'];

describe('partitions', () => {
  const collections: readonly (readonly [string, readonly string[]])[] = [
    ['ops.keys', ['keys', 'by-hash']],
    ['messaging.accounts', accountCollections.map((one) => one.name)],
    ['messaging.resources', resourceCollections.map((one) => one.name)],
    // The days of a topic are found through the topics of a project.
    ['messaging.counters', ['topics', 'project-days', 'names', 'subscriptions', 'projects.deleted', 'deduplicated', 'deduplicated.turns']],
    ['accounting.access', accessCollections.map((one) => one.name)],
    ['accounting.catalogue', catalogueCollections.map((one) => one.name)],
    ['accounting.counts', countCollections.map((one) => one.name)],
    ['accounting.definitions', definitionCollections.map((one) => one.name)],
    ['accounting.metrics', metricsCollections.map((one) => one.name)],
    ['status.tenants', namesOf(tenantCollections)],
    ['status.reports', namesOf(reportCollections)],
    ['status.results', namesOf(resultCollections)],
    ['status.recomputations', namesOf(recomputationCollections)],
  ];
  it.each(collections)('have an owner for every collection of %s', (name, named) => {
    const { owners = {} } = all.find((projection) => projection.name === name)?.partitions ?? {};
    expect(Object.keys(owners).sort()).toEqual([...named].sort());
  });

  it.each([
    ['status.tenants', { stream: 'status.tenants-global', data: { tenantId: 't', userId: 'u' } }, ['tenant:t']],
    ['status.reports', { stream: 'status.reports-t', data: {} }, ['tenant:t']],
    ['status.reports', { stream: 'status.tenants-global', data: { tenantId: 't' } }, ['tenant:t']],
    ['status.dated-records', { stream: 'status.weights-0-1', data: { id: 'w' } }, ['tenant:0-1']],
    ['status.day-lists', { stream: 'status.downtimes-0-1.2024-01-02', data: {} }, ['tenant:0-1']],
    ['status.results', { stream: 'status.metric_data-0-1.host.example.org', data: {} }, ['tenant:0-1']],
    ['status.feeds', { stream: 'status.feeds-0-1.data', data: {} }, ['tenant:0-1']],
    ['messaging.resources', { stream: 'messaging.resources-0-1', data: {} }, ['project:0-1']],
    ['messaging.accounts', { stream: 'messaging.accounts-global', data: { userId: 'u', projectId: 'p' } }, ['user:u']],
    ['messaging.accounts', { stream: 'messaging.accounts-global', data: { registrationId: 'r', userId: 'u' } }, ['registration:r']],
    ['messaging.counters', { stream: 'messaging.messages-t', data: { projectId: 'p' } }, ['project:p']],
    [
      'accounting.catalogue',
      { stream: 'accounting.catalogue-global', data: { providerId: 'a', newId: 'b' } },
      ['provider:a', 'provider:b'],
    ],
    ['accounting.catalogue', { stream: 'accounting.catalogue-global', data: { providerId: 'a', newId: 'a' } }, ['provider:a']],
    ['accounting.catalogue', { stream: 'accounting.project-p', data: { projectId: 'p/q', providerId: 'a' } }, ['project:p%2Fq']],
    ['accounting.metrics', { stream: 'accounting.metric-m', data: { projectId: 'p' } }, ['project:p']],
    ['accounting.access', { stream: 'accounting.access-global', data: { key: 'K', value: 'v' } }, ['settings']],
    ['ops.keys', { stream: 'ops.keys-global', data: { keyId: 'k' } }, ['key:k']],
  ])('%s: %j belongs to %j', (projection, event, expected) => expect(ofEvent(projection, event)).toEqual(expected));

  /** These have a single partition. */
  const whole = [METRIC_LIST, 'status.health'];

  it.each(all.map(({ name }) => name).filter((name) => !whole.includes(name)))(
    'are those of streams if the data contains no id: %s',
    (name) => {
      for (const data of [{}, [], { tenantId: 7, projectId: null, userId: {}, keyId: '' }, { ['__proto__']: { tenantId: 't' } }])
        expect(ofEvent(name, { stream: 'somewhere.else-1', data })).toEqual(['stream:somewhere.else-1']);
    },
  );

  it('have short names that fit into a path, for any id', () => {
    expect(partitionOf('project', 'a/b')).toBe('project:a%2Fb');
    expect(partitionOf('project', 'x'.repeat(100_000))).toMatch(/^project:%-[0-9a-f]{64}$/);
    expect(partitionOf('project', '')).toBeUndefined();
  });
});
