import { describe, expect, it } from '@jest/globals';
import { eventStoreAddress, redisAddress } from './store-address.js';

describe('addresses of stores', () => {
  it.each([
    ['esdb://host', [{ host: 'host', port: 2113 }], true],
    ['esdb://user:pass@host:1234?tls=false', [{ host: 'host', port: 1234 }], false],
    ['kurrentdb+discover://a@b:2113/?TLS=true&nodePreference=leader', [{ host: 'b', port: 2113 }], true],
    [
      'esdb://one:1,two:2,[::1]:3?tls=false',
      [
        { host: 'one', port: 1 },
        { host: 'two', port: 2 },
        { host: '::1', port: 3 },
      ],
      false,
    ],
  ])('reads the connection string %s', (text, hosts, tls) => expect(eventStoreAddress(text)).toEqual({ hosts, tls }));

  it('reads which certificates are trusted, however the setting is written', () => {
    expect(eventStoreAddress('esdb://host?tls=true&tlsCAFile=%2Fetc%2Fca.crt')?.caFile).toBe('/etc/ca.crt');
    expect(eventStoreAddress('esdb://host?tls_ca_file=ca.crt')?.caFile).toBe('ca.crt');
  });

  it.each([
    ['redis://host', [{ host: 'host', port: 6379 }], false],
    ['rediss://user:p%40ss@[::1]:7000/2', [{ host: '::1', port: 7000 }], true],
  ])('reads the URL %s', (text, hosts, tls) => expect(redisAddress(text)).toEqual({ hosts, tls }));

  it('reads nothing from what is no address', () => {
    expect([eventStoreAddress('host:2113'), redisAddress('')]).toEqual([undefined, undefined]);
  });
});
