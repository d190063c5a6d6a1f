import { it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { accessKeysProjection } from './projection.js';

const given = projectionSpec(accessKeysProjection);

const key = (keyId: string) => ({ keyId, service: 'status', roles: ['super_admin'], name: 'n', keyHash: `hash ${keyId}` });
const issued = (keyId: string) => ({ type: 'AccessKeyIssued', data: key(keyId) });

it('stores the keys in force by id and by hash', () => {
  const document = { ...key('2'), issuedAt: '2024-01-02T03:04:05.678Z' };
  given(issued('1'), issued('2'), { type: 'AccessKeysListed', data: {} }, { type: 'AccessKeyRevoked', data: { keyId: '1' } }).then({
    keys: { 2: document },
    'by-hash': { 'hash 2': document },
  });
});

it('does not find a key by an earlier hash of its id', () => {
  const document = { ...key('1'), keyHash: 'other', issuedAt: '2024-01-02T03:04:05.678Z' };
  given(issued('1'), { type: 'AccessKeyIssued', data: { ...key('1'), keyHash: 'other' } }).then({
    keys: { 1: document },
    'by-hash': { other: document },
  });
});
