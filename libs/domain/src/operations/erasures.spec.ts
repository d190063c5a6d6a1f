import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { ERASABLE, type EraseSubject, erasureEvents, erasures, idOfSubject, type SubjectErased, subjectOfRecord } from './erasures.js';

const given = deciderSpec(erasures);
const erase = (record: EraseSubject['record'], erasureId = 'new'): EraseSubject => ({
  type: 'EraseSubject',
  record,
  erasureId,
  reason: 'r',
});
const user = { service: 'messaging', kind: 'user', id: 'u' } as const;
const erased: SubjectErased = { type: 'SubjectErased', data: { ...user, erasureId: 'e', subject: 'user-u', reason: 'r' } };

describe('erasures', () => {
  it('name the subject and the reason', () => given().when(erase(user, 'e')).then(erased));
  it('happen once', () => given(erased).when(erase(user)).then());
  it('are about one record', () =>
    given(erased)
      .when(erase({ ...user, id: 'other' }))
      .then({ type: 'SubjectErased', data: { ...user, id: 'other', erasureId: 'new', subject: 'user-other', reason: 'r' } }));

  it.each([
    ['messaging', 'user', 'user-1'],
    ['messaging', 'registration', 'registration-1'],
    ['messaging', 'subscription', 'subscription-1'],
    ['accounting', 'client', 'client-1'],
    ['accounting', 'oidc_tenant', 'oidc-tenant-1'],
    ['status', 'tenant', 'tenant-1'],
    ['status', 'user', 'user-1'],
    ['status', 'recomputation', 'recomputation-1'],
  ] as const)('of a %s %s destroy the key of %s', (service, kind, subject) => {
    expect(subjectOfRecord({ service, kind, id: '1' })).toBe(subject);
    expect(erasureEvents.SubjectErased?.forgets?.({ subject })).toEqual([subject]);
  });

  it('name deleted installations by their subject, and cannot be asked for', () => {
    expect(subjectOfRecord({ service: 'accounting', kind: 'installation', id: '1' })).toBe('installation-1');
    expect(idOfSubject({ service: 'accounting', kind: 'installation', subject: 'installation-1' })).toBe('installation-1');
    expect(idOfSubject({ service: 'accounting', kind: 'client', subject: 'client-1' })).toBe('1');
    expect(ERASABLE.accounting).toEqual(['client', 'oidc_tenant']);
  });

  it.each(['topic', 'constructor', ''])('know no %j', (kind) =>
    expect(() => subjectOfRecord({ service: 'messaging', kind, id: '1' })).toThrow(TypeError),
  );

  it('of a tenant are those of its users and recomputations too', () => {
    const mentions = erasureEvents.SubjectErased?.forgetsMentioned?.({ service: 'status', kind: 'tenant', id: 't' });
    const added = (tenantId: string) => ({ type: 'TenantUserAdded', data: { tenantId, userId: 'u' } });
    const requested = (tenantId: string) => ({ type: 'RecomputationRequested', data: { tenantId, id: 'r' } });
    expect(mentions?.in).toEqual({ categories: ['status.tenants', 'status.recomputation'] });
    expect([added('t'), added('other'), requested('t'), requested('other')].map((event) => mentions?.subjects(event))).toEqual([
      ['user-u'],
      [],
      ['recomputation-r'],
      [],
    ]);
  });

  it('of a messaging user are those of its registration too', () => {
    const mentions = erasureEvents.SubjectErased?.forgetsMentioned?.({ ...user });
    const accepted = (userId: string) => ({ type: 'RegistrationAccepted', data: { registrationId: 'r', userId } });
    expect(mentions?.in).toEqual({ stream: 'messaging.accounts-global' });
    expect([accepted('u'), accepted('other')].map((event) => mentions?.subjects(event))).toEqual([['registration-r'], []]);
    expect(erasureEvents.SubjectErased?.forgetsMentioned?.({ ...user, kind: 'registration' })).toBeUndefined();
  });
});
