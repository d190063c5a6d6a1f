import { describe, expect, it } from '@jest/globals';
import { assertPublicLiteral, isPublicAddress, lookupPublic, PrivateAddress } from './addresses.js';

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
    expect(() => assertPublicLiteral(new URL(url))).toThrow(PrivateAddress),
  );

  it.each(['https://8.8.8.8/', 'https://example.org/', 'https://[2a00:1450:4001::1]/'])('a connection to %s is not', (url) =>
    expect(() => assertPublicLiteral(new URL(url))).not.toThrow(),
  );

  it('a name with only private addresses resolves to none of them', async () => {
    const error = await new Promise((resolve) => lookupPublic('localhost', {}, resolve));
    expect(error).toBeInstanceOf(PrivateAddress);
    expect(error).toMatchObject({ message: 'localhost has no public address' });
  });
});
