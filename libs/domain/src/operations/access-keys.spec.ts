import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type AccessKeyEvent, accessKeys, isKeyRole, isKeyService, type KeyIssued } from './access-keys.js';

const given = deciderSpec(accessKeys);
const key = (keyId: string, changes: Partial<KeyIssued> = {}): KeyIssued => ({
  keyId,
  service: 'status',
  roles: ['super_admin'],
  name: keyId,
  keyHash: `hash ${keyId}`,
  ...changes,
});
const issued = (data: KeyIssued): AccessKeyEvent => ({ type: 'AccessKeyIssued', data });
const revoked = (keyId: string): AccessKeyEvent => ({ type: 'AccessKeyRevoked', data: { keyId } });

describe('access keys', () => {
  it('are issued', () =>
    given()
      .when({ type: 'IssueKey', key: key('1') })
      .then(issued(key('1'))));
  it('are revoked', () =>
    given(issued(key('1')))
      .when({ type: 'RevokeKey', keyId: '1' })
      .then(revoked('1')));
  it('cannot be revoked when nobody could make another one', () => {
    const operator = (keyId: string) => key(keyId, { service: 'ops', roles: ['operator', 'auditor'] });
    const auditor = key('3', { service: 'ops', roles: ['auditor'] });
    given(issued(operator('1')), issued(auditor), issued(key('4')))
      .when({ type: 'RevokeKey', keyId: '1' })
      .thenRejected('LAST_OPERATOR_KEY');
    given(issued(operator('1')), issued(operator('2')))
      .when({ type: 'RevokeKey', keyId: '1' })
      .then(revoked('1'));
    given(issued(operator('1')), issued(operator('2')), revoked('2'))
      .when({ type: 'RevokeKey', keyId: '1' })
      .thenRejected('LAST_OPERATOR_KEY');
    given(issued(operator('1')), issued(auditor))
      .when({ type: 'RevokeKey', keyId: '3' })
      .then(revoked('3'));
  });
  it('leave a record when a call is refused', () =>
    given()
      .when({ type: 'NoteRefusal', method: 'POST', status: 400 })
      .then({ type: 'AccessKeyCallRefused', data: { method: 'POST', status: 400 } }));
  it('cannot be revoked when they are unknown', () => given().when({ type: 'RevokeKey', keyId: '1' }).thenRejected('KEY_NOT_FOUND'));
  it('cannot be revoked twice', () =>
    given(issued(key('1')), revoked('1'))
      .when({ type: 'RevokeKey', keyId: '1' })
      .thenRejected('KEY_NOT_FOUND'));
  it('cannot be issued twice, not even after they were revoked', () => {
    given(issued(key('1')))
      .when({ type: 'IssueKey', key: key('2', { keyHash: 'hash 1' }) })
      .thenRejected('KEY_TAKEN');
    given(issued(key('1')), revoked('1'))
      .when({ type: 'IssueKey', key: key('2', { keyHash: 'hash 1' }) })
      .thenRejected('KEY_TAKEN');
  });
  it('that an import left behind are not in force, and may be issued again by the environment', () => {
    const left: AccessKeyEvent = { type: 'AccessKeyRevoked', data: { keyId: '1', leftBehind: true } };
    given(issued(key('1')), issued(key('2')), revoked('2'))
      .when({ type: 'LeaveKeysBehind' })
      .then(left);
    given(issued(key('1')), left)
      .when({ type: 'LeaveKeysBehind' })
      .then();
    const again = key('3', { keyHash: 'hash 1' });
    given(issued(key('1')), left)
      .when({ type: 'EnsureKey', key: again })
      .then(issued(again));
  });
  it('leave a record when they are listed', () => given().when({ type: 'ListKeys' }).then({ type: 'AccessKeysListed', data: {} }));

  describe('of the environment', () => {
    it('are put in force once', () => {
      given()
        .when({ type: 'EnsureKey', key: key('1') })
        .then(issued(key('1')));
      given(issued(key('1')))
        .when({ type: 'EnsureKey', key: key('2', { keyHash: 'hash 1' }) })
        .then();
    });
    it('stay revoked', () =>
      given(issued(key('1')), revoked('1'))
        .when({ type: 'EnsureKey', key: key('2', { keyHash: 'hash 1' }) })
        .then());
  });

  describe('of the first administrator', () => {
    const ensure = { type: 'EnsureAdministrator', key: key('9') } as const;
    it('are issued when the service has none', () =>
      given(issued(key('1', { service: 'ops' })))
        .when(ensure)
        .then(issued(key('9'))));
    it('are issued when the only one was revoked', () =>
      given(issued(key('1')), revoked('1'))
        .when(ensure)
        .then(issued(key('9'))));
    it('are issued beside keys with lesser roles', () =>
      given(issued(key('1', { roles: ['super_admin_ui'] })))
        .when(ensure)
        .then(issued(key('9'))));
    it('are not issued when there is one', () =>
      given(issued(key('1')))
        .when(ensure)
        .then());
    it('are not issued when there is an operator, even one that is no auditor', () => {
      const ops = (keyId: string, ...roles: string[]) => key(keyId, { service: 'ops', roles });
      const first = { type: 'EnsureAdministrator', key: ops('9', 'operator', 'auditor') } as const;
      given(issued(ops('1', 'operator')), issued(ops('2', 'auditor')))
        .when(first)
        .then();
      given(issued(ops('2', 'auditor')))
        .when(first)
        .then(issued(first.key));
    });
  });

  it('have roles that belong to their service', () => {
    expect(isKeyService('status')).toBe(true);
    expect(isKeyService('toString')).toBe(false);
    expect(isKeyRole('ops', 'auditor')).toBe(true);
    expect(isKeyRole('ops', 'super_admin')).toBe(false);
  });
});
