import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { access } from '#domain/accounting/access/access-rules.js';
import { capacities } from '#domain/accounting/capacities/capacity-rules.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import { resources } from '#domain/messaging/resources/resources.js';
import { accessKeys } from '#domain/operations/access-keys.js';
import { certificates } from '#domain/operations/certificates.js';
import { erasures } from '#domain/operations/erasures.js';
import { projectionOperation } from '#domain/operations/projection-operations.js';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { reports } from '#domain/status/reports/reports.js';
import { tenants } from '#domain/status/tenants/tenant-rules.js';
import { linesOf, stateOf, textOf } from './state-text.js';

/** Replaces data that the log seals. */
const SEALED = 'sealed in the log';

type Sample = Readonly<{
  decider: Pick<Decider<unknown, unknown, DomainEvent>, 'initialState' | 'evolve' | 'snapshots'>;
  events: readonly (readonly [type: string, data: object])[];
  /** Digest of the text of the state after these events. */
  digest: string;
  /** Subjects with sealed data in that state. */
  subjects?: readonly string[];
}>;

const profile = { firstName: SEALED, lastName: '', organization: '', email: '', description: 'd' };
const push = { type: 'http_endpoint', pushEndpoint: SEALED, authorization: { type: 'autogen', value: SEALED } };
const installation = { organisation: 'p', infrastructure: 'i', installation: 'n', resource: null, unitOfAccess: 'd' };
const ofProject = { projectId: 'p1', generation: 1 };
const report = {
  name: 'R',
  description: '',
  weight: '',
  disabled: false,
  computations: { ar: true, status: true, trends: [] },
  topology_schema: '{"level":"g"}',
  profiles: [],
  filter_tags: [],
};

/** One sample per decider with stored states. Every kind of member of the state should have a value. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  accounts: {
    decider: accounts,
    events: [
      ['ProjectCreated', { projectId: 'p1', name: 'one', description: 'd', createdBy: null }],
      [
        'UserCreated',
        { userId: 'u1', name: 'ada', ...profile, serviceRoles: [], memberships: [{ projectId: 'p1', roles: ['publisher'] }] },
      ],
      [
        'UserCreated',
        {
          userId: 'u2',
          name: 'bob',
          ...profile,
          firstName: null,
          serviceRoles: ['service_admin'],
          memberships: [],
          component: 'monbox',
          componentProject: 'one',
        },
      ],
      ['RegistrationSubmitted', { registrationId: 'r1', name: 'eve', ...profile }],
      ['RegistrationDeclined', { registrationId: 'r1', comment: '', by: null }],
    ],
    digest: '2 e0c9833db9ca6e1b',
    subjects: ['user-u1', 'registration-r1'],
  },
  resources: {
    decider: resources,
    events: [
      ['SchemaCreated', { schemaId: 's1', name: 'schema', type: 'json', document: { a: ['m', { b: 1 }] } }],
      ['TopicCreated', { topicId: 't1', name: 'topic', schemaId: 's1' }],
      ['TopicAclReplaced', { topicId: 't1', users: ['u1', 'u2'] }],
      [
        'SubscriptionCreated',
        { subscriptionId: 'b1', name: 'sub', topic: 'topic', startOffset: 3, topicId: 't1', ackDeadlineSeconds: 10, push },
      ],
      [
        'SubscriptionCreated',
        { subscriptionId: 'b2', name: 'other', topic: 'topic', startOffset: 0, topicId: 't1', ackDeadlineSeconds: 10, push: null },
      ],
    ],
    digest: '2 8d08539082aaaf94',
    subjects: ['subscription-b1'],
  },
  project: {
    decider: projectContents,
    events: [
      ['ProviderAssociated', { ...ofProject, providerId: 'p' }],
      ['InstallationCreated', { ...ofProject, installationId: 'i1', externalId: 'x', creatorId: 'c', ...installation }],
    ],
    digest: '3 b1d1af88871bf756',
  },
  definitions: {
    decider: definitions,
    events: [
      ['UnitTypeCreated', { typeId: 't1', creatorId: 'c', value: 'TB/day', description: '' }],
      [
        'MetricDefinitionCreated',
        { definitionId: 'd1', creatorId: 'c', metric_name: 'cpu', metric_description: '', unit_type: 'TB/day', metric_type: 'count' },
      ],
    ],
    digest: '4 08d47fb9b1c706ee',
  },
  catalogue: {
    decider: catalogue,
    events: [
      [
        'ProjectRegistered',
        { projectId: 'p1', generation: 1, creatorId: 'c', acronym: 'A', title: 't', start_date: '', end_date: '', call_identifier: '' },
      ],
      ['ProviderRegistered', { providerId: 'v1', externalId: 'x', creatorId: 'c', name: 'V', website: '', abbreviation: '', logo: '' }],
      ['CatalogueProviderImported', { providerId: 'v2', name: 'V', website: '', abbreviation: '', logo: '' }],
      ['ResourceRegistered', { resourceId: 'r1', name: 'r' }],
    ],
    digest: '2 4f0d4705809dde6a',
  },
  capacities: {
    decider: capacities,
    events: [
      [
        'CapacityRegistered',
        { projectId: 'p1', installationId: 'i1', capacityId: 'c1', definitionId: 'd1', value: '1.5', registeredOn: '2024-01-01T00:00:00Z' },
      ],
    ],
    digest: '1 240f10c3b9635f09',
  },
  access: {
    decider: access,
    events: [
      ['ClientRegistered', { actorId: 'a1', oidcId: 'o', issuer: 'i', name: SEALED, email: SEALED }],
      ['EntitlementCreated', { entitlementId: 'e1', name: 'urn:e' }],
      ['EntitlementAssigned', { assignmentId: 's1', entitlementId: 'e1', actorId: 'a1' }],
      ['OidcTenantCreated', { oidcTenantId: 'o1', issuer: 'https://a', tenant_id: 't', client_id: 'c', secret: SEALED }],
      ['OidcTenantCreated', { oidcTenantId: 'o2', issuer: 'https://b', tenant_id: 'u', client_id: 'c', secret: null }],
      ['SettingChanged', { key: 'k', value: 'v' }],
    ],
    digest: '2 12d469386db270de',
    subjects: ['oidc-tenant-o1'],
  },
  'access-keys': {
    decider: accessKeys,
    events: [
      ['AccessKeyIssued', { keyId: 'k1', service: 'ops', roles: ['operator'], name: 'n', keyHash: 'h1' }],
      ['AccessKeyIssued', { keyId: 'k2', service: 'ops', roles: ['auditor'], name: 'n', keyHash: 'h2' }],
      ['AccessKeyRevoked', { keyId: 'k2' }],
    ],
    digest: '1 c93e158e171f9b9f',
  },
  certificates: {
    decider: certificates,
    events: [
      ['CertificateBound', { bindingId: 'b1', projectId: 'p1', userId: 'u1', subject: SEALED, subjectHash: 'h1' }],
      ['CertificateBound', { bindingId: 'b2', projectId: 'p1', userId: 'u2', subject: SEALED, subjectHash: 'h2' }],
      ['CertificateReleased', { bindingId: 'b2' }],
    ],
    digest: '1 cb558f3cb378c839',
  },
  erasures: { decider: erasures, events: [['SubjectErased', { erasureId: 'e', subject: 'user-u1' }]], digest: '1 fa0d95b7fb0b10f1' },
  'projection-operations': {
    decider: projectionOperation,
    events: [['ProjectionEventSkipped', { projection: 'p', partition: 'x', eventId: 'e1', position: '5', eventType: 't', reason: 'r' }]],
    digest: '1 9a18daa9b5ab8fd2',
  },
  'dated-records': {
    decider: weights.decider,
    events: [
      [
        'WeightsSnapshotDated',
        { id: 'w1', date: '2024-01-01', change: 'created', record: { name: 'one', weight_type: 'h', group_type: 'S', groups: [] } },
      ],
      [
        'WeightsSnapshotDated',
        { id: 'w1', date: '2024-02-01', change: 'added', record: { name: 'two', weight_type: 'h', group_type: 'S', groups: [] } },
      ],
      [
        'WeightsSnapshotDated',
        { id: 'w1', date: '2024-03-01', change: 'added', record: { name: 'two', weight_type: 'h', group_type: 'S', groups: [] } },
      ],
      [
        'WeightsSnapshotDated',
        { id: 'w2', date: '2024-01-01', change: 'created', record: { name: 'three', weight_type: 'h', group_type: 'S', groups: [] } },
      ],
    ],
    digest: '3 d41d0bd901f1674c',
  },
  reports: {
    decider: reports,
    events: [
      ['ReportCreated', { id: 'r1', report }],
      ['NodeReportChosen', { id: 'r1' }],
    ],
    digest: '2 e7755e9778f80b2f',
  },
  tenants: {
    decider: tenants,
    events: [
      [
        'TenantRegistered',
        {
          tenantId: 't1',
          name: 'T',
          email: SEALED,
          description: '',
          image: '',
          website: '',
          databases: [],
          topology: { type: 'GOCDB', feed: SEALED },
        },
      ],
      [
        'TenantUserAdded',
        { tenantId: 't1', userId: 'u1', name: SEALED, email: SEALED, apiKey: SEALED, apiKeyHash: 'h1', roles: ['admin'] },
      ],
      ['TenantUserAdded', { tenantId: 't1', userId: 'u2', name: null, email: null, apiKey: null, apiKeyHash: 'h2', roles: [] }],
    ],
    digest: '3 0127cd24a77caf18',
    subjects: ['user-u1'],
  },
};

const stateAfter = ({ decider, events }: Sample): unknown =>
  events.reduce<unknown>(
    (state, [type, data]) => decider.evolve(state, { type, data: JSON.parse(JSON.stringify(data)) }),
    decider.initialState(),
  );

describe.each(Object.entries(SAMPLES))('the kept state of %s', (name, sample) => {
  const rule = sample.decider.snapshots;
  const saved = (): unknown => (rule?.save ? rule.save(stateAfter(sample)) : stateAfter(sample));

  it('is the state again, and can be changed like it', async () => {
    const copy = await stateOf(await textOf(saved()));
    const restored = rule?.restore ? rule.restore(copy) : copy;
    expect(restored).toEqual(stateAfter(sample));
    const again = { ...sample, decider: { ...sample.decider, initialState: () => restored } };
    const twice = { ...sample, events: [...sample.events, ...sample.events] };
    expect(stateAfter(again)).toEqual(stateAfter(twice));
  });

  it('holds sealed data of the subjects only that it names', () => {
    expect(rule?.name).toBe(name);
    const text = [...linesOf(saved())].join('\n');
    expect([...(rule?.subjects?.(stateAfter(sample)) ?? [])]).toEqual(sample.subjects ?? []);
    expect(text.includes(SEALED)).toBe(sample.subjects !== undefined);
  });

  it('is of the form that its version stands for: if not, raise the version of its snapshots, and take over the digest', () => {
    const found = `${rule?.version} ${hash('sha256', [...linesOf(saved())].join('\n'), 'hex').slice(0, 16)}`;
    expect(found).toBe(sample.digest);
  });
});

it('there is a sample of every decider whose states are kept', () => {
  const domain = join('libs', 'domain', 'src');
  const files = readdirSync(domain, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!spec)\.ts$/.test(file));
  const kept = files.flatMap((file) =>
    [...readFileSync(join(domain, file), 'utf8').matchAll(/snapshots: \{\s*name: '([^']+)'/g)].map(([, name]) => name),
  );
  expect(kept.sort()).toEqual(Object.keys(SAMPLES).sort());
});
