import { describe, expect, it } from '@jest/globals';
import { covers, type Entitlement, parseEntitlement } from './entitlements.js';

const scheme = { namespace: 'urn:geant:example.org:core', parent: 'accounting' };
const PREFIX = 'urn:geant:example.org:core:group:accounting';

describe('the name of an entitlement', () => {
  it.each<[rest: string, segments: readonly string[], role: string]>([
    [':role=admin', [], 'admin'],
    [':role=viewer', [], 'viewer'],
    [':role=other', [], 'other'],
    [':operations:resources:role=admin', ['operations', 'resources'], 'admin'],
    [':p:role=admin', ['p'], 'admin'],
    [':p:q:role=viewer', ['p', 'q'], 'viewer'],
    [':p:q:507f1f77bcf86cd799439011:role=admin', ['p', 'q', '507f1f77bcf86cd799439011'], 'admin'],
    [':roles:provider:q:role=admin', ['roles', 'provider', 'q'], 'admin'],
    [':subgroup:x:role=admin', ['subgroup', 'x'], 'admin'],
    [':group:accounting:role=admin', ['group', 'accounting'], 'admin'],
    [':role=x:role=admin', ['role=x'], 'admin'],
    [':role=a b#c', [], 'a b#c'],
  ])('%s', (rest, segments, role) => {
    expect(parseEntitlement(PREFIX + rest, scheme)).toEqual({ segments, role });
    expect(parseEntitlement(PREFIX + rest, { ...scheme, namespace: `${scheme.namespace}:group` })).toEqual({ segments, role });
  });

  it.each([
    '',
    PREFIX,
    `${PREFIX}:`,
    `${PREFIX}:p`,
    `${PREFIX}:role=`,
    `${PREFIX}:role=admin:`,
    `${PREFIX}:role=admin:p`,
    `${PREFIX}::role=admin`,
    `${PREFIX}:p::q:role=admin`,
    `${PREFIX}:ROLE=admin`,
    `${PREFIX}role=admin`,
    `${PREFIX}2:role=admin`,
    ` ${PREFIX}:role=admin`,
    `x${PREFIX}:role=admin`,
    'urn:geant:example.org:core:accounting:role=admin',
    'urn:geant:example.org:core:group:other:role=admin',
    'urn:geant:example.org:core:group:other:group:accounting:role=admin',
    'urn:geant:example.org:group:accounting:role=admin',
    'urn:geant:example.org:core:group:group:accounting:role=admin',
    'urn:geant:example:org:core:group:accounting:role=admin',
  ])('is not %j', (name) => expect(parseEntitlement(name, scheme)).toBeUndefined());

  it('is parsed in time linear in its length', () => {
    expect(parseEntitlement(`${PREFIX}:${'a:'.repeat(500_000)}`, scheme)).toBeUndefined();
    expect(parseEntitlement(`${PREFIX}:${'a'.repeat(1_000_000)}`, scheme)).toBeUndefined();
  });
});

describe('an entitlement', () => {
  const on = (...segments: readonly string[]): Entitlement => ({ segments, role: 'admin' });

  it.each<[what: string, held: readonly Entitlement[], target: readonly string[], covered: boolean]>([
    ['on everything covers everything', [on()], ['p', 'q', 'i'], true],
    ['on everything covers no target at all', [on()], [], true],
    ['on a project covers the project', [on('p')], ['p'], true],
    ['on a project covers everything below it', [on('p')], ['p', 'q', 'i'], true],
    ['on a project covers no other project', [on('p')], ['p2'], false],
    ['on a provider covers no project', [on('p', 'q')], ['p'], false],
    ['on a provider covers the provider in this project only', [on('p', 'q')], ['p2', 'q'], false],
    ['on an installation covers no other installation', [on('p', 'q', 'i')], ['p', 'q', 'j'], false],
    ['on something below the target does not cover the target', [on('p', 'q', 'i', 'x')], ['p', 'q', 'i'], false],
    ['covers if one of several does', [on('a'), on('p')], ['p'], true],
    ['is missing', [], [], false],
    ['with another role does not count', [{ segments: [], role: 'viewer' }], ['p'], false],
  ])('%s', (_what, held, target, covered) => expect(covers(held, ['admin'], target)).toBe(covered));

  it('counts if it has any of the required roles', () => {
    expect(covers([{ segments: ['p'], role: 'viewer' }], ['admin', 'viewer'], ['p'])).toBe(true);
    expect(covers([on('p')], ['viewer'], ['p'])).toBe(false);
    expect(covers([{ segments: ['p'], role: 'owner' }], ['admin', 'viewer'], ['p'])).toBe(false);
  });
});
