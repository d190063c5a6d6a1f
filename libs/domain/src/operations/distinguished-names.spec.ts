import { describe, expect, it } from '@jest/globals';
import { canonicalName, canonicalSubject } from './distinguished-names.js';

describe('canonicalName', () => {
  it.each([
    ['/C=UK/O=eScience/CN=host.example.org', 'C=UK\nO=eScience\nCN=host.example.org'],
    ['CN=host.example.org,O=eScience,C=UK', 'C=UK\nO=eScience\nCN=host.example.org'],
    [' cn = HOST.example.org , o = e  Science, c=uk ', 'C=UK\nO=e Science\nCN=host.example.org'],
    ['/DC=org/DC=grid/CN=host/a.example.org', 'DC=org\nDC=grid\nCN=host/a.example.org'],
    ['/O=x/emailAddress=a@b.org', 'O=x\nemailAddress=a@b.org'],
    ['E=a@b.org,O=x', 'O=x\nemailAddress=a@b.org'],
    ['1.2.840.113549.1.9.1=a@b.org,OID.2.5.4.10=x', 'O=x\nemailAddress=a@b.org'],
    ['CN=a\\,b\\+c\\"d,O=x', 'O=x\nCN=a\\,b\\+c\\"d'],
    ['CN=\\C3\\9C\\2C,O=x', 'O=x\nCN=Ü\\,'],
    ['CN=a\\\\b2,O=x', 'O=x\nCN=a\\\\b2'],
    ['CN=a+OU=b,O=x', 'O=x\nOU=b + CN=a'],
    ['/O=x/CN=a,b', 'O=x\nCN=a\\,b'],
  ])('%j is the name of a certificate with that subject', (given, subject) => {
    expect(canonicalName(given)).toBeDefined();
    expect(canonicalName(given)).toBe(canonicalSubject(subject));
  });

  it.each([
    ['/O=x/CN=a', 'O=x\nCN=b'],
    ['/O=x/CN=a', 'CN=a\nO=x'],
    ['/O=x/CN=a/CN=b', 'O=x\nCN=a/CN=b'],
    ['/O=x/CN=a\\2Cb', 'O=x\nCN=a\\,b'],
    ['CN=a,O=x', 'O=x + CN=a'],
    ['/CN=ä', 'CN=Ä'],
  ])('%j is not the name of a certificate with the subject %j', (given, subject) => {
    expect(canonicalName(given)).toBeDefined();
    expect(canonicalName(given)).not.toBe(canonicalSubject(subject));
  });

  it.each([
    '',
    ' ',
    '/',
    'x',
    '=x',
    'CN',
    'CN=',
    'CN=a,',
    'CN=a,,O=x',
    'CN=#0403',
    'CN="a,b"',
    'CN=a\\',
    'CN=\\C3,O=x',
    'C=UK,O=x,CN=a',
    '/CN=a\nO=x',
    '/x/CN=a',
    `CN=${'a'.repeat(2_000)}`,
  ])('%j is no name', (given) => {
    expect(canonicalName(given)).toBeUndefined();
  });
});
