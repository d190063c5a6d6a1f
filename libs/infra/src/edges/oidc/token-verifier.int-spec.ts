import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload } from 'jose';
import { until } from '#test/support/eventually.js';
import { type IssuedToken, type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';
import { TokenRefused } from './issuer-keys.js';
import { OWN_ISSUER, OwnTokens } from './own-tokens.js';
import { TokenVerifier, unverifiedClaims } from './token-verifier.js';

const [MINUTE, DAY] = [60_000, 24 * 3_600_000];

describe('a verified token', () => {
  let issuer: OidcIssuer;
  let now: number;
  let tokens: TokenVerifier;
  let own: OwnTokens;
  beforeEach(async () => {
    now = Date.now();
    issuer = await startOidcIssuer('/realms/one', () => now);
    own = new OwnTokens(Buffer.alloc(32), () => now);
    tokens = new TokenVerifier(own, () => now);
  });
  afterEach(() => issuer.stop());

  const fetched = async (times: number) => {
    await until(() => issuer.fetches() >= times);
    expect(issuer.fetches()).toBe(times);
    await tokens.verify(await issuer.token({ sub: 'another' }), issuer.url); // and been received
  };

  it('is cached', async () => {
    const token = await issuer.token({ sub: 'a' });
    const verified = await tokens.verify(token, issuer.url);
    expect(verified.claims.sub).toBe('a');
    expect(await tokens.verify(token, issuer.url)).toBe(verified);
  });

  it('is valid until it expires', async () => {
    const [token, made] = [
      await issuer.token({ sub: 'a' }, { expiresIn: 300 }),
      await own.issue({ subject: 'b', entitlements: [], lifetime: DAY }),
    ];
    const verified = [await tokens.verify(token, issuer.url), await tokens.verify(made, OWN_ISSUER)];
    now += 5.5 * MINUTE; // clocks may differ by a minute
    expect(verified.map(({ holds }) => holds())).toEqual([true, true]);
    await expect(tokens.verify(token, issuer.url)).resolves.toMatchObject({ claims: { sub: 'a' } });
    now += MINUTE;
    expect(verified.map(({ holds }) => holds())).toEqual([false, true]);
    await expect(tokens.verify(token, issuer.url)).rejects.toBeInstanceOf(TokenRefused);
    now += DAY;
    expect(verified.map(({ holds }) => holds())).toEqual([false, false]);
    await expect(tokens.verify(made, OWN_ISSUER)).rejects.toBeInstanceOf(TokenRefused);
  });

  it('is valid only while its issuer has the same keys', async () => {
    const token = await issuer.token({ sub: 'a' }, { expiresIn: 24 * 3_600 });
    const { holds } = await tokens.verify(token, issuer.url);
    now += 11 * MINUTE;
    expect(holds()).toBe(true); // and a fetch of the keys begins
    await fetched(2);
    expect(holds()).toBe(true);
    await issuer.rotate();
    await tokens.verify(await issuer.token({ sub: 'b' }), issuer.url);
    expect(holds()).toBe(false);
    await expect(tokens.verify(token, issuer.url)).rejects.toBeInstanceOf(TokenRefused);
  });

  it('is not valid when its keys are an hour old and the issuer does not answer', async () => {
    const { holds } = await tokens.verify(await issuer.token({ sub: 'a' }, { expiresIn: 24 * 3_600 }), issuer.url);
    issuer.fail(true);
    now += 59 * MINUTE;
    expect(holds()).toBe(true);
    now += 2 * MINUTE;
    expect(holds()).toBe(false);
  });
});

describe('the key set of an issuer', () => {
  let issuer: OidcIssuer;
  let tokens: TokenVerifier;
  beforeEach(async () => {
    issuer = await startOidcIssuer();
    tokens = new TokenVerifier(new OwnTokens(Buffer.alloc(32), Date.now), Date.now);
  });
  afterEach(() => issuer.stop());
  const subject = async (options: IssuedToken = {}) =>
    (await tokens.verify(await issuer.token({ sub: 'a' }, options), issuer.url)).claims.sub;
  const nameless = ({ kid: _, ...key }: JWK): JWK => key;
  const otherKey = async () => nameless(await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey));

  it('may have entries that are no keys', async () => {
    issuer.showKeys((own) => [null, 7, 'key', [], {}, { kty: 'unheard-of' }, ...own]);
    expect([await subject(), await subject({ anonymous: true })]).toEqual(['a', 'a']);
  });

  it('may have several keys without a name, each of which that fits is tried', async () => {
    const [first, last] = [await otherKey(), await otherKey()];
    issuer.showKeys((own) => [first, ...own.map(nameless), last]);
    expect([await subject({ anonymous: true }), await subject({ algorithm: 'ES256', anonymous: true })]).toEqual(['a', 'a']);
    issuer.showKeys(() => [first, last]);
    tokens = new TokenVerifier(new OwnTokens(Buffer.alloc(32), Date.now), Date.now);
    await expect(subject({ anonymous: true })).rejects.toBeInstanceOf(TokenRefused);
  });

  it('is fetched again for a token without the name of its key that no known key has signed', async () => {
    issuer.showKeys((own) => own.map(nameless));
    await subject({ anonymous: true });
    await issuer.rotate();
    expect(await subject({ anonymous: true })).toBe('a');
  });
});

describe('a token of an issuer', () => {
  let issuer: OidcIssuer;
  const verifierFor = (...audiences: string[]) => new TokenVerifier(new OwnTokens(Buffer.alloc(32), Date.now), Date.now, audiences);
  beforeEach(async () => {
    issuer = await startOidcIssuer();
  });
  afterEach(() => issuer.stop());

  it.each<[string, JWTPayload, IssuedToken, boolean]>([
    ['of the type JWT', {}, {}, true],
    ['of the type of RFC 9068', {}, { type: 'at+jwt' }, true],
    ['of that type, written out', {}, { type: 'application/at+JWT' }, true],
    ['of Keycloak', { typ: 'Bearer', nonce: 'n' }, {}, true],
    ['without a type', {}, { type: null }, true],
    ['without a type that is an ID token with a nonce', { nonce: 'n' }, { type: null }, false],
    ['of another type', {}, { type: 'logout+jwt' }, false],
    ['of the type of DPoP proofs', {}, { type: 'dpop+jwt' }, false],
    ['without an end', {}, { expiresIn: null }, false],
    ['that is an ID token of Keycloak', { typ: 'ID' }, {}, false],
    ['that is a refresh token of Keycloak', { typ: 'Refresh' }, {}, false],
    ['that is a logout token of Keycloak', { typ: 'Logout' }, {}, false],
    ['that is an ID token with a nonce', { nonce: 'n' }, {}, false],
    ['that is an ID token with the hash of an access token', { at_hash: 'h' }, {}, false],
    ['that is a logout token', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, {}, false],
  ])('%s is accepted or refused', async (_kind, claims, options, taken) => {
    const verifying = verifierFor().verify(await issuer.token({ sub: 'a', ...claims }, options), issuer.url);
    if (taken) expect((await verifying).claims.sub).toBe('a');
    else await expect(verifying).rejects.toBeInstanceOf(TokenRefused);
  });

  it.each([
    ['ended half a minute ago', -30, 0, true],
    ['ended an hour ago', -3_600, 0, false],
    ['begins in half a minute', 3_600, 30, true],
    ['begins in an hour', 7_200, 3_600, false],
  ])('that %s by our clock is accepted or refused, as clocks may differ by a minute', async (_when, expiresIn, begins, taken) => {
    const now = Date.now();
    const verifier = new TokenVerifier(new OwnTokens(Buffer.alloc(32), () => now), () => now);
    const token = await issuer.token({ sub: 'a', nbf: Math.floor(now / 1_000) + begins }, { expiresIn });
    const verifying = verifier.verify(token, issuer.url);
    if (taken) expect((await verifying).claims.sub).toBe('a');
    else await expect(verifying).rejects.toBeInstanceOf(TokenRefused);
  });

  it.each<[JWTPayload['aud'], string[], boolean]>([
    [undefined, [], true],
    ['elsewhere', [], true],
    ['accounting', ['accounting'], true],
    [['elsewhere', 'accounting'], ['accounting'], true],
    ['second', ['accounting', 'second'], true],
    ['elsewhere', ['accounting'], false],
    [undefined, ['accounting'], false],
  ])('with the audience %j where %j are accepted is valid: %s', async (aud, audiences, taken) => {
    const verifying = verifierFor(...audiences).verify(await issuer.token({ sub: 'a', aud, client_id: 'portal' }), issuer.url);
    if (taken) expect((await verifying).claims.sub).toBe('a');
    else await expect(verifying).rejects.toBeInstanceOf(TokenRefused);
  });

  it.each<[string, JWTPayload, IssuedToken, boolean]>([
    ['and nothing else, as an ID token of the audience may have,', {}, {}, false],
    ['and members of an ID token', { azp: 'accounting', auth_time: 1, name: 'Ada', email: 'ada@example.org' }, {}, false],
    ['and without a type', {}, { type: null }, false],
    ['and a scope', { scope: 'openid' }, {}, true],
    ['and a list of scopes', { scp: ['read'] }, {}, true],
    ['and its client', { client_id: 'portal' }, {}, true],
    ['and made for a client that is no audience', { azp: 'portal' }, {}, true],
    ['and the type of RFC 9068', {}, { type: 'at+jwt' }, true],
    ['and the claim of Keycloak', { typ: 'Bearer' }, {}, true],
    ['and a scope beside a nonce', { scope: 'openid', nonce: 'n' }, {}, false],
  ])('with an audience that is accepted %s is accepted or refused', async (_kind, claims, options, taken) => {
    const token = await issuer.token({ sub: 'a', aud: 'accounting', ...claims }, options);
    const verifying = verifierFor('accounting').verify(token, issuer.url);
    if (taken) expect((await verifying).claims.sub).toBe('a');
    else await expect(verifying).rejects.toBeInstanceOf(TokenRefused);
  });
});

it.each(['', 'opaque', 'a.b', 'a..c', 'a.b.c', 'a.e30x.c', 'a.b.c.d', `${'a.'.repeat(4)}e`, 'a.W10.c'])('%s has no claims', (token) =>
  expect(unverifiedClaims(token)).toBeUndefined(),
);
