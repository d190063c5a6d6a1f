import { beforeAll, describe, expect, it } from '@jest/globals';
import { projectBody, records } from '#test/e2e/accounting/records.js';
import { accountingServing, entitlement, pageIn, TENANT } from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';
import { startOidcIssuer } from '#test/support/oidc/oidc-issuer.js';

type Permission = Readonly<{ access_permissions: readonly object[]; collection: string }>;
const may = (collection: string, ...operations: readonly string[]): Permission => ({
  access_permissions: operations.map((operation) => ({ operation, access_type: 'ALWAYS' })),
  collection,
});
const ALL = ['READ', 'CREATE', 'UPDATE', 'DELETE'];
const below = [may('Metric', ...ALL), may('Installation', ...ALL)];
const onProject = [may('Project', 'ASSOCIATE', 'DISSOCIATE', 'READ'), ...below];
const readBelow = [may('Metric', 'READ'), may('Installation', 'READ')];
const readProject = [may('Project', 'READ'), ...readBelow];

describe('the list of own projects', () => {
  const scene = accountingServing(embedded);
  const make = records(() => scene.admin);
  const installations: Record<string, string> = {};
  let definition: string;

  beforeAll(async () => {
    await scene.trustTokens();
    for (const id of ['one', 'two', 'three']) await make.project(id);
    for (const id of ['p', 'q']) await make.provider(id, { website: `https://${id}.example.org` });
    for (const [project, provider] of [
      ['one', 'p'],
      ['one', 'q'],
      ['two', 'p'],
    ] as const)
      await make.associate(project, provider);
    definition = String((await make.definition()).metric_definition_id);
    for (const [name, more] of [
      ['i', { unit_of_access: definition }],
      ['j', {}],
    ] as const)
      installations[name] = String((await make.installation('one', 'p', { installation: name, ...more })).id);
  });

  const leaf = (name: string, permissions: readonly Permission[]) => ({
    id: installations[name],
    infrastructure: 'i',
    installation: name,
    unit_of_access: name === 'i' ? definition : null,
    permissions,
  });
  const provider = (id: string, permissions: readonly Permission[], ...leaves: readonly object[]) => ({
    id,
    name: `name of ${id}`,
    website: `https://${id}.example.org`,
    abbreviation: null,
    logo: null,
    installations: leaves,
    permissions,
  });
  const project = (id: string, permissions: readonly Permission[], ...providers: readonly object[]) => ({
    ...projectBody(id),
    providers,
    permissions,
  });
  const treeOfOne = (onIt: readonly Permission[], under: readonly Permission[]) =>
    project('one', onIt, provider('p', under, leaf('i', under), leaf('j', under)), provider('q', under));
  const mine = async (...entitlements: readonly string[]) =>
    pageIn(await (await scene.caller('someone', ...entitlements)).get('/clients/me')).content;

  it('has every project for a system administrator, of any tenant', async () => {
    const everything = [treeOfOne(onProject, below), project('two', onProject, provider('p', below)), project('three', onProject)];
    expect(pageIn(await scene.admin.get('/clients/me')).content).toEqual(everything);
    expect(await mine(entitlement('admin'))).toEqual(everything);
    const page = pageIn(await scene.admin.get('/clients/me?page=2&size=2'));
    expect([page.total_elements, page.total_pages, page.content]).toEqual([3, 2, everything.slice(2)]);
    expect(page.links.map(({ rel }) => rel)).toEqual(['first', 'last', 'self', 'prev']);
    const issuer = await startOidcIssuer('/realms/other');
    try {
      expect((await scene.admin.post('/admin/oidc-tenants', { ...TENANT, issuer: issuer.url })).status).toBe(201);
      const token = await issuer.token({ voperson_id: 'v', entitlements: ['urn:other:group:usage:role=admin'] });
      expect(pageIn(await scene.withToken(token).get('/clients/me')).content).toEqual(everything);
    } finally {
      await issuer.stop();
    }
  });

  it('has a whole project for an entitlement on the project', async () => {
    expect(await mine(entitlement('admin', 'one'))).toEqual([treeOfOne(onProject, below)]);
    expect(await mine(entitlement('viewer', 'one'))).toEqual([treeOfOne(readProject, readBelow)]);
  });

  it('has one provider of a project for an entitlement on the provider', async () =>
    expect(await mine(entitlement('admin', 'one', 'p'))).toEqual([
      project('one', [], provider('p', below, leaf('i', below), leaf('j', below))),
    ]));

  it('has one installation for an entitlement on the installation', async () =>
    expect(await mine(entitlement('viewer', 'one', 'p', installations.j ?? ''))).toEqual([
      project('one', [], provider('p', [], leaf('j', readBelow))),
    ]));

  it('has one element for each entitlement', async () => {
    const names = [entitlement('admin', 'two'), entitlement('viewer', 'one', 'q'), entitlement('viewer', 'two')];
    expect(await mine(...names)).toEqual([
      project('two', onProject, provider('p', below)),
      project('one', [], provider('q', readBelow)),
      project('two', readProject, provider('p', readBelow)),
    ]);
    const client = await scene.caller('someone', ...names);
    const page = pageIn(await client.get('/clients/me?page=3&size=1'));
    expect([page.total_elements, page.content.map(({ id }) => id)]).toEqual([3, ['two']]);
  });

  it.each([
    ['without any', []],
    ['on everything, as a viewer', [entitlement('viewer')]],
    ['on what is not there', [entitlement('admin', 'none'), entitlement('admin', 'one', 'none'), entitlement('admin', 'one', 'p', 'none')]],
    ['on a provider of another project', [entitlement('admin', 'two', 'q'), entitlement('admin', 'three', 'p')]],
    ['on an installation of another provider', ['one', 'two'].map((id) => entitlement('admin', id, 'q', installations.i ?? 'none'))],
    ['of shapes that are reserved', [entitlement('admin', 'roles', 'provider', 'p'), entitlement('admin', 'operations', 'resources')]],
    ['below an installation', [entitlement('admin', 'one', 'p', 'i', 'x')]],
    ['of a role that grants nothing', [entitlement('owner', 'one')]],
    ['of another group', [entitlement('admin', 'one').replace(':accounting:', ':other:')]],
  ])('is empty for entitlements %s', async (_what, entitlements) => expect(await mine(...entitlements)).toEqual([]));

  it('is empty for a caller who is not registered, where entitlements come from the database', async () => {
    expect((await scene.admin.put('/admin/settings/ENTITLEMENTS_MANAGEMENT', { value: 'database' })).status).toBe(200);
    expect(await mine(entitlement('admin'))).toEqual([]);
  });
});
