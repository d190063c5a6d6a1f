import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectCreated, expectRecord, fresh, PUBLIC_URL, projectBody, records } from '#test/e2e/accounting/records.js';
import { accountingServing, entitlement, expectMessage, FORBIDDEN, OBJECT_ID, pageIn } from '#test/e2e/accounting/serving.js';
import { type Deployment, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const notFound = (id: string) => `There is no Provider with the following id: ${id}`;
const nameTaken = (name: string) => `There is a Provider with name: ${name}`;
const idTaken = (id: string) => `There is a Provider with id: ${id}`;

describe('providers', () => {
  const scene = accountingServing(embedded, { LOGBOOK_PUBLIC_URL: PUBLIC_URL });
  const make = records(() => scene.admin);
  beforeAll(() => scene.trustTokens());

  it('are registered under the id that the caller chose, changed and deleted', async () => {
    const operator = await scene.caller('operator', entitlement('admin', 'operations', 'resources'));
    const [id, renamed] = [fresh('provider'), fresh('provider')];
    const body = { id, name: `${id} n`, website: 'https://w', abbreviation: 'ab', logo: 'https://l' };
    const stored = { ...body, external_id: UUID, creator_id: 'operator' };
    const created = await operator.post('/providers', { ...body, creator_id: 'x' });
    expectCreated(created, `/providers/${id}`, stored);
    expect(Object.keys(created.json as object)).toEqual(['id', 'name', 'website', 'abbreviation', 'logo', 'external_id', 'creator_id']);
    const { external_id } = created.json as { external_id: string };
    expectRecord(await operator.get(`/providers/${id}`), 200, created.json);
    expectRecord(await operator.get(`/providers/external?externalId=${external_id}`), 200, created.json);
    const changes = { id: renamed, name: `${id} m`, website: '', abbreviation: null, logo: 'x', external_id: 'no', creator_id: 'no' };
    const changed = { ...(created.json as object), id: renamed, name: `${id} m`, logo: 'x' };
    expectRecord(await operator.patch(`/providers/${id}`, changes), 200, changed);
    expectRecord(await operator.patch(`/providers/${renamed}`, { id: renamed, name: `${id} m` }), 200, changed);
    expectRecord(await operator.get(`/providers/external?externalId=${external_id}`), 200, changed);
    expectMessage(await operator.get(`/providers/${id}`), 404, notFound(id));
    expectCreated(await operator.post('/providers', { id, name: `${id} n` }), `/providers/${id}`, {
      ...{ id, name: `${id} n`, website: null, abbreviation: null, logo: null, external_id: UUID, creator_id: 'operator' },
    });
    expectMessage(await operator.delete(`/providers/${renamed}`), 200, 'Provider has been deleted successfully.');
    expectMessage(await operator.delete(`/providers/${renamed}`), 404, notFound(renamed));
    const gone = `There is no Provider with external id: ${external_id}`;
    expectMessage(await operator.get(`/providers/external?externalId=${external_id}`), 404, gone);
  });

  it.each([undefined, null, ''])('get a generated id if theirs is %j', async (id) => {
    const operator = await scene.caller('operator', entitlement('admin', 'operations', 'resources'));
    const name = fresh('nameless');
    const header = { headers: { 'idempotency-key': name } };
    const created = await operator.post('/providers', { id, name }, header);
    const { id: made } = created.json as { id: string };
    expect(made).toMatch(OBJECT_ID);
    const stored = { id: made, name, website: null, abbreviation: null, logo: null, external_id: UUID, creator_id: 'operator' };
    expectCreated(created, `/providers/${made}`, stored);
    expect((await operator.post('/providers', { id, name }, header)).text).toBe(created.text);
    expectRecord(await operator.get(`/providers/${made}`), 200, created.json);
    await make.associate(await make.project(), made);
  });

  it('are checked in the order of the contract', async () => {
    const [outsider, viewer] = [
      await scene.caller('outsider', entitlement('admin', 'elsewhere')),
      await scene.caller('viewer', entitlement('viewer', 'operations', 'resources')),
    ];
    const external_id = fresh('external');
    const [one, two] = [await make.provider(undefined, { external_id }), await make.provider()];
    expectMessage(await viewer.patch('/providers/nosuch', undefined), 403, FORBIDDEN);
    for (const path of ['/providers?page=0', '/providers/nosuch', '/providers/external'])
      expectMessage(await outsider.get(path), 403, FORBIDDEN);
    expectMessage(await viewer.get('/providers/nosuch'), 404, notFound('nosuch'));
    for (const query of ['', '?externalId='])
      expectMessage(await viewer.get(`/providers/external${query}`), 400, 'externalId may not be empty.');

    const steps: readonly (readonly [object, number, string])[] = [
      [{ id: '' }, 400, 'name may not be empty.'],
      [{ id: 'a.b', name: null }, 400, 'name may not be empty.'],
      [{ name: `name of ${one}`, external_id }, 400, 'Provider ID should not contain a dot character.'],
      [{ id: two }, 409, idTaken(two)],
      [{ id: fresh('provider') }, 409, nameTaken(`name of ${one}`)],
      [{ name: `name of ${one}`.toUpperCase() }, 409, 'external_id already exists'],
    ];
    expectMessage(await scene.admin.post('/providers', undefined), 400, 'The request body is empty.');
    expectMessage(await scene.admin.post('/providers', '{'), 400, 'HTTP 400 Bad Request');
    let body = {};
    for (const [more, code, message] of steps) {
      body = { ...body, ...more };
      expectMessage(await scene.admin.post('/providers', body), code, message);
    }

    expectMessage(await scene.admin.patch('/providers/nosuch', undefined), 404, notFound('nosuch'));
    expectMessage(await scene.admin.patch(`/providers/${one}`, undefined), 400, 'The request body is empty.');
    expectMessage(await scene.admin.patch(`/providers/${one}`, { id: 'a.b' }), 400, 'Provider ID should not contain a dot character.');
    const project = await make.project();
    await make.associate(project, one);
    expectMessage(await scene.admin.patch(`/providers/${one}`, { id: two, name: `name of ${two}` }), 409, idTaken(two));
    expectMessage(await scene.admin.patch(`/providers/${one}`, { name: `name of ${two}` }), 409, nameTaken(`name of ${two}`));
    expectMessage(await scene.admin.patch(`/providers/${one}`, {}), 403, 'You cannot update a Provider which belongs to a Project.');
    expectMessage(await scene.admin.delete(`/providers/${one}`), 403, 'You cannot delete a Provider which belongs to a Project.');
    await scene.admin.delete(`/admin/projects/${project}`);
    expect((await scene.admin.delete(`/providers/${one}`)).status).toBe(200);
  });

  it('may have an id with a slash, or one that is too long for a header', async () => {
    const id = `${fresh('21T1')}/abc`;
    const path = `/providers/${encodeURIComponent(id)}`;
    const stored = { id, name: id, website: null, abbreviation: null, logo: null, external_id: UUID, creator_id: expect.any(String) };
    expectCreated(await scene.admin.post('/providers', { id, name: id }), path, stored);
    expectRecord(await scene.admin.get(path), 200, stored);
    expectMessage(await scene.admin.put(path), 405, 'HTTP 405 Method Not Allowed');
    expectMessage(await scene.admin.delete(path), 200, 'Provider has been deleted successfully.');
    expectMessage(await scene.admin.get(path), 404, notFound(id));
    const long = await scene.admin.post('/providers', { id: 'x'.repeat(20_000), name: fresh('long') });
    expect([long.status, long.headers.has('location')]).toEqual([201, false]);
  });

  it('are registered once with the same Idempotency-Key', async () => {
    const body = { id: fresh('provider'), name: fresh('name') };
    const post = () => scene.admin.post('/providers', body, { headers: { 'idempotency-key': 'p' } });
    const first = await post();
    expect([first.status, (await post()).text]).toEqual([201, first.text]);
  });

  it('are listed by project with their installations', async () => {
    const { project, provider } = await make.pair();
    const [second, resource] = [await make.project(), await make.resource()];
    await make.associate(second, provider);
    const one = await make.installation(project, provider, { resource });
    const leaf = { id: one.id, infrastructure: 'i', installation: one.installation, external_id: one.external_id, resource };
    const entry = (id: string, ...installations: readonly object[]) => ({
      ...{ id: provider, name: `name of ${provider}`, website: null, abbreviation: null, logo: null },
      ...{ project_id: id, project_acronym: projectBody(id).acronym, installations },
    });
    const viewer = await scene.caller('viewer', entitlement('viewer', 'operations', 'resources'));
    const { total_elements } = pageIn(await viewer.get('/providers/all'));
    const last = pageIn(await viewer.get(`/providers/all?size=1&page=${total_elements - 1}`));
    expect([last.content, last.links.length]).toEqual([[entry(project, leaf)], expect.any(Number)]);
    expect(pageIn(await viewer.get(`/providers/all?size=1&page=${total_elements}`)).content).toEqual([entry(second)]);
    expect((await viewer.get('/providers/all', { contentType: 'text/plain' })).status).toBe(415);
  });

  it('stay while they are in use, and so do resources', async () => {
    const [outsider, id] = [await scene.caller('outsider'), fresh('resource')];
    for (const call of [outsider.post('/admin/resources', undefined), outsider.delete('/admin/resources/nosuch')])
      expectMessage(await call, 403, FORBIDDEN);
    expectMessage(await scene.admin.post('/admin/resources', undefined), 400, 'The request body is empty.');
    expectMessage(await scene.admin.post('/admin/resources', { name: '' }), 400, 'id may not be empty.');
    expectMessage(await scene.admin.post('/admin/resources', { id }), 400, 'name may not be empty.');
    expectCreated(await scene.admin.post('/admin/resources', { id, name: 'n' }), `/admin/resources/${id}`, { id, name: 'n' });
    const taken = `Resource with ID [${id}] has already been registered in Accounting Service.`;
    expectMessage(await scene.admin.post('/admin/resources', { id, name: 'other' }), 409, taken);
    const { total_elements } = pageIn(await outsider.get('/resources'));
    expect(pageIn(await outsider.get(`/resources?size=1&page=${total_elements}`)).content).toEqual([{ id, name: 'n' }]);
    const { project, provider } = await make.pair();
    const installation = await make.installation(project, provider, { resource: id });
    expectMessage(
      await scene.admin.delete(`/admin/resources/${id}`),
      409,
      'Resource cannot be deleted. It is assigned to an Installation.',
    );
    await scene.admin.delete(`/installations/${installation.id}`);
    expectMessage(await scene.admin.delete(`/admin/resources/${id}`), 200, 'Resource deleted successfully.');
    expectMessage(await scene.admin.delete(`/admin/resources/${id}`), 404, `There is no Resource with the following id: ${id}`);
    expect((await scene.anonymous.get('/resources')).status).toBe(401);
  });
});

const entry = (id: string, name = `name of ${id}`) => ({ id, name, website: 'w', abbreviation: 'a', logo: 'l', extra: { a: 1 } });
const imported = ({ extra: _, ...rest }: ReturnType<typeof entry>) => ({ ...rest, external_id: null, creator_id: '' });

describe('a catalogue of providers in a file', () => {
  let file = '';
  const open = async (): Promise<Deployment> => {
    const deployment = await embedded();
    file = join(deployment.dataDirectory, 'catalogue.json');
    await writeFile(file, JSON.stringify([entry('eosc.one'), entry('two'), { id: 'nameless' }, 7]));
    const environment = { LOGBOOK_PROVIDER_CATALOGUE: file, LOGBOOK_PROVIDER_CATALOGUE_INTERVAL: '1s' };
    return { ...deployment, environment: { ...deployment.environment, ...environment } };
  };
  const scene = accountingServing(open);
  const make = records(() => scene.admin);
  const health = async () => (await scene.root.get('/health')).json as { status: string; providerCatalogue: Record<string, unknown> };

  it('is imported at start; its providers can be used like others but not changed', async () => {
    const page = await eventually(async () => pageIn(await scene.admin.get('/providers'))).until(
      ({ total_elements }) => total_elements === 2,
    );
    expect(page.content).toEqual([imported(entry('eosc.one')), imported(entry('two'))]);
    const from = 'a Provider which derives from EOSC-Portal.';
    expectMessage(await scene.admin.patch('/providers/two', { name: 'x' }), 403, `You cannot update ${from}`);
    expectMessage(await scene.admin.delete('/providers/eosc.one'), 403, `You cannot delete ${from}`);
    expectMessage(await scene.admin.post('/providers', { id: 'two', name: 'x' }), 409, idTaken('two'));
    expectMessage(await scene.admin.post('/providers', { id: 'x', name: 'name of two' }), 409, nameTaken('name of two'));
    const project = await make.project();
    await make.associate(project, 'eosc.one');
    await make.installation(project, 'eosc.one');
    expectMessage(await scene.admin.patch('/providers/eosc.one', {}), 403, `You cannot update ${from}`);
    expect(await health()).toMatchObject({ status: 'up', providerCatalogue: { status: 'up', entries: 2 } });
  });

  it('is read again at intervals; registered providers win, vanished entries stay, and a broken list changes nothing', async () => {
    const local = await make.provider('local');
    await writeFile(file, JSON.stringify({ total: 3, results: [entry('two', 'new name'), entry(local), entry('three')] }));
    await eventually(() => scene.admin.get('/providers/three')).until(({ status }) => status === 200);
    const list = [imported(entry('eosc.one')), imported(entry('two', 'new name')), expect.objectContaining({ id: local, website: null })];
    expect(pageIn(await scene.admin.get('/providers')).content).toEqual([...list, imported(entry('three'))]);
    await eventually(async () => scene.server.lines.some((line) => line.includes('"local"') && line.includes('registered here'))).until(
      (isSaid) => isSaid,
    );

    await writeFile(file, '{"results": 5}');
    await eventually(health).until(({ providerCatalogue }) => providerCatalogue.status === 'down');
    expect((await health()).status).toBe('up');
    expect(pageIn(await scene.admin.get('/providers')).total_elements).toBe(4);
    await writeFile(file, await readFile(file, 'utf8').then(() => '[]'));
    await eventually(health).until(({ providerCatalogue }) => providerCatalogue.status === 'up');
    expect(pageIn(await scene.admin.get('/providers')).total_elements).toBe(4);
  });
});

describe('a catalogue of providers at a URL', () => {
  const listener = {
    LOGBOOK_AMS_LISTENER_SECRETS: 'one,two',
    LOGBOOK_AMS_LISTENER_PROJECT: 'announced',
    LOGBOOK_AMS_VERIFICATION_HASH: 'h4sh',
  };
  const open = async (): Promise<Deployment> => {
    const deployment = await embedded();
    const all = Array.from({ length: 230 }, (_, index) => entry(`p${index}`));
    const server = createServer((request, response) => {
      const quantity = Number(new URL(request.url ?? '', 'http://x').searchParams.get('quantity') ?? 10);
      response.end(JSON.stringify({ total: all.length, results: all.slice(0, quantity) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/provider/all?catalogue_id=all`;
    return {
      ...deployment,
      environment: { ...deployment.environment, ...listener, LOGBOOK_PROVIDER_CATALOGUE: url, LOGBOOK_PROVIDER_CATALOGUE_INTERVAL: '1s' },
      dispose: () => {
        server.close();
        return deployment.dispose();
      },
    };
  };
  const scene = accountingServing(open);
  const push = (data: unknown, authorization = 'two') => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    const body = { message: { attributes: {}, data: Buffer.from(text).toString('base64'), messageId: '1' }, subscription: 's' };
    return scene.anonymous.post('/ams-listener', body, { headers: { authorization } });
  };
  const CONSUMED = 'AMS message has been successfully consumed';

  it('is imported completely', async () => {
    const page = await eventually(async () => pageIn(await scene.admin.get('/providers?size=100&page=3'))).until(
      ({ total_elements }) => total_elements === 230,
    );
    expect(page.content.at(-1)).toEqual(imported(entry('p229')));
  });

  it('announces providers and installations, which are taken up once', async () => {
    const provider = { id: 'eosc.new', name: 'New', abbreviation: 'N', logo: 'l', website: 'w' };
    const approved = { status: 'approved provider', provider };
    const missing = 'There is no Project with id : announced to which the AMS messages can be associated.';
    expectMessage(await push(approved), 500, missing);
    expect((await scene.admin.post('/admin/projects', projectBody('announced'))).status).toBe(201);
    for (let time = 0; time < 2; time++) expectMessage(await push(approved), 200, CONSUMED);
    const service = { id: 'eosc.service', name: 'Service', resourceOrganisation: 'eosc.new' };
    for (let time = 0; time < 2; time++) expectMessage(await push({ status: 'approved resource', service }), 200, CONSUMED);
    const { providers } = (await scene.admin.get('/projects/announced')).json as { providers: readonly object[] };
    const installations = [
      { id: expect.any(String), infrastructure: 'Service', installation: 'eosc.service', external_id: 'eosc.service' },
    ];
    const { id: external_id, ...values } = provider;
    expect(providers).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{24}$/), external_id, ...values, installations }]);
    const unknown = { ...service, id: 'x', resourceOrganisation: 'nosuch' };
    const noProvider = 'There is no Provider with external id: nosuch';
    expectMessage(await push({ status: 'approved resource', service: unknown }), 404, noProvider);
    expectMessage(await push({ status: 'approved resource' }), 400, 'id may not be empty.');
  });

  it('changes nothing by other messages', async () => {
    for (const status of [undefined, null, '']) expectMessage(await push({ status }), 200, 'Service catalogue message status is empty.');
    for (const status of ['pending', 'toString'])
      expectMessage(await push({ status }), 200, `Unknown service catalogue status : ${status}`);
    for (const data of ['{', '', '[]']) expectMessage(await push(data), 400, 'HTTP 400 Bad Request');
    for (const authorization of ['three', 'Bearer two', 'one,two'])
      expectMessage(await push({}, authorization), 403, 'You cannot perform this operation');
    expectMessage(await scene.anonymous.post('/ams-listener', {}), 403, 'You cannot perform this operation');
    expectMessage(
      await scene.anonymous.post('/ams-listener', undefined, { headers: { authorization: 'one' } }),
      400,
      'The request body is empty.',
    );
    expect((await scene.root.get('/ams_verification_hash', { accept: null })).text).toBe('h4sh');
  });
});
