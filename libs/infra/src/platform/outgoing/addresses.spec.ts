import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { assertLiteralWithin, isPublicAddress, LookUps, lookupWithin, type NetworkScope, OutOfReach, reachOf } from './addresses.js';

describe('public addresses', () => {
  it.each(['8.8.8.8', '193.0.6.139', '172.32.0.1', '100.128.0.1', '2a00:1450:4001::1', '2620:0:2d0:200::7'])('contain %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    'localhost',
    '',
  ])('%s is none', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]:8443/',
  ])('a connection to %s is refused before a name is resolved', (url) =>
    expect(() => assertLiteralWithin('public', new URL(url))).toThrow(OutOfReach),
  );

  it.each(['https://8.8.8.8/', 'https://example.org/', 'https://[2a00:1450:4001::1]/'])('a connection to %s is not', (url) =>
    expect(() => assertLiteralWithin('public', new URL(url))).not.toThrow(),
  );
});

describe('names', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Result of the lookup of a name with these addresses; `undefined` until then. */
  const resolving = (reach: NetworkScope, addresses: readonly string[] | Error): (() => unknown) => {
    const lookup = lookupWithin(reach, (_host, _options, callback) => {
      if (addresses instanceof Error) return callback(addresses, []);
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
    let outcome: unknown;
    lookup('name.example', { all: true }, (error, found) => {
      outcome = error instanceof OutOfReach ? error.message : (error ?? found);
    });
    return () => outcome;
  };

  it.each<[NetworkScope, readonly string[]]>([
    ['public', ['8.8.8.8']],
    ['public', ['8.8.8.8', '2a00:1450:4001::1']],
    ['private', ['10.0.0.1', '::1']],
  ])('resolve at once for %s connections to %j', (reach, addresses) => {
    expect(resolving(reach, addresses)()).toMatchObject(addresses.map((address) => ({ address })));
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are refused as a whole, in the same words and after the same time, whether they exist inside or nowhere', () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const mixed = ['8.8.8.8', '10.0.0.1'];
    const refused = [unknown, [], ['10.0.0.1'], mixed, mixed.toReversed()].map((found) => resolving('public', found));
    const inside = resolving('private', mixed);
    jest.advanceTimersByTime(1_999);
    expect([...refused, inside].map((outcome) => outcome())).toEqual(Array(6).fill(undefined));
    jest.advanceTimersByTime(1);
    expect(refused.map((outcome) => outcome())).toEqual(Array(5).fill('name.example has no public address'));
    expect(inside()).toBe('name.example has no private address');
  });

  it('have one reach, or none', () => {
    expect(reachOf([])).toBeUndefined();
    expect(reachOf(['8.8.8.8', '127.0.0.1'])).toBeUndefined();
    expect(reachOf(['8.8.8.8', '1.1.1.1'])).toBe('public');
    expect(reachOf(['127.0.0.1', '::1'])).toBe('private');
  });
});

describe('look-ups of names that callers choose', () => {
  it('of an owner that had a slow one wait for ten minutes until no other owner does', () => {
    const pass = stopClock();
    const begun: string[] = [];
    const answers: (() => void)[] = [];
    const lookUps = new LookUps('anywhere', (host, _options, callback) => {
      begun.push(host);
      answers.push(() => callback(new Error('no answer'), []));
    });
    const { signal } = new AbortController();
    for (const name of ['dead 1', 'dead 2', 'dead 3', 'live 1', 'live 2', 'other 1', 'other 2'])
      lookUps.of(name.slice(0, -2), signal)(name, {}, () => undefined);
    for (let answered = 0; answered < 7; answered++) {
      if (begun.at(-1)?.startsWith('dead')) pass(answered < 6 ? 10_000 : 1);
      answers[answered]?.();
    }
    expect(begun).toEqual(['dead 1', 'live 1', 'other 1', 'live 2', 'other 2', 'dead 2', 'dead 3']);
    const again = (): readonly string[] => {
      const before = begun.length;
      for (const name of ['dead 4', 'dead 5', 'live 3']) lookUps.of(name.slice(0, -2), signal)(name, {}, () => undefined);
      for (let answered = before; answered < before + 3; answered++) answers[answered]?.();
      return begun.slice(before);
    };
    expect(again()).toEqual(['dead 4', 'live 3', 'dead 5']);
    pass(600_000);
    expect(again()).toEqual(['dead 4', 'dead 5', 'live 3']);
  });

  it('run one at a time, in turns of their owners, and not for those who have left', () => {
    const begun: string[] = [];
    const answers: (() => void)[] = [];
    const lookUps = new LookUps('anywhere', (host, _options, callback) => {
      begun.push(host);
      answers.push(() => callback(null, [{ address: '8.8.8.8', family: 4 }]));
    });
    const [found, leaving]: [string[], AbortController] = [[], new AbortController()];
    const lookUp = (owner: string, host: string, { signal } = new AbortController()): void =>
      lookUps.of(owner, signal)(host, {}, (_error, address) => found.push(`${host} ${address}`));
    lookUp('one', 'a1');
    lookUp('one', 'a2', leaving);
    lookUp('one', 'a3');
    lookUp('one', 'a4');
    lookUp('two', 'b1');
    leaving.abort();
    expect(begun).toEqual(['a1']);
    for (let answered = 0; answered < 4; answered++) answers[answered]?.();
    expect(begun).toEqual(['a1', 'a3', 'b1', 'a4']);
    expect(found).toEqual(begun.map((host) => `${host} 8.8.8.8`));
    lookUp('one', 'a5', leaving);
    expect(begun).toHaveLength(4);
    lookUp('one', 'a6');
    lookUp('one', 'a7', leaving);
    answers[4]?.();
    expect(begun.slice(4)).toEqual(['a6']);
  });
});
