import { describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf, notFound } from '#test/e2e/status/contract.js';
import { estat, expectJson, newTenant, rolesOf, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { ADMIN, deployments, embedded } from '#test/support/deployments.js';

const updated = (feed: object) => ({ status: { message: 'Feeds resource succesfully updated', code: '200' }, data: [feed] });
const topology = {
  type: 'gocdb',
  feed_url: 'https://f.example/<a>&b',
  paginated: 'true',
  fetch_type: ['item1', 'item2'],
  uid_endpoints: 'e',
};
const weights = { type: 'vapor', feed_url: 'https://w.example', weight_type: 'hepspec', group_type: 'SITES' };
const NO_DATA_FEED = estat(404, 'No tenant data feeds were defined. Please specify new ones!');

describe.each(deployments)('feeds on %s', (_name, open) => {
  const scene = serving(open);

  it.each([
    ['topology', topology, { type: '', feed_url: '', paginated: '', fetch_type: [], uid_endpoints: '' }],
    ['weights', weights, { type: '', feed_url: '', weight_type: '', group_type: '' }],
  ])('of %s are one object each, which is replaced as a whole', async (kind, feed, empty) => {
    const tenant = await newTenant(scene.status);
    const path = `/feeds/${kind}`;
    expectJson(await tenant.get(path), 404, notFound);
    const reversed = Object.fromEntries(Object.entries(feed).reverse());
    expectJson(await tenant.put(path, { ...reversed, id: 5 }), 200, updated(feed));
    expectJson(await tenant.get(path), 200, listOf(feed));
    expectJson(await tenant.put(path, feed), 200, updated(feed));
    expectJson(await (await newTenant(scene.status)).get(path), 404, notFound);
    expectJson(await tenant.put(path, { type: 'x' }), 200, updated({ ...empty, type: 'x' }));
    expectJson(await tenant.get(path), 200, listOf({ ...empty, type: 'x' }));
    expectJson(await tenant.put(path, 'null'), 200, updated(empty));
  });

  it('of data name tenants, and keep them when they get other names', async () => {
    const [tenant, other] = [await newTenant(scene.status), await newTenant(scene.status)];
    expectJson(await tenant.get('/feeds/data'), 404, NO_DATA_FEED);
    const feed = { tenants: [other.name, tenant.name, other.name] };
    expectJson(await tenant.put('/feeds/data', feed), 200, updated(feed));
    expectJson(await tenant.get('/feeds/data'), 200, listOf(feed));
    expectJson(await other.get('/feeds/data'), 404, NO_DATA_FEED);

    expectJson(await tenant.put('/feeds/data', { tenants: [other.name, 'nobody', 'none'] }), 404, estat(404, 'Tenant nobody not found'));
    expectJson(await tenant.get('/feeds/data'), 200, listOf(feed));

    const renamed = { info: { name: `${other.name} renamed` }, users: [] };
    expect((await scene.status.put(`/admin/tenants/${other.id}`, { key: ADMIN, body: renamed })).status).toBe(200);
    expectJson(await tenant.get('/feeds/data'), 200, listOf({ tenants: [renamed.info.name, tenant.name, renamed.info.name] }));
    expectJson(await tenant.put('/feeds/data', { tenants: [other.name] }), 404, estat(404, `Tenant ${other.name} not found`));

    expect((await scene.status.delete(`/admin/tenants/${other.id}`, { key: ADMIN })).status).toBe(200);
    const gone = estat(404, `Tenant with ID: ${other.id} not found. Please update the feed correctly!`);
    expectJson(await tenant.get('/feeds/data'), 404, gone);
    expectJson(await tenant.put('/feeds/data', {}), 200, updated({ tenants: [] }));
    expectJson(await tenant.get('/feeds/data'), 200, listOf({ tenants: [] }));
  });
});

describe('feeds', () => {
  const scene = serving(embedded);

  it.each([
    ['topology', ['', '{"paginated":true}']],
    ['weights', ['', '{"feed_url":{}}']],
    ['data', ['', '{"tenants":[1]}']],
  ])('of %s stay as they are if the body is malformed', async (kind, bodies) => {
    const tenant = await newTenant(scene.status);
    for (const body of bodies) expectError(await tenant.put(`/feeds/${kind}`, body), 'malformed');
    expect((await tenant.get(`/feeds/${kind}`)).status).toBe(404);
    for (const method of ['POST', 'DELETE']) expect((await tenant.call(method, `/feeds/${kind}`)).status).toBe(405);
  });

  it.each(['topology', 'weights', 'data'])('of %s are for admins and editors', async (kind) => {
    const tenant = await newTenant(scene.status);
    for (const method of ['GET', 'PUT']) expect(await rolesOf(tenant, method, `/feeds/${kind}`)).toEqual(['admin', 'editor']);
    expectError(await scene.status.get(`/feeds/${kind}`), 'unauthorized');
  });

  it('answer in JSON under Accept: application/xml, and with errors in XML', async () => {
    const tenant = await newTenant(scene.status);
    expectJson(await tenant.put('/feeds/weights', weights, UNDER_XML), 200, updated(weights));
    expectJson(await tenant.get('/feeds/weights', UNDER_XML), 200, listOf(weights));
    expect((await tenant.get('/feeds/data', UNDER_XML)).text).toBe(
      `<root>\n <status>\n  <message>${NO_DATA_FEED.status.message}</message>\n  <code>404</code>\n </status>\n</root>`,
    );
  });
});
