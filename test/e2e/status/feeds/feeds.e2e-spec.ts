import { describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf, notFound } from '#test/e2e/status/contract.js';
import { agreeWith, estat, expectJson, newTenant, type TestTenant, UNDER_XML } from '#test/e2e/status/extended-contract.js';
import { unprocessable } from '#test/e2e/status/metric-data/metric-points.js';
import { ADMIN, deployments, embedded } from '#test/support/deployments.js';
import { recordsOf } from '#test/support/status-client.js';

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
    await agreeWith(other, tenant);
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
  const shownTo = async (tenant: TestTenant): Promise<readonly unknown[]> =>
    recordsOf(await tenant.get('/topology/groups?date=2024-01-01&mode=combined')).map(({ tenant: name }) => name ?? null);

  it('of data name tenants that have agreed, who may take that back', async () => {
    const [reader, owner, third] = [await newTenant(scene.status), await newTenant(scene.status), await newTenant(scene.status)];
    for (const one of [reader, owner])
      expect((await one.post('/topology/groups?date=2024-01-01', [{ group: 'g', type: 't', subgroup: one.name }])).status).toBe(201);
    const put = () => reader.put('/feeds/data', { tenants: [owner.name] });
    const refused = unprocessable(`Tenant ${owner.name} has not agreed that its topology is read`);
    const readers = (...tenants: readonly TestTenant[]) => ({ tenants: tenants.map(({ name }) => name) });
    expectJson(await owner.get('/feeds/data/readers'), 200, listOf(readers()));
    expectJson(await put(), 422, refused);
    await agreeWith(owner, third);
    expectJson(await put(), 422, refused);
    expectJson(await owner.put('/feeds/data/readers', readers(third, reader)), 200, updated(readers(third, reader)));
    expectJson(await owner.get('/feeds/data/readers'), 200, listOf(readers(third, reader)));
    expectJson(await put(), 200, updated({ tenants: [owner.name] }));
    expect(await shownTo(reader)).toEqual([null, owner.name]);

    const body = readers(third);
    const asOwner = { key: ADMIN, headers: { 'x-tenant-id': owner.id } };
    expectJson(await scene.status.put('/feeds/data/readers', { ...asOwner, body }), 200, updated(body));
    expect(await shownTo(reader)).toEqual([null]);
    expectJson(await put(), 422, refused);
    expectJson(await reader.get('/feeds/data'), 200, listOf({ tenants: [owner.name] }));
    expect((await scene.status.delete(`/admin/tenants/${third.id}`, { key: ADMIN })).status).toBe(200);
    expectJson(await owner.get('/feeds/data/readers'), 200, listOf(readers()));
    expectJson(await owner.put('/feeds/data/readers', body), 404, estat(404, `Tenant ${third.name} not found`));
  });

  it.each([
    ['topology', ['', '{"paginated":true}']],
    ['weights', ['', '{"feed_url":{}}']],
    ['data', ['', '{"tenants":[1]}']],
    ['data/readers', ['', '{"tenants":[1]}']],
  ])('of %s stay as they are if the body is malformed', async (kind, bodies) => {
    const tenant = await newTenant(scene.status);
    for (const body of bodies) expectError(await tenant.put(`/feeds/${kind}`, body), 'malformed');
    if (kind !== 'data/readers') expect((await tenant.get(`/feeds/${kind}`)).status).toBe(404);
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

describe('data feeds that are open', () => {
  const scene = serving(embedded, { LOGBOOK_FEEDS_DATA: 'open' });

  it('name any tenant, as in the original service', async () => {
    const [reader, owner] = [await newTenant(scene.status), await newTenant(scene.status)];
    expectJson(await reader.put('/feeds/data', { tenants: [owner.name] }), 200, updated({ tenants: [owner.name] }));
    const group = { group: 'g', type: 't', subgroup: 's' };
    for (const one of [reader, owner]) expect((await one.post('/topology/groups', [group])).status).toBe(201);
    expect(recordsOf(await reader.get('/topology/groups?mode=combined')).map(({ tenant }) => tenant)).toEqual([undefined, owner.name]);
  });
});
