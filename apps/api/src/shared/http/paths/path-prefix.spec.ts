import { describe, expect, it } from '@jest/globals';
import { pathPrefixBy } from './path-prefix.js';

type Caller = Parameters<ReturnType<typeof pathPrefixBy>>[0];

/** Only the members that are used. */
const caller = (remoteAddress: string, prefix?: string | string[]): Caller => ({
  headers: prefix === undefined ? {} : { 'x-forwarded-prefix': prefix },
  socket: Object.assign(Object.create(null) as Caller['socket'], { remoteAddress }),
});

describe('what stands before the paths of the server', () => {
  const proxied = pathPrefixBy({ trustedProxies: ['10.0.0.0/8', '192.0.2.1', 'fd00::/8'], publicUrl: 'https://logbook.example.org/base' });

  it.each([
    ['10.1.2.3', '/a', '/a'],
    ['::ffff:10.1.2.3', '/a/', '/a'],
    ['192.0.2.1', '/a/b', '/a/b'],
    ['fd00::1', '/a', '/a'],
    ['192.0.2.2', '/a', '/base'],
    ['', '/a', '/base'],
    ['10.1.2.3', undefined, '/base'],
    ['10.1.2.3', '//evil.example.org', ''],
    ['10.1.2.3', '/..', ''],
    ['10.1.2.3', '/', ''],
    ['10.1.2.3', '', ''],
    ['10.1.2.3', ['/a', '/b'], '/a'],
  ] as const)('is, where %s says %j, "%s"', (address, prefix, expected) =>
    expect(proxied(caller(address, typeof prefix === 'object' ? [...prefix] : prefix))).toBe(expected),
  );

  it.each([
    [undefined, ''],
    ['https://logbook.example.org', ''],
    ['https://logbook.example.org/a/b', '/a/b'],
    ['https://logbook.example.org/a%20b', ''],
  ])('is of the public URL %s "%s"', (publicUrl, expected) =>
    expect(pathPrefixBy({ trustedProxies: [], publicUrl })(caller('127.0.0.1', '/a'))).toBe(expected),
  );
});
