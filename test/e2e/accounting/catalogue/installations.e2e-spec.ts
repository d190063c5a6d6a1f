import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectCreated, expectRecord, fresh, PUBLIC_URL, records } from '#test/e2e/accounting/records.js';
import {
  accountingServing,
  entitlement,
  expectMessage,
  FORBIDDEN,
  OBJECT_ID,
  pageIn,
  UNKNOWN_OBJECT_ID,
} from '#test/e2e/accounting/serving.js';
import { deployments, embedded } from '#test/support/deployments.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const environment = { LOGBOOK_PUBLIC_URL: PUBLIC_URL };
const taken = (project: string, provider: string, name: unknown, id: unknown) =>
  `There is an Installation with the following combination : {${project}, ${provider}, ${name}}. Its id is ${id}`;
const notFound = (id: string) => `There is no Installation with the following id: ${id}`;
const DELETED = 'Installation has been deleted successfully.';

describe.each(deployments)('an installation on %s', (_name, open) => {
  const scene = accountingServing(open, environment);
  const make = records(() => scene.admin);

  it('is created, shown, changed and deleted', async () => {
    const [{ project, provider }, resource, definition] = [await make.pair(), await make.resource(), await make.definition()];
    const { creator_id: _, ...unit } = definition;
    const body = { project, organisation: provider, infrastructure: 'okeanos', installation: 'vm', resource, external_id: 'ext-1' };
    const created = await scene.admin.post('/installations', { ...body, unit_of_access: unit.metric_definition_id });
    const { id } = created.json as { id: string };
    expect(id).toMatch(OBJECT_ID);
    expectCreated(created, `/installations/${id}`, { id, ...body, unit_of_access: definition, capacities: [] });
    const stored = { id, ...body, unit_of_access: unit, capacities: [] };
    expectRecord(await scene.admin.get(`/installations/${id}`), 200, stored);
    expectRecord(await scene.admin.get('/installations/external?externalId=ext-1'), 200, stored);
    expect(Object.keys(created.json as object)).toEqual([
      ...['id', 'project', 'organisation', 'infrastructure', 'installation', 'resource', 'external_id', 'unit_of_access', 'capacities'],
    ]);

    const changed = { ...stored, infrastructure: 'other', installation: 'vm2' };
    const patch = {
      infrastructure: 'other',
      installation: 'vm2',
      resource: '',
      unit_of_access: null,
      external_id: 'x',
      id: 'y',
      project: 'z',
    };
    expectRecord(await scene.admin.patch(`/installations/${id}`, patch), 200, changed);
    expectRecord(await scene.admin.get(`/installations/${id.toUpperCase()}`), 200, changed);
    expect(pageIn(await scene.admin.get(`/projects/${project}/installations`)).content).toEqual([changed]);
    expect(pageIn(await scene.admin.get(`/projects/${project}/providers/${provider}/installations`)).content).toEqual([changed]);

    expectMessage(await scene.admin.delete(`/installations/${id}`), 200, DELETED);
    expectMessage(await scene.admin.get(`/installations/${id}`), 404, notFound(id));
    const gone = 'There is no Installation with external id: ext-1';
    expectMessage(await scene.admin.get('/installations/external?externalId=ext-1'), 404, gone);
    expect((await scene.admin.post('/installations', { ...body, installation: 'again' })).status).toBe(201);
  });
});

describe('installations', () => {
  const scene = accountingServing(embedded, environment);
  const make = records(() => scene.admin);
  beforeAll(() => scene.trustTokens());

  it('get a generated external id, and may lack the optional members', async () => {
    const { project, provider } = await make.pair();
    const created = await make.installation(project, provider, { resource: '', unit_of_access: null, external_id: '', infrastructure: 5 });
    expect(created).toEqual({
      id: expect.stringMatching(OBJECT_ID),
      project,
      organisation: provider,
      infrastructure: '5',
      installation: expect.any(String),
      external_id: expect.stringMatching(UUID),
      capacities: [],
    });
  });

  it('are checked in the order of the contract when they are created', async () => {
    const { project, provider } = await make.pair();
    const [stranger, resource] = [await make.provider(), await make.resource()];
    const before = await make.installation(project, provider, { installation: 'taken', external_id: fresh('external') });
    const outsider = await scene.caller('outsider', entitlement('admin', 'elsewhere'));
    const steps: readonly (readonly [object | string | undefined, number, string])[] = [
      [undefined, 400, 'The request body is empty.'],
      [{ project: '' }, 400, 'project may not be empty.'],
      [{ project: 'nosuch' }, 400, 'organisation may not be empty.'],
      [{ organisation: 'nosuch' }, 400, 'infrastructure may not be empty.'],
      [{ infrastructure: 'i' }, 400, 'installation may not be empty.'],
      [
        { installation: 'taken', unit_of_access: 'wrong', resource: 'nosuch', external_id: before.external_id },
        404,
        'There is no Metric Definition with the following id: wrong',
      ],
      [{ unit_of_access: '' }, 404, 'There is no Project with the following id: nosuch'],
      [{ project }, 404, 'There is no Provider with the following id: nosuch'],
      [{ organisation: stranger }, 403, FORBIDDEN],
    ];
    let body = {};
    for (const [more, code, message] of steps) {
      if (typeof more === 'object') body = { ...body, ...more };
      expectMessage(await outsider.post('/installations', more === undefined ? more : body), code, message);
    }
    const relation = `There is no relationship between Project {${project}} and Provider {${stranger}}`;
    const create = (more: object) => {
      body = { ...body, ...more };
      return scene.admin.post('/installations', body);
    };
    expectMessage(await create({}), 400, relation);
    expectMessage(await create({ organisation: provider }), 409, taken(project, provider, 'taken', before.id));
    expectMessage(await create({ installation: 'TAKEN' }), 404, 'There is no Resource with the following id: nosuch');
    expectMessage(await create({ resource }), 409, 'external_id already exists');
    expect((await create({ external_id: fresh('external') })).status).toBe(201);
    for (const malformed of ['{', '[]', '"text"', '{"project":["a"]}']) {
      expectMessage(await scene.admin.post('/installations', malformed), 400, 'HTTP 400 Bad Request');
    }
    expectMessage(await scene.admin.post('/installations', 'null'), 400, 'The request body is empty.');
    expectMessage(await scene.admin.post('/installations', body, { contentType: 'text/plain' }), 415, 'Cannot consume content type.');
  });

  it('have unique external ids over all projects, which the deletion of a project frees', async () => {
    const [first, second] = [await make.pair(), await make.pair()];
    const external_id = fresh('external');
    await make.installation(first.project, first.provider, { external_id });
    const content = { organisation: second.provider, infrastructure: 'i', installation: 'n', external_id };
    const again = () => scene.admin.post('/installations', { project: second.project, ...content });
    expectMessage(await again(), 409, 'external_id already exists');
    expect((await scene.admin.delete(`/admin/projects/${first.project}`)).status).toBe(200);
    const created = await again();
    expect(created.status).toBe(201);
    expectRecord(await scene.admin.get(`/installations/external?externalId=${external_id}`), 200, created.json);
  });

  it('answer a repeated creation with the same Idempotency-Key as the first', async () => {
    const { project, provider } = await make.pair();
    const body = { project, organisation: provider, infrastructure: 'i', installation: 'once' };
    const send = (more = {}) => scene.admin.post('/installations', { ...body, ...more }, { headers: { 'idempotency-key': 'k1' } });
    const first = await send();
    expect([first.status, (await send()).text]).toEqual([201, first.text]);
    expectMessage(await send({ installation: 'other' }), 422, 'The Idempotency-Key was used before with another request body.');
    expect(pageIn(await scene.admin.get(`/projects/${project}/installations`)).total_elements).toBe(1);
    const chosen = { ...body, installation: 'chosen', external_id: fresh('external') };
    const post = () => scene.admin.post('/installations', chosen, { headers: { 'idempotency-key': 'k2' } });
    expect((await post()).text).toBe((await post()).text);
  });

  it('are checked in the order of the contract when they are changed, by either id', async () => {
    const { project, provider } = await make.pair();
    const [other, stranger, resource, definition] = [
      await make.provider(),
      await make.provider(),
      await make.resource(),
      await make.definition(),
    ];
    await make.associate(project, other);
    const [one, two] = [await make.installation(project, provider), await make.installation(project, other)];
    const outsider = await scene.caller('outsider', entitlement('admin', 'elsewhere'));
    const viewer = await scene.caller('viewer', entitlement('viewer', project));
    for (const path of [`/installations/${one.id}`, `/installations/external?externalId=${one.external_id}`]) {
      for (const caller of [outsider, viewer]) expectMessage(await caller.patch(path, undefined), 403, FORBIDDEN);
      expectMessage(await scene.admin.patch(path, undefined), 400, 'The request body is empty.');
      expectMessage(await scene.admin.patch(path, '{'), 400, 'HTTP 400 Bad Request');
      const wrong = { unit_of_access: UNKNOWN_OBJECT_ID, organisation: 'nosuch', resource: 'nosuch', installation: two.installation };
      const patch = (more: object) => scene.admin.patch(path, { ...wrong, ...more });
      expectMessage(await patch({}), 404, `There is no Metric Definition with the following id: ${UNKNOWN_OBJECT_ID}`);
      expectMessage(await patch({ unit_of_access: '' }), 404, 'There is no Provider with the following id: nosuch');
      const relation = `There is no relationship between Project {${project}} and Provider {${stranger}}`;
      expectMessage(await patch({ unit_of_access: '', organisation: stranger }), 400, relation);
      expectMessage(await patch({ unit_of_access: '', organisation: other }), 404, 'There is no Resource with the following id: nosuch');
      const conflict = taken(project, other, two.installation, two.id);
      expectMessage(await patch({ unit_of_access: '', organisation: other, resource: null }), 409, conflict);
      expectRecord(await scene.admin.patch(path, {}), 200, one);
      expectRecord(await scene.admin.patch(path, { installation: one.installation }), 200, one);
    }
    const { creator_id: _, ...unit } = definition;
    const moved = { ...one, organisation: other, resource, unit_of_access: unit };
    const patch = { organisation: other, resource, unit_of_access: unit.metric_definition_id };
    expectRecord(await scene.admin.patch(`/installations/${one.id}`, patch), 200, moved);
    const of = async (id: string) => pageIn(await scene.admin.get(`/projects/${project}/providers/${id}/installations`)).content;
    expect([await of(provider), await of(other)]).toEqual([[], [moved, two]]);
  });

  it('move to another provider only by those who may create them there', async () => {
    const [{ project, provider }, external_id] = [await make.pair(), fresh('external')];
    const other = await make.provider(fresh('provider'), { external_id });
    await make.associate(project, other);
    const one = await make.installation(project, provider);
    const owner = await scene.caller('owner', entitlement('admin', project, provider, `${one.id}`));
    for (const path of [`/installations/${one.id}`, `/installations/external?externalId=${one.external_id}`]) {
      for (const organisation of [other, external_id]) expectMessage(await owner.patch(path, { organisation }), 403, FORBIDDEN);
      expectRecord(await owner.patch(path, { organisation: provider }), 200, one);
    }
    const both = await scene.caller('both', entitlement('admin', project, provider), entitlement('admin', project, other));
    expectRecord(await both.patch(`/installations/${one.id}`, { organisation: other }), 200, { ...one, organisation: other });
  });

  it('cannot be changed or deleted while they have metrics', async () => {
    const { project, provider } = await make.pair();
    const [one, definition] = [await make.installation(project, provider), await make.definition()];
    const { metric_id } = await make.metric(one.id, definition.metric_definition_id);
    const refusal = (doing: string) => `${doing} an Installation is not allowed if there are Metrics assigned to it.`;
    for (const path of [`/installations/${one.id}`, `/installations/external?externalId=${one.external_id}`]) {
      expectMessage(await scene.admin.patch(path, { resource: 'nosuch', organisation: 'nosuch' }), 403, refusal('Updating'));
      expectMessage(await scene.admin.patch(path, {}), 403, refusal('Updating'));
      expectMessage(await scene.admin.delete(path), 403, refusal('Deleting'));
    }
    expect((await scene.admin.delete(`/installations/${one.id}/metrics/${metric_id}`)).status).toBe(200);
    expect((await scene.admin.patch(`/installations/${one.id}`, { infrastructure: 'new' })).status).toBe(200);
    expectMessage(await scene.admin.delete(`/installations/external?externalId=${one.external_id}`), 200, DELETED);
  });

  it('need the external id before anything else where it is in the query', async () => {
    const outsider = await scene.caller('outsider', entitlement('admin', 'elsewhere'));
    const missing = 'There is no Installation with external id: nosuch';
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      for (const query of ['', '?externalId='])
        expectMessage(await outsider.call(method, `/installations/external${query}`, { body }), 400, 'externalId may not be empty.');
      expectMessage(await outsider.call(method, '/installations/external?externalId=nosuch', { body }), 404, missing);
    }
  });

  it.each(['nosuch', UNKNOWN_OBJECT_ID, '%20', 'a'.repeat(3_000)])('are 404 for an id that none has (%#)', async (id) => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? '{}' : undefined;
      expectMessage(await scene.admin.call(method, `/installations/${id}`, { body }), 404, notFound(decodeURIComponent(id)));
    }
  });

  it('are listed in pages, each with links to the others', async () => {
    const { project, provider } = await make.pair();
    const made = [];
    for (let count = 0; count < 3; count++) made.push(await make.installation(project, provider));
    for (const path of [`/projects/${project}/installations`, `/projects/${project}/providers/${provider}/installations`]) {
      const page = pageIn(await scene.admin.get(`${path}?size=2&page=2`));
      const link = (rel: string, to: number) => ({ rel, href: `${PUBLIC_URL}/accounting-system${path}?page=${to}&size=2` });
      expect(page).toEqual({
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 3,
        total_pages: 2,
        content: made.slice(2),
        links: [link('first', 1), link('last', 2), link('self', 2), link('prev', 1)],
      });
      expectMessage(await scene.admin.get(`${path}?page=0`), 400, 'Page number must be >= 1.');
      expectMessage(await scene.admin.get(`${path}?size=101`), 400, 'Page size must be between 1 and 100.');
      const outsider = await scene.caller('outsider', entitlement('admin', 'elsewhere'));
      expectMessage(await outsider.get(`${path}?page=0`), 403, FORBIDDEN);
    }
    expectMessage(await scene.admin.get('/projects/nosuch/installations'), 404, 'There is no Project with the following id: nosuch');
    const noProvider = 'There is no Provider with the following id: nosuch';
    expectMessage(await scene.admin.get(`/projects/${project}/providers/nosuch/installations`), 404, noProvider);
    const unassociated = await make.provider();
    expect(pageIn(await scene.admin.get(`/projects/${project}/providers/${unassociated}/installations`)).total_pages).toBe(1);
  });
});
