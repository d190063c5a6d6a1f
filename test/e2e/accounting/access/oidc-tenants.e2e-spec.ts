import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountingServing,
  entitlement,
  expectMessage,
  OBJECT_ID,
  pageIn,
  TENANT,
  UNKNOWN_OBJECT_ID,
} from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';
import { type OidcIssuer, startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';

const TENANTS = '/admin/oidc-tenants';
const HIDDEN = '********';
const tenant = (name: string, changes: object = {}) => ({ issuer: `https://${name}.example.org`, ...TENANT, tenant_id: name, ...changes });
const noTenant = (id: string) => `There is no OIDC tenant configuration with the following id: ${id}`;

describe('OIDC tenants', () => {
  const scene = accountingServing(embedded);
  const created = async (name: string) => ((await scene.admin.post(TENANTS, tenant(name))).json as { id: string }).id;

  it('are created, shown without their secret, revised and deleted', async () => {
    const answer = await scene.admin.post(TENANTS, { id: 'mine', ...tenant('first') });
    const { id } = answer.json as { id: string };
    expect(id).toMatch(OBJECT_ID);
    const view = { id, ...tenant('first'), secret: HIDDEN };
    expect([answer.status, answer.json, answer.headers.get('location')]).toEqual([
      201,
      view,
      `${scene.server.url}/accounting-system${TENANTS}/${id}`,
    ]);
    expect(Object.keys(answer.json as object)).toEqual(Object.keys(view));
    expect((await scene.admin.get(`${TENANTS}/${id}`)).json).toEqual(view);
    expect(pageIn(await scene.admin.get(TENANTS)).content).toEqual([view]);

    const changes = {
      client_id: 'other',
      token_path: '/t',
      secret: HIDDEN,
      issuer: '',
      tenant_id: null,
      id: 'mine',
      entitlement_management: '',
    };
    const revised = await scene.admin.patch(`${TENANTS}/${id}`, changes);
    const after = { ...view, client_id: 'other', token_path: '/t' };
    expect([revised.status, revised.json]).toEqual([200, after]);
    expect((await scene.admin.get(`${TENANTS}/${id}`)).text).toBe(revised.text);
    for (const same of [{}, { secret: 'very-confidential' }, { issuer: 'https://first.example.org' }]) {
      const unchanged = await scene.admin.patch(`${TENANTS}/${id}`, same);
      expect([unchanged.status, unchanged.json]).toEqual([200, after]);
    }
    expect((await scene.admin.patch(`${TENANTS}/${id}`, { issuer: 'HTTPS://FIRST.example.org' })).status).toBe(200);

    expectMessage(await scene.admin.delete(`${TENANTS}/${id}`), 200, 'OIDC tenant configuration deleted successfully.');
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expectMessage(await scene.admin.call(method, `${TENANTS}/${id}`, { body: {} }), 404, noTenant(id));
    expect(pageIn(await scene.admin.get(TENANTS)).content).toEqual([]);
  });

  it.each(Object.keys(tenant('x')))('need a value for %s', async (field) => {
    for (const value of [null, '', undefined])
      expectMessage(await scene.admin.post(TENANTS, tenant('lacking', { [field]: value })), 400, `${field} may not be empty.`);
  });

  it('are refused for the first field that is missing, then for invalid values', async () => {
    expectMessage(await scene.admin.post(TENANTS, {}), 400, 'issuer may not be empty.');
    expectMessage(await scene.admin.post(TENANTS), 400, 'The request body is empty.');
    const wrong = 'Invalid value for entitlement management : Database';
    expectMessage(await scene.admin.post(TENANTS, tenant('wrong', { entitlement_management: 'Database' })), 400, wrong);
    const id = await created('valued');
    expectMessage(await scene.admin.patch(`${TENANTS}/${id}`, { entitlement_management: 'Database' }), 400, wrong);
    expectMessage(await scene.admin.patch(`${TENANTS}/${id}`), 400, 'The request body is empty.');
    for (const entitlement_management of ['database', 'oidc'])
      expect((await scene.admin.patch(`${TENANTS}/${id}`, { entitlement_management })).json).toMatchObject({ entitlement_management });
  });

  it('have unique issuers and ids, in any letter case', async () => {
    const [, second] = [await created('unique'), await created('second')];
    const [issuer, tenant_id] = ['https://UNIQUE.example.org', 'Unique'];
    const registered = (what: string, value: string) =>
      `OIDC tenant configuration with ${what} [${value}] has already been registered in Accounting Service.`;
    expectMessage(await scene.admin.post(TENANTS, tenant('other', { issuer })), 409, registered('issuer', issuer));
    expectMessage(await scene.admin.post(TENANTS, tenant('other', { tenant_id })), 409, registered('tenant ID', tenant_id));
    expectMessage(await scene.admin.post(TENANTS, tenant('other', { issuer, tenant_id })), 409, registered('issuer', issuer));
    expectMessage(await scene.admin.patch(`${TENANTS}/${second}`, { issuer }), 409, 'Issuer already in use.');
    expectMessage(await scene.admin.patch(`${TENANTS}/${second}`, { tenant_id }), 409, 'Tenant ID already in use.');
  });

  it.each([UNKNOWN_OBJECT_ID, UNKNOWN_OBJECT_ID.toUpperCase(), 'nonsense', 'x'.repeat(2_000)])('are 404 for the id %s', async (id) => {
    for (const [method, body] of [['GET'], ['PATCH', {}], ['PATCH', ''], ['DELETE']] as const)
      expectMessage(await scene.admin.call(method, `${TENANTS}/${id}`, { body }), 404, noTenant(id));
  });

  it('leave no readable secret on disk or in the log of the server', async () => {
    await scene.admin.post(TENANTS, tenant('secretive', { secret: 'never-in-the-clear' }));
    const folders = await readdir(scene.deployment.dataDirectory, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(folders.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'latin1')));
    expect(texts.some((text) => text.includes('secretive.example.org'))).toBe(true);
    for (const text of [...texts, ...scene.server.lines]) expect(text.includes('never-in-the-clear')).toBe(false);
  });
});

describe('callers of an OIDC tenant', () => {
  const scene = accountingServing(embedded);
  let issuer: OidcIssuer;
  let id: string;
  const admin = 'urn:other:group:usage:role=admin';
  beforeAll(async () => {
    issuer = await startOidcIssuer('/realms/one');
  });
  afterAll(() => issuer.stop());
  const tenantToken = async (claims: object) => scene.withToken(await issuer.token({ ...claims }));

  it('are refused until the tenant is registered', async () => {
    const client = await tenantToken({ voperson_id: 'v', entitlements: [admin] });
    expect((await client.get('/operands')).status).toBe(401);
    const created = await scene.admin.post('/admin/oidc-tenants', { ...TENANT, issuer: issuer.url.toUpperCase().replace('HTTP', 'http') });
    expect(created.status).toBe(201);
    ({ id } = created.json as { id: string });
    // Its path differs in letter case: the issuer is the same, but its documents are not found there.
    expect((await client.get('/operands')).status).toBe(503);
    expect((await scene.admin.patch(`/admin/oidc-tenants/${id}`, { issuer: issuer.url })).status).toBe(200);
    expect((await client.get('/operands')).status).toBe(200);
  });

  it('are identified by the claims, the namespace and the parent group of the tenant', async () => {
    await (await tenantToken({ voperson_id: 'v', sub: 's' })).post('/clients');
    await (await tenantToken({ azp: 'service', sub: 's' })).post('/clients');
    const actors = pageIn(await scene.admin.get('/admin/actors')).content;
    expect(actors.map(({ oidc_id, issuer: of }) => [oidc_id, of])).toEqual([
      ['v', issuer.url],
      ['service', issuer.url],
    ]);
    expectMessage(
      await (await tenantToken({ sub: 's' })).post('/clients'),
      400,
      "Unique identifiers [voperson_id, azp] weren't present in the access token.",
    );
    const reads = async (...entitlements: readonly string[]) =>
      (await (await tenantToken({ voperson_id: 'v', entitlements })).get('/providers')).status;
    expect([await reads(admin), await reads('urn:other:group:usage:operations:resources:role=viewer')]).toEqual([200, 200]);
    expect([await reads(entitlement('admin')), await reads('urn:other:group:accounting:role=admin'), await reads()]).toEqual([
      403, 403, 403,
    ]);
  });

  it('have the entitlements of the database if the tenant says so', async () => {
    expect((await scene.admin.patch(`/admin/oidc-tenants/${id}`, { entitlement_management: 'database' })).status).toBe(200);
    const client = await tenantToken({ voperson_id: 'v', entitlements: [admin] });
    expect((await client.get('/providers')).status).toBe(403);
    const actor = pageIn(await scene.admin.get('/admin/actors')).content.find(({ oidc_id }) => oidc_id === 'v');
    const created = (await scene.admin.post('/admin/entitlements', { name: admin })).json as { id: string };
    expect((await scene.admin.post(`/admin/entitlements/${created.id}/assign/${actor?.id}`)).status).toBe(200);
    expect((await client.get('/providers')).status).toBe(200);
    const namesake = scene.withToken(await scene.issuer.token({ sub: 'v' }));
    expect((await namesake.get('/providers')).status).toBe(403);
  });

  it('are refused once the tenant is deleted', async () => {
    const client = await tenantToken({ voperson_id: 'v' });
    expect((await client.get('/operands')).status).toBe(200);
    expect((await scene.admin.delete(`/admin/oidc-tenants/${id}`)).status).toBe(200);
    expect((await client.get('/operands')).status).toBe(401);
  });

  it('are refused if the issuer is neither https nor on loopback', async () => {
    const body = { ...TENANT, issuer: 'http://idp.example.org', tenant_id: 'plain' };
    expect((await scene.admin.post('/admin/oidc-tenants', body)).status).toBe(201);
    const client = scene.withToken(await issuer.token({ voperson_id: 'v' }, { issuer: 'http://idp.example.org' }));
    expect((await client.get('/operands')).status).toBe(401);
  });
});
