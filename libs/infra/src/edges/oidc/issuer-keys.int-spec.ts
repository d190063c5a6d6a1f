import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sameIssuer } from '#domain/accounting/access/clients.js';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { until } from '#test/support/eventually.js';
import { type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import { isTrustworthy } from './fetch-json.js';
import { IssuerKeys, IssuerUnavailable, TokenRefused } from './issuer-keys.js';

const MINUTE = 60_000;

describe('the keys of an issuer', () => {
  let issuer: OidcIssuer;
  let now: number;
  let keys: IssuerKeys;
  const token = () => issuer.token({ sub: 'a' }, { expiresIn: 24 * 3_600 });
  const verify = async (given?: string) => (await keys.verify(given ?? (await token()))).claims.sub;
  beforeEach(async () => {
    now = Date.now();
    issuer = await startOidcIssuer('/realms/one', () => now);
    keys = new IssuerKeys(issuer.url, () => now);
  });
  afterEach(() => issuer.stop());

  it('are fetched once for any number of simultaneous tokens', async () => {
    expect(await Promise.all(Array.from({ length: 20 }, () => verify()))).toEqual(Array.from({ length: 20 }, () => 'a'));
    expect(issuer.fetches()).toBe(1);
  });

  it('are fetched again in the background when they are ten minutes old', async () => {
    await verify();
    now += 11 * MINUTE;
    issuer.fail(true);
    expect(await verify()).toBe('a');
    issuer.fail(false);
    await until(async () => {
      now += 100; // past the pause after a failure, whenever it is noticed, and long before they are an hour old
      await verify();
      return issuer.fetches() >= 2;
    });
    expect(issuer.fetches()).toBe(2);
  });

  it('are not trusted when they are an hour old and the issuer does not answer', async () => {
    await verify();
    now += 61 * MINUTE;
    issuer.fail(true);
    await expect(verify()).rejects.toBeInstanceOf(IssuerUnavailable);
    issuer.fail(false);
    await expect(verify()).rejects.toBeInstanceOf(IssuerUnavailable); // no request for a while
    now += 3_000;
    expect(await verify()).toBe('a');
  });

  it('are fetched again for tokens with unknown keys, five times in a row and then once in ten seconds', async () => {
    await verify();
    for (let index = 0; index < 8; index++) {
      await issuer.rotate();
      await verify().catch((error: unknown) => expect(error).toBeInstanceOf(TokenRefused));
    }
    expect(issuer.fetches()).toBe(6);
    await expect(verify()).rejects.toBeInstanceOf(TokenRefused);
    now += 10_000;
    expect(await verify()).toBe('a');
    expect(issuer.fetches()).toBe(7);
  });

  it('are fetched again, and not too often, after the clock was set back', async () => {
    await verify();
    issuer.fail(true);
    now += 61 * MINUTE;
    await expect(verify()).rejects.toBeInstanceOf(IssuerUnavailable);
    issuer.fail(false);
    now -= 180 * MINUTE;
    const fetched = issuer.fetches();
    expect(await verify()).toBe('a');
    expect(issuer.fetches()).toBe(fetched + 1);
    now -= 10 * MINUTE;
    for (let index = 0; index < 8; index++) {
      await issuer.rotate();
      await verify().catch((error: unknown) => expect(error).toBeInstanceOf(TokenRefused));
    }
    expect(issuer.fetches()).toBe(fetched + 6);
  });

  it('time out after three seconds when they arrive a byte at a time, even if the garbage collector runs', async () => {
    issuer.drip();
    const collecting = setInterval(collectGarbage, 500);
    try {
      await expect(verify()).rejects.toBeInstanceOf(IssuerUnavailable);
    } finally {
      clearInterval(collecting);
    }
  });

  it('are not fetched from an https address that an issuer on plain http names, nor from something that is not a URL', async () => {
    for (const address of [issuer.url.replace('http:', 'https:'), 'ftp://127.0.0.1/keys', 'file:///etc/passwd', 'keys']) {
      issuer.nameKeysAt(address);
      now += 10_000;
      await expect(verify()).rejects.toBeInstanceOf(IssuerUnavailable);
    }
    expect(issuer.fetches()).toBe(0);
  });

  it('of another issuer are refused', async () => {
    const pretender = new IssuerKeys(`${issuer.url.replace('/realms/one', '')}`, () => now);
    await expect(pretender.verify(await token())).rejects.toBeInstanceOf(IssuerUnavailable);
    expect(issuer.fetches()).toBe(0);
  });
});

it.each([
  ['https://idp.example.org/realms/a', true],
  ['http://localhost:8080', true],
  ['http://127.0.0.1/x', true],
  ['http://[::1]:80', true],
  ['HTTP://LOCALHOST', true],
  ['http://idp.example.org', false],
  ['http://localhost.example.org', false],
  ['http://127.0.0.1.example.org', false],
  ['http://user:secret@localhost', false],
  ['https://user@idp.example.org', false],
  ['file:///etc/passwd', false],
  ['nonsense', false],
  ['', false],
])('keys may be fetched from %s: %s', (address, trustworthy) => expect(isTrustworthy(address)).toBe(trustworthy));

it.each([
  ['https://a.example.org', 'https://A.example.org/', true],
  ['https://a.example.org/x', 'https://a.example.org/X', true],
  ['https://a.example.org/x', 'https://a.example.org', false],
  ['https://a.example.org', 'http://a.example.org', false],
])('%s and %s are the same issuer: %s', (left, right, same) => expect(sameIssuer(left, right)).toBe(same));
