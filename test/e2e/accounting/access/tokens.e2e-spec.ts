import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountingServing, entitlement, expectMessage, FORBIDDEN, GROUP, pageIn, TENANT } from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';

const SYSTEM_ONLY = '/admin/version';
/** Clocks of issuers may differ by this. */
const LEEWAY_SECONDS = 60;

describe('access tokens', () => {
  const scene = accountingServing(embedded);

  describe('tokens of an OIDC issuer', () => {
    const status = async (token: Promise<string> | string, path = '/operands') => (await scene.withToken(await token).get(path)).status;

    it.each(['RS256', 'ES256'] as const)('are accepted if signed with %s', async (algorithm) =>
      expect(await status(scene.issuer.token({ sub: 'a' }, { algorithm }))).toBe(200),
    );

    it('are refused if they have expired or are not valid yet', async () => {
      expect(await status(scene.issuer.token({ sub: 'a' }, { expiresIn: -LEEWAY_SECONDS }))).toBe(401);
      expect(await status(scene.issuer.token({ sub: 'a', nbf: Math.floor(Date.now() / 1_000) + 10 * LEEWAY_SECONDS }))).toBe(401);
    });

    it('expire while they are in use', async () => {
      // On a busy machine a token may have expired before its first use: then the next one is good for longer.
      let expiresIn = 1 - LEEWAY_SECONDS;
      const token = await eventually(async () => {
        expiresIn += 1;
        const made = await scene.issuer.token({ sub: 'a' }, { expiresIn });
        return { made, first: await status(made) };
      }).until(({ first }) => first === 200);
      await eventually(() => status(token.made)).until((last) => last === 401);
    });

    it('are refused if their issuer is unknown', async () => {
      expect(await status(scene.issuer.token({ sub: 'a' }, { issuer: 'https://unknown.example.org' }))).toBe(401);
      expect(await status(scene.issuer.token({ sub: 'a' }, { issuer: 'logbook' }))).toBe(401);
    });

    it('are answered 400 if they name no issuer', async () =>
      expectMessage(
        await scene.withToken(await scene.issuer.token({ sub: 'a' }, { issuer: null })).get('/operands'),
        400,
        "Missing 'iss' claim in access token.",
      ));

    it('are refused if they were altered, or signed with nothing or with the public key', async () => {
      const [header = '', payload = '', signature = ''] = (await scene.issuer.token({ sub: 'a' })).split('.');
      const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
      const forged = `${header}.${encoded({ ...claims, sub: 'root' })}.${signature}`;
      const unsigned = `${encoded({ alg: 'none' })}.${payload}.`;
      const hmac = `${encoded({ alg: 'HS256' })}.${payload}`;
      const confused = `${hmac}.${createHmac('sha256', 'key').update(hmac).digest('base64url')}`;
      for (const token of [forged, unsigned, confused, `${header}.${payload}.`, `${header}.${payload}`, `${header}.e30x.${signature}`])
        expect([token.slice(-20), await status(token)]).toEqual([token.slice(-20), 401]);
    });

    it('need a claim that identifies their holder where an id is needed', async () => {
      const nameless = scene.withToken(await scene.issuer.token({ name: 'n' }));
      expect((await nameless.get('/operands')).status).toBe(200);
      const text = "Unique identifiers [sub, client_id] weren't present in the access token.";
      expectMessage(await nameless.get(SYSTEM_ONLY), 400, text);
      expectMessage(await nameless.get('/clients/me'), 400, text);
      expectMessage(await nameless.post('/clients'), 400, text);
      expectMessage(await nameless.post('/admin/entitlements', '{'), 400, 'HTTP 400 Bad Request');
    });

    it('identify a user by `sub`, otherwise a service by `client_id`', async () => {
      await scene
        .withToken(await scene.issuer.token({ sub: 'user', client_id: 'service', name: 'N', email: 'e@example.org' }))
        .post('/clients');
      await scene.withToken(await scene.issuer.token({ client_id: 'service' })).post('/clients');
      const actors = pageIn(await scene.admin.get('/admin/actors')).content;
      expect(actors.map(({ oidc_id, name, email, issuer }) => ({ oidc_id, name, email, issuer }))).toEqual([
        { oidc_id: 'user', name: 'N', email: 'e@example.org', issuer: scene.issuer.url },
        { oidc_id: 'service', name: '', email: '', issuer: scene.issuer.url },
      ]);
    });

    it('are accepted at once if signed with new keys, which are fetched only when needed', async () => {
      expect(await status(scene.issuer.token({ sub: 'a' }))).toBe(200);
      const before = scene.issuer.fetches();
      for (let index = 0; index < 20; index++) expect(await status(scene.issuer.token({ sub: `user ${index}` }))).toBe(200);
      expect(scene.issuer.fetches()).toBe(before);

      const old = await scene.issuer.token({ sub: 'a', jti: 'never seen' });
      await scene.issuer.rotate();
      expect(await status(scene.issuer.token({ sub: 'a' }))).toBe(200);
      expect(scene.issuer.fetches()).toBe(before + 1);
      expect(await status(old)).toBe(401);
      for (let index = 0; index < 20; index++) expect(await status(`${old.slice(0, -4)}${1000 + index}`)).toBe(401);
      expect(scene.issuer.fetches()).toBeLessThanOrEqual(before + 6);
    });

    describe('an issuer that cannot be reached', () => {
      let other: OidcIssuer;
      beforeAll(async () => {
        other = await startOidcIssuer('/realms/late');
        const body = { ...TENANT, issuer: other.url, tenant_id: 'late' };
        expect((await scene.admin.post('/admin/oidc-tenants', body)).status).toBe(201);
      });
      afterAll(() => other.stop());

      it('makes calls answer 503 without a request to it for each, until it is back', async () => {
        const client = scene.withToken(await other.token({ voperson_id: 'v' }));
        other.fail(true);
        const before = other.requests();
        for (let index = 0; index < 10; index++) {
          const answer = await client.get('/operands');
          expect([answer.status, answer.json]).toEqual([503, { code: 503, message: expect.stringMatching(/./) }]);
        }
        expect(other.requests() - before).toBeLessThan(10);
        expect((await scene.admin.get('/operands')).status).toBe(200);
        other.fail(false);
        await eventually(() => client.get('/operands')).until(({ status: answered }) => answered === 200);
      });
    });
  });

  describe('the source of entitlements', () => {
    const mode = async (value: string) =>
      expect((await scene.admin.put('/admin/settings/ENTITLEMENTS_MANAGEMENT', { value })).status).toBe(200);

    it('is the database by default: entitlements in the token are ignored', async () => {
      const client = await scene.caller('root', entitlement('admin'));
      expectMessage(await client.get(SYSTEM_ONLY), 403, FORBIDDEN);
      await client.post('/clients');
      expectMessage(await client.get(SYSTEM_ONLY), 403, FORBIDDEN);
    });

    it('is the token in the mode oidc, from the change of the setting until it is changed back', async () => {
      const [client, other] = [await scene.caller('root', entitlement('admin')), await scene.caller('someone')];
      await mode('oidc');
      expect([(await client.get(SYSTEM_ONLY)).status, (await other.get(SYSTEM_ONLY)).status]).toEqual([200, 403]);
      expect((await scene.admin.get(SYSTEM_ONLY)).status).toBe(200);
      const strange = scene.withToken(await scene.issuer.token({ sub: 'x', entitlements: entitlement('admin') }));
      const mixed = scene.withToken(await scene.issuer.token({ sub: 'x', entitlements: [1, null, {}, entitlement('admin')] }));
      expect([(await strange.get(SYSTEM_ONLY)).status, (await mixed.get(SYSTEM_ONLY)).status]).toEqual([403, 200]);
      const nameless = scene.withToken(await scene.issuer.token({ entitlements: [entitlement('admin')] }));
      expect((await nameless.get(SYSTEM_ONLY)).status).toBe(200);
      expect((await nameless.post('/clients')).status).toBe(400);
      await mode('database');
      expect((await client.get(SYSTEM_ONLY)).status).toBe(403);
    });

    it.each([
      [entitlement('admin'), 200],
      [entitlement('viewer'), 403],
      [entitlement('owner'), 403],
      [entitlement('admin', 'operations', 'resources'), 403],
      [`${GROUP}2:role=admin`, 403],
      ['urn:other:group:accounting:role=admin', 403],
      [entitlement('admin').replace(':group:accounting', ':group:other'), 403],
      [entitlement('admin').replace(':group:accounting', ':group:other:group:accounting'), 403],
      [` ${entitlement('admin')}`, 403],
    ])('lets an entitlement named %s answer %i', async (name, status) => {
      await mode('oidc');
      const client = await scene.caller('named', name, entitlement('admin', 'some-project'));
      expect((await client.get(SYSTEM_ONLY)).status).toBe(status);
    });
  });
});
