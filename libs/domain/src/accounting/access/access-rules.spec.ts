import { describe, expect, it } from '@jest/globals';
import { dayMade, objectId, storedObjectId } from '#domain/accounting/object-id.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type AccessEvent, accessEvents, type OidcTenant } from './access-events.js';
import { access } from './access-rules.js';
import { actorIdOf } from './clients.js';

const given = deciderSpec(access);

const registered = (actorId: string): AccessEvent => ({
  type: 'ClientRegistered',
  data: { actorId, oidcId: `oidc-${actorId}`, issuer: 'i', name: 'n', email: 'e' },
});
const created = (entitlementId: string, name = `name ${entitlementId}`): AccessEvent => ({
  type: 'EntitlementCreated',
  data: { entitlementId, name },
});
const assigned = (entitlementId: string, actorId: string): AccessEvent => ({
  type: 'EntitlementAssigned',
  data: { assignmentId: `${entitlementId}-${actorId}`, entitlementId, actorId },
});
const dissociated = (entitlementId: string, actorId: string): AccessEvent => ({
  type: 'EntitlementDissociated',
  data: { assignmentId: `${entitlementId}-${actorId}`, entitlementId, actorId },
});
const deleted = (entitlementId: string): AccessEvent => ({ type: 'EntitlementDeleted', data: { entitlementId } });

describe('clients', () => {
  const command = { type: 'RegisterClient', actorId: 'a', oidcId: 'oidc-a', issuer: 'i', name: 'n', email: 'e' } as const;

  it('are registered', () => given().when(command).then(registered('a')));
  it('are registered once, even if their name or email changes later', () =>
    given(registered('a'))
      .when({ ...command, name: 'new', email: 'new' })
      .then());
  it('are registered once, even if their id is not the derived one', () => {
    const broughtOver: AccessEvent = {
      ...registered('of-the-original'),
      data: { ...registered('x').data, actorId: 'of-the-original' },
    } as AccessEvent;
    const own = actorIdOf('i', 'oidc-x');
    given(broughtOver)
      .when({ ...command, actorId: own, oidcId: 'oidc-x' })
      .then();
    given({ ...registered('x'), data: { ...registered('x').data, actorId: own } } as AccessEvent)
      .when({ ...command, actorId: 'of-the-original', oidcId: 'oidc-x' })
      .then();
  });
  it('have an id derived from issuer and subject', () => {
    expect(actorIdOf('i', 'a')).toMatch(/^[0-9a-f]{24}$/);
    expect(actorIdOf('i', 'a')).toBe(actorIdOf('i', 'a'));
    expect(new Set([actorIdOf('i', 'a'), actorIdOf('ia', ''), actorIdOf('', 'ia'), actorIdOf('i', 'b')]).size).toBe(4);
  });
});

describe('entitlements', () => {
  const create = (name: string) => ({ type: 'CreateEntitlement', entitlementId: '1', name }) as const;
  const rename = (entitlementId: string, name: string) => ({ type: 'RenameEntitlement', entitlementId, name }) as const;
  const remove = { type: 'DeleteEntitlement', entitlementId: '1' } as const;
  const assign = (entitlementId: string, actorId: string) =>
    ({ type: 'AssignEntitlement', assignmentId: `${entitlementId}-${actorId}`, entitlementId, actorId }) as const;
  const dissociate = (entitlementId: string, actorId: string) => ({ type: 'DissociateEntitlement', entitlementId, actorId }) as const;

  it('are created', () => given().when(create('n')).then(created('1', 'n')));
  it('have unique names', () => given(created('0', 'n')).when(create('n')).thenRejected('ENTITLEMENT_NAME_TAKEN', { name: 'n' }));
  it('have case-sensitive names', () => given(created('0', 'n')).when(create('N')).then(created('1', 'N')));
  it('free their name when they are deleted', () => given(created('0', 'n'), deleted('0')).when(create('n')).then(created('1', 'n')));
  it('free their name when they are renamed', () =>
    given(created('0', 'n'), { type: 'EntitlementRenamed', data: { entitlementId: '0', name: 'm' } })
      .when(create('n'))
      .then(created('1', 'n')));

  it('are renamed', () =>
    given(created('1', 'n'))
      .when(rename('1', 'm'))
      .then({ type: 'EntitlementRenamed', data: { entitlementId: '1', name: 'm' } }));
  it('keep their name when it is sent again', () => given(created('1', 'n')).when(rename('1', 'n')).then());
  it('cannot take the name of another', () =>
    given(created('0', 'm'), created('1', 'n')).when(rename('1', 'm')).thenRejected('ENTITLEMENT_NAME_IN_USE'));
  it('must exist to be renamed', () => given().when(rename('1', 'm')).thenRejected('ENTITLEMENT_NOT_FOUND', { id: '1' }));

  it('are deleted', () => given(created('1')).when(remove).then(deleted('1')));
  it('must exist to be deleted', () => given(created('1'), deleted('1')).when(remove).thenRejected('ENTITLEMENT_NOT_FOUND', { id: '1' }));
  it('are not deleted while they are assigned', () =>
    given(registered('a'), created('1'), assigned('1', 'a')).when(remove).thenRejected('ENTITLEMENT_ASSIGNED'));
  it('are deleted once nobody holds them', () =>
    given(registered('a'), created('1'), assigned('1', 'a'), dissociated('1', 'a')).when(remove).then(deleted('1')));

  it('are assigned to registered clients', () => given(registered('a'), created('1')).when(assign('1', 'a')).then(assigned('1', 'a')));
  it('are assigned once per client', () =>
    given(registered('a'), created('1'), assigned('1', 'a')).when(assign('1', 'a')).thenRejected('ENTITLEMENT_ASSIGNED_ALREADY'));
  it('are assigned to several clients', () =>
    given(registered('a'), registered('b'), created('1'), assigned('1', 'a')).when(assign('1', 'b')).then(assigned('1', 'b')));
  it('are looked up before the client', () => given().when(assign('1', 'a')).thenRejected('ENTITLEMENT_NOT_FOUND', { id: '1' }));
  it('are not assigned to unknown clients', () => given(created('1')).when(assign('1', 'a')).thenRejected('ACTOR_NOT_FOUND', { id: 'a' }));

  it('are dissociated', () =>
    given(registered('a'), created('1'), assigned('1', 'a')).when(dissociate('1', 'a')).then(dissociated('1', 'a')));
  it('cannot be dissociated from a client that does not hold them', () =>
    given(registered('a'), created('1')).when(dissociate('1', 'a')).thenRejected('ENTITLEMENT_NOT_ASSIGNED'));
  it('must exist to be dissociated', () => given().when(dissociate('1', 'a')).thenRejected('ENTITLEMENT_NOT_FOUND', { id: '1' }));
  it('are dissociated from registered clients only', () =>
    given(created('1')).when(dissociate('1', 'a')).thenRejected('ACTOR_NOT_FOUND', { id: 'a' }));
});

describe('OIDC tenants', () => {
  const tenant = (changes: Partial<OidcTenant> = {}): OidcTenant => ({
    issuer: 'https://One.example.org',
    tenant_id: 'One',
    client_id: 'c',
    secret: 's',
    authorization_path: 'a',
    introspection_path: 'i',
    user_info_path: 'u',
    token_path: 't',
    auth_server_url: 'x',
    user_id_token_claim: 'voperson_id',
    service_id_token_claim: 'client_id',
    group_management_namespace: 'n',
    group_management_parent: 'p',
    entitlement_management: 'oidc',
    ...changes,
  });
  const made = (oidcTenantId: string, changes: Partial<OidcTenant> = {}): AccessEvent => ({
    type: 'OidcTenantCreated',
    data: { oidcTenantId, ...tenant(changes) },
  });
  const create = (changes: Partial<OidcTenant> = {}) => ({ type: 'CreateOidcTenant', oidcTenantId: '2', tenant: tenant(changes) }) as const;
  const revise = (changes: Partial<OidcTenant>, oidcTenantId = '1') => ({ type: 'ReviseOidcTenant', oidcTenantId, changes }) as const;
  const remove = { type: 'DeleteOidcTenant', oidcTenantId: '1' } as const;
  const gone: AccessEvent = { type: 'OidcTenantDeleted', data: { oidcTenantId: '1' } };
  const other = { issuer: 'https://two.example.org', tenant_id: 'two' };

  it('are created', () => given().when(create()).then(made('2')));
  it('have unique issuers, in any letter case', () =>
    given(made('1'))
      .when(create({ issuer: 'HTTPS://one.EXAMPLE.org' }))
      .thenRejected('ISSUER_TAKEN', { issuer: 'HTTPS://one.EXAMPLE.org' }));
  it('have unique issuers, with or without a trailing slash', () => {
    const issuer = 'https://one.example.org/';
    given(made('1'))
      .when(create({ issuer, tenant_id: 'two' }))
      .thenRejected('ISSUER_TAKEN', { issuer });
    given(made('1'), made('2', other)).when(revise({ issuer }, '2')).thenRejected('ISSUER_IN_USE');
  });
  it('can be revised when their issuer is that of an older tenant but for a trailing slash', () => {
    const issuer = 'https://one.example.org/';
    given(made('1'), made('2', { ...other, issuer }))
      .when(revise({ client_id: 'd' }))
      .then({ type: 'OidcTenantRevised', data: { oidcTenantId: '1', ...tenant({ client_id: 'd' }) } });
  });
  it('have unique ids, in any letter case', () =>
    given(made('1'))
      .when(create({ issuer: 'https://two.example.org', tenant_id: 'oNE' }))
      .thenRejected('TENANT_ID_TAKEN', { tenantId: 'oNE' }));
  it('free their issuer and id when they are deleted', () => given(made('1'), gone).when(create()).then(made('2')));

  it('are revised member by member', () =>
    given(made('1'))
      .when(revise({ client_id: 'd' }))
      .then({ type: 'OidcTenantRevised', data: { oidcTenantId: '1', ...tenant({ client_id: 'd' }) } }));
  it('record nothing if a revision changes nothing', () =>
    given(made('1'))
      .when(revise({ client_id: 'c', secret: 's' }))
      .then());
  it('may change the letter case of their own values', () =>
    given(made('1'))
      .when(revise({ tenant_id: 'ONE' }))
      .then({ type: 'OidcTenantRevised', data: { oidcTenantId: '1', ...tenant({ tenant_id: 'ONE' }) } }));
  it('cannot take the issuer of another tenant', () =>
    given(made('1'), made('2', other))
      .when(revise({ issuer: 'https://TWO.example.org' }))
      .thenRejected('ISSUER_IN_USE'));
  it('cannot take the id of another tenant', () =>
    given(made('1'), made('2', other))
      .when(revise({ tenant_id: 'Two' }))
      .thenRejected('TENANT_ID_IN_USE'));
  it('must exist to be revised', () => given().when(revise({})).thenRejected('OIDC_TENANT_NOT_FOUND', { id: '1' }));

  it('are deleted, and their secret is destroyed', () => {
    given(made('1')).when(remove).then(gone);
    expect(accessEvents.OidcTenantDeleted?.forgets?.({ oidcTenantId: '1' })).toEqual([
      accessEvents.OidcTenantCreated?.sensitive?.subject({ oidcTenantId: '1' }),
    ]);
  });
  it('must exist to be deleted', () => given(made('1'), gone).when(remove).thenRejected('OIDC_TENANT_NOT_FOUND', { id: '1' }));
});

describe('settings', () => {
  const change = (value: string) => ({ type: 'ChangeSetting', key: 'k', value }) as const;
  const changed = (value: string): AccessEvent => ({ type: 'SettingChanged', data: { key: 'k', value } });

  it('change', () => given(changed('a')).when(change('b')).then(changed('b')));
  it('record nothing if the value is unchanged', () => given(changed('a'), changed('b')).when(change('b')).then());
});

describe('object ids', () => {
  it('contain the second of their creation', () => {
    const id = objectId(Date.parse('2031-05-04T10:11:12.345Z'), '0123456789abcdef');
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(dayMade(id)).toBe('2031-05-04');
    expect(objectId(0, '0123456789abcdef')).toBe('000000000123456789abcdef');
  });
  it.each([
    ['507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011'],
    ['507F1F77BCF86CD799439011', '507f1f77bcf86cd799439011'],
    ['507f1f77bcf86cd79943901', undefined],
    ['507f1f77bcf86cd7994390111', undefined],
    ['507f1f77bcf86cd79943901g', undefined],
    ['', undefined],
  ])('%j is looked up as %j', (text, stored) => expect(storedObjectId(text)).toBe(stored));
});
