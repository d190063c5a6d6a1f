import { describe, expect, it } from '@jest/globals';
import type { AccessEvent, OidcTenant } from '#domain/accounting/access/access-events.js';
import { access } from '#domain/accounting/access/access-rules.js';
import type { CapacityEvent } from '#domain/accounting/capacities/capacity-events.js';
import { capacities } from '#domain/accounting/capacities/capacity-rules.js';
import type { CatalogueEvent, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import type { DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import type { Limit } from '#domain/shared/limits.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { documentedLimits, limitsNamedIn } from '#test/support/documents/documented-limits.js';
import { ACCOUNTING_LIMITS, type AccountingLimitName, limitText, sizeOf } from './limits.js';

const limits: readonly (readonly [string, Limit])[] = Object.entries(ACCOUNTING_LIMITS);
const over = (name: AccountingLimitName) => ['OVER_LIMIT', { text: limitText(name) }] as const;
const times = <T>(name: AccountingLimitName, make: (index: number) => T): T[] =>
  Array.from({ length: ACCOUNTING_LIMITS[name].value }, (_, index) => make(index));
/** Close to the maximum size of a record. */
const LONG = 'x'.repeat(ACCOUNTING_LIMITS.recordSize.value - 500);
const TOO_LONG = 'x'.repeat(ACCOUNTING_LIMITS.recordSize.value);

describe('limits of the accounting service', () => {
  const documented = documentedLimits('Accounting');

  it.each(limits)('%s is in docs/limits.md with its value', (name, { value, unit }) =>
    expect(documented).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} ${unit} |`),
  );

  it('are all limits in docs/limits.md', () => expect(limitsNamedIn(documented)).toEqual(Object.keys(ACCOUNTING_LIMITS)));

  it('name their subject and value', () => {
    expect(limitText('installationsPerProject')).toBe('The project already has the maximum of 10,000 installations.');
    for (const name of Object.keys(ACCOUNTING_LIMITS) as AccountingLimitName[]) expect(limitText(name)).not.toContain('%');
  });

  it('in bytes count UTF-8', () => expect(sizeOf({ a: 'é' })).toBe(10));
});

describe('a project', () => {
  const given = deciderSpec(projectContents);
  const of = { projectId: 'p', generation: 1 };
  const content = (installation: string, infrastructure = 'i') => ({
    organisation: 'v',
    infrastructure,
    installation,
    resource: null,
    unitOfAccess: null,
  });
  const associated = (providerId: string): ProjectEvent => ({ type: 'ProviderAssociated', data: { ...of, providerId } });
  const created = (id: string, infrastructure?: string): ProjectEvent => ({
    type: 'InstallationCreated',
    data: { ...of, installationId: id, externalId: `e${id}`, creatorId: 'me', ...content(id, infrastructure) },
  });
  const create = (id: string, infrastructure?: string) =>
    ({
      type: 'CreateInstallation',
      ...of,
      installationId: id,
      externalId: `e${id}`,
      creatorId: 'me',
      content: content(id, infrastructure),
      resourceMissing: false,
      externalIdTaken: false,
    }) as const;
  const revise = (installationId: string, infrastructure: string) =>
    ({
      type: 'ReviseInstallation',
      ...of,
      installationId,
      changes: { infrastructure },
      measured: false,
      providerMissing: false,
      resourceMissing: false,
      closing: 'c',
    }) as const;

  it('has a limited number of installations; deleting one makes room', () => {
    const most = times('installationsPerProject', (index) => created(`${index}`));
    given(associated('v'), ...most)
      .when(create('more'))
      .thenRejected(...over('installationsPerProject'));
    const deleted: ProjectEvent = { type: 'InstallationDeleted', data: { ...of, installationId: '7' } };
    given(associated('v'), ...most, deleted)
      .when(create('more'))
      .then(created('more'));
  });

  it('has a limited total size of installations, counted over creations, revisions and deletions', () => {
    const each = sizeOf({ ...content('000', LONG), externalId: 'e000' });
    const count = Math.floor(ACCOUNTING_LIMITS.installationsSize.value / each);
    const full = Array.from({ length: count }, (_, index) => created(`${index}`.padStart(3, '0'), LONG));
    given(associated('v'), ...full)
      .when(create('more', LONG))
      .thenRejected(...over('installationsSize'));
    const smaller: ProjectEvent = { type: 'InstallationRevised', data: { ...of, installationId: '003', ...content('003', 's') } };
    given(associated('v'), ...full, smaller)
      .when(create('mor', LONG))
      .then(created('mor', LONG));
    given(associated('v'), ...full, smaller, created('mor', LONG))
      .when(revise('003', LONG))
      .thenRejected(...over('installationsSize'));
    const gone: ProjectEvent = { type: 'InstallationDeleted', data: { ...of, installationId: '004' } };
    given(associated('v'), ...full, gone)
      .when(create('mor', LONG))
      .then(created('mor', LONG));
  });

  it('has no oversized installation, but an existing one may shrink', () => {
    given(associated('v'))
      .when(create('a', TOO_LONG))
      .thenRejected(...over('recordSize'));
    given(associated('v'), created('a'))
      .when(revise('a', TOO_LONG))
      .thenRejected(...over('recordSize'));
    const before = created('a', `${TOO_LONG}${TOO_LONG}`);
    const after: ProjectEvent = { type: 'InstallationRevised', data: { ...of, installationId: 'a', ...content('a', TOO_LONG) } };
    const closed: ProjectEvent = { type: 'InstallationClosed', data: { ...of, installationId: 'a', closing: 'c' } };
    given(associated('v'), before, closed).when(revise('a', TOO_LONG)).then(after);
  });

  it('has a limited number of providers', () =>
    given(...times('providersPerProject', (index) => associated(`${index}`)))
      .when({ type: 'AssociateProvider', ...of, providerId: 'more' })
      .thenRejected(...over('providersPerProject')));
});

describe('the catalogue', () => {
  const given = deciderSpec(catalogue);
  const project = { acronym: 'a', title: 't', start_date: '2030-01-01', end_date: '2031-01-01', call_identifier: 'c' };
  const provider = { name: 'n', website: null, abbreviation: null, logo: null };
  const registered: readonly CatalogueEvent[] = [
    { type: 'ProjectRegistered', data: { projectId: 'p', generation: 1, creatorId: 'me', ...project } },
    { type: 'ProviderRegistered', data: { providerId: 'v', externalId: 'e', creatorId: 'me', ...provider } },
  ];

  it('has no oversized record, neither created nor grown by revisions', () => {
    given()
      .when({ type: 'RegisterProject', project: { projectId: 'p', creatorId: 'me', ...project, title: TOO_LONG }, known: false })
      .thenRejected(...over('recordSize'));
    given(...registered)
      .when({ type: 'ReviseProject', projectId: 'p', changes: { acronym: LONG, title: LONG } })
      .thenRejected(...over('recordSize'));
    given()
      .when({ type: 'RegisterProvider', provider: { providerId: 'v', externalId: TOO_LONG, creatorId: 'me', ...provider } })
      .thenRejected(...over('recordSize'));
    given(...registered)
      .when({ type: 'ReviseProvider', providerId: 'v', changes: { website: LONG, logo: LONG }, associated: false })
      .thenRejected(...over('recordSize'));
    given()
      .when({ type: 'RegisterResource', resourceId: 'r', name: TOO_LONG })
      .thenRejected(...over('recordSize'));
  });

  it('has a limited number of resources', () =>
    given(...times('resources', (index): CatalogueEvent => ({ type: 'ResourceRegistered', data: { resourceId: `${index}`, name: 'n' } })))
      .when({ type: 'RegisterResource', resourceId: 'more', name: 'n' })
      .thenRejected(...over('resources')));
});

describe('metric definitions and their types', () => {
  const given = deciderSpec(definitions);
  const definition = { metric_name: 'n', metric_description: null, unit_type: 'TB', metric_type: 'count' };
  const defined = (index: number, more: object = {}): DefinitionEvent => ({
    type: 'MetricDefinitionCreated',
    data: { definitionId: `${index}`, creatorId: 'me', ...definition, metric_name: `n${index}`, ...more },
  });
  const typed = (index: number): DefinitionEvent => ({
    type: 'UnitTypeCreated',
    data: { typeId: `${index}`, creatorId: 'me', value: `v${index}`, description: 'd' },
  });
  const createType = (kind: 'unit' | 'metric', description = 'd') =>
    ({ type: 'CreateType', kind, typeId: 'more', creatorId: 'me', value: 'more', description }) as const;

  it('are limited in number', () => {
    given(...times('metricDefinitions', (index) => defined(index)))
      .when({ type: 'CreateMetricDefinition', definitionId: 'more', creatorId: 'me', definition })
      .thenRejected(...over('metricDefinitions'));
    const types = times('addedTypes', typed);
    given(...types)
      .when(createType('unit'))
      .thenRejected(...over('addedTypes'));
    given(...types)
      .when(createType('metric'))
      .then({ type: 'MetricTypeCreated', data: { typeId: 'more', creatorId: 'me', value: 'more', description: 'd' } });
  });

  it('are limited in size', () => {
    given()
      .when({
        type: 'CreateMetricDefinition',
        definitionId: 'd',
        creatorId: 'me',
        definition: { ...definition, metric_description: TOO_LONG },
      })
      .thenRejected(...over('recordSize'));
    given(defined(1))
      .when({
        type: 'ReviseMetricDefinition',
        definitionId: '1',
        changes: { metric_name: LONG, metric_description: LONG },
        measured: false,
      })
      .thenRejected(...over('recordSize'));
    given()
      .when(createType('unit', TOO_LONG))
      .thenRejected(...over('recordSize'));
    given(typed(1))
      .when({ type: 'ReviseType', kind: 'unit', typeId: '1', changes: { value: LONG, description: LONG } })
      .thenRejected(...over('recordSize'));
  });
});

describe('the capacities of an installation', () => {
  it('are limited in number', () => {
    const capacity = (index: number) => ({
      projectId: 'p',
      installationId: 'x',
      capacityId: `${index}`,
      definitionId: 'd',
      value: '1',
      registeredOn: new Date(index * 1_000).toISOString(),
    });
    const registered = times(
      'capacitiesPerInstallation',
      (index): CapacityEvent => ({ type: 'CapacityRegistered', data: capacity(index) }),
    );
    deciderSpec(capacities)(...registered)
      .when({ type: 'RegisterCapacity', ...capacity(-1) })
      .thenRejected(...over('capacitiesPerInstallation'));
  });
});

describe('clients, entitlements and OIDC tenants', () => {
  const given = deciderSpec(access);
  const client: AccessEvent = { type: 'ClientRegistered', data: { actorId: 'a', oidcId: 'o', issuer: 'i', name: '', email: '' } };
  const entitled = (index: number): readonly AccessEvent[] => [
    { type: 'EntitlementCreated', data: { entitlementId: `${index}`, name: `n${index}` } },
    { type: 'EntitlementAssigned', data: { assignmentId: `s${index}`, entitlementId: `${index}`, actorId: 'a' } },
  ];
  const tenant = (index: number | string): OidcTenant => ({
    issuer: `issuer ${index}`,
    tenant_id: `tenant ${index}`,
    client_id: 'c',
    secret: 's',
    authorization_path: '/a',
    introspection_path: '/i',
    user_info_path: '/u',
    token_path: '/t',
    auth_server_url: 'https://a.example',
    user_id_token_claim: 'sub',
    service_id_token_claim: 'client_id',
    group_management_namespace: 'n',
    group_management_parent: 'p',
    entitlement_management: 'oidc',
  });
  const tenantCreated = (index: number): AccessEvent => ({
    type: 'OidcTenantCreated',
    data: { oidcTenantId: `${index}`, ...tenant(index) },
  });

  it('have a limited number of entitlements; removing one makes room', () => {
    const most = [client, ...times('entitlementsPerClient', entitled).flat()];
    const another: AccessEvent = { type: 'EntitlementCreated', data: { entitlementId: 'more', name: 'more' } };
    const assign = { type: 'AssignEntitlement', assignmentId: 's', entitlementId: 'more', actorId: 'a' } as const;
    given(...most, another)
      .when(assign)
      .thenRejected(...over('entitlementsPerClient'));
    const taken: AccessEvent = { type: 'EntitlementDissociated', data: { assignmentId: 's7', entitlementId: '7', actorId: 'a' } };
    given(...most, another, taken)
      .when(assign)
      .then({ type: 'EntitlementAssigned', data: { assignmentId: 's', entitlementId: 'more', actorId: 'a' } });
  });

  it('include a limited number of OIDC tenants', () =>
    given(...times('oidcTenants', tenantCreated))
      .when({ type: 'CreateOidcTenant', oidcTenantId: 'more', tenant: tenant('more') })
      .thenRejected(...over('oidcTenants')));

  it('are limited in size', () => {
    given()
      .when({ type: 'CreateEntitlement', entitlementId: 'e', name: TOO_LONG })
      .thenRejected(...over('recordSize'));
    given(...entitled(1).slice(0, 1))
      .when({ type: 'RenameEntitlement', entitlementId: '1', name: TOO_LONG })
      .thenRejected(...over('recordSize'));
    given()
      .when({ type: 'CreateOidcTenant', oidcTenantId: 't', tenant: { ...tenant(1), client_id: TOO_LONG } })
      .thenRejected(...over('recordSize'));
    given(tenantCreated(1))
      .when({ type: 'ReviseOidcTenant', oidcTenantId: '1', changes: { client_id: LONG, token_path: LONG } })
      .thenRejected(...over('recordSize'));
  });
});
