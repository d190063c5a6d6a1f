import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectCreated, expectRecord, fresh, PUBLIC_URL, projectBody, records } from '#test/e2e/accounting/records.js';
import { accountingServing, entitlement, expectMessage, FORBIDDEN, pageIn } from '#test/e2e/accounting/serving.js';
import { type Deployment, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

const notFound = (id: string) => `There is no Project with the following id: ${id}`;
const treeOf = (id: string, ...providers: readonly object[]) => ({ ...projectBody(id), providers });

const NONE_REGISTERED = 'No project registration was performed';
/** Ids of the projects that the message of a registration names. */
const registeredIn = (message: string): readonly string[] =>
  message === NONE_REGISTERED ? [] : (/^Project\(s\) : \[(.+)\] registered successfully\.$/.exec(message)?.[1] ?? message).split(', ');

/** A catalogue of projects that knows two of them, in the form of the original, and fails for a third. */
const startCatalogue = async (): Promise<Server> => {
  const project = (code: string) => ({
    metadata: {
      entity: { project: { code: { $: code }, acronym: { $: `a ${code}` }, title: 'known', startdate: '2030-02-03', originalid: 7 } },
    },
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://catalogue');
    const id = searchParams.get('grantID') ?? '';
    const known = pathname === '/base/search/projects' && searchParams.get('format') === 'json' && id.startsWith('k');
    response.statusCode = id === 'broken' ? 500 : 200;
    response.end(JSON.stringify({ response: { header: {}, results: known ? { result: [project(id)] } : null } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

/** Embedded stores, and a catalogue of projects to ask. */
const withCatalogue = async (): Promise<Deployment> => {
  const [deployment, catalogue] = await Promise.all([embedded(), startCatalogue()]);
  const url = `http://127.0.0.1:${(catalogue.address() as AddressInfo).port}/base/`;
  return {
    ...deployment,
    environment: { ...deployment.environment, LOGBOOK_PUBLIC_URL: PUBLIC_URL, LOGBOOK_PROJECT_CATALOGUE: url },
    dispose: () => {
      catalogue.close();
      return deployment.dispose();
    },
  };
};

describe('projects', () => {
  const scene = accountingServing(withCatalogue);
  const make = records(() => scene.admin);
  beforeAll(() => scene.trustTokens());

  it('are registered, changed and deleted', async () => {
    const id = fresh('project');
    expectCreated(await scene.admin.post('/admin/projects', { ...projectBody(id), providers: ['x'] }), `/admin/projects/${id}`, treeOf(id));
    expectMessage(
      await scene.admin.post('/admin/projects', projectBody(id)),
      409,
      `Project with ID [${id}] has already been registered in Accounting Service.`,
    );
    expectRecord(await scene.admin.get(`/projects/${id}`), 200, treeOf(id));
    const changes = { acronym: 'new', title: 'title', start_date: '2030-02-28', end_date: '2033-01-01', call_identifier: 'call' };
    const changed = { ...treeOf(id), ...changes };
    expectRecord(await scene.admin.patch(`/admin/projects/${id}`, { ...changes, id: 'other' }), 200, changed);
    expectRecord(await scene.admin.patch(`/admin/projects/${id}`, { title: '', start_date: null }), 200, changed);
    expectRecord(await scene.admin.patch(`/admin/projects/${id}`, {}), 200, changed);
    expectRecord(await scene.admin.get(`/projects/${id}`), 200, changed);
    expectMessage(await scene.admin.delete(`/admin/projects/${id}`), 200, 'Project deleted successfully.');
    expectMessage(await scene.admin.delete(`/admin/projects/${id}`), 404, notFound(id));
    expectMessage(await scene.admin.get(`/projects/${id}`), 404, notFound(id));
  });

  it('are checked member by member, then by their id', async () => {
    const outsider = await scene.caller('outsider', entitlement('admin', 'elsewhere'));
    expectMessage(await outsider.post('/admin/projects', undefined), 403, FORBIDDEN);
    expectMessage(await outsider.post('/admin/projects', '{'), 400, 'HTTP 400 Bad Request');
    expectMessage(await scene.admin.post('/admin/projects', undefined), 400, 'The request body is empty.');
    const whole = projectBody(fresh('project'));
    for (const field of Object.keys(whole))
      for (const nothing of [null, '', undefined])
        expectMessage(await scene.admin.post('/admin/projects', { ...whole, [field]: nothing }), 400, `${field} may not be empty.`);
    for (const date of ['2031-02-30', '2031-13-01', '2031-00-10', '31-01-2031', '2031-1-1', '2031-01-01T00:00:00Z', 'x']) {
      for (const field of ['start_date', 'end_date']) {
        const message = 'Valid date format is yyyy-mm-dd.';
        expectMessage(await scene.admin.post('/admin/projects', { ...whole, [field]: date }), 400, message);
        expectMessage(await scene.admin.patch(`/admin/projects/${await make.project()}`, { [field]: date }), 400, message);
      }
    }
    expectMessage(
      await scene.admin.post('/admin/projects', { ...whole, id: 'a.b' }),
      400,
      'Project ID should not contain a dot character.',
    );
    for (const id of ['operations', 'roles', 'a:b'])
      expectMessage(
        await scene.admin.post('/admin/projects', { ...whole, id }),
        400,
        `Project ID [${id}] is reserved or contains a colon.`,
      );
    // A project is registered if the catalogue answers too late: then another one is tried.
    const { id, answer } = await eventually(async () => {
      const id = fresh('known');
      return { id, answer: await scene.admin.post('/admin/projects', { ...whole, id }) };
    }).until(({ answer }) => answer.status !== 201);
    expectMessage(answer, 409, `Project with ID [${id}] exists in European Database.`);
    expectMessage(await scene.admin.patch('/admin/projects/nosuch', undefined), 404, notFound('nosuch'));
    expectMessage(await outsider.patch('/admin/projects/nosuch', undefined), 403, FORBIDDEN);
    expectMessage(await outsider.delete('/admin/projects/nosuch'), 403, FORBIDDEN);
  });

  it('come from the catalogue of projects', async () => {
    const call = (projects: unknown, more = {}) => scene.admin.post('/admin/register-projects', { projects }, more);
    const outsider = await scene.caller('outsider');
    expectMessage(await outsider.post('/admin/register-projects', undefined), 403, FORBIDDEN);
    expectMessage(await scene.admin.post('/admin/register-projects', undefined), 400, 'The request body is empty.');
    for (const nothing of [[], null, undefined]) expectMessage(await call(nothing), 400, 'projects should have at least one entry.');
    expectMessage(await call('k1'), 400, 'HTTP 400 Bad Request');
    /** Registers projects again, each time with another key, until the catalogue has answered for all of them in time. */
    const register = async (projects: readonly unknown[]) => {
      const registered: string[] = [];
      const last = await eventually(async () => {
        const options = { headers: { 'idempotency-key': fresh('key') } };
        const answer = await call(projects, options);
        expectRecord(answer, 200, { code: 200, message: expect.any(String), errors: expect.any(Array) });
        const { message, errors } = answer.json as Readonly<{ message: string; errors: readonly string[] }>;
        registered.push(...registeredIn(message));
        return { answer, errors, options };
      }).until(({ errors }) => !errors.some((error) => error.endsWith('Please try again.')));
      return { ...last, registered };
    };

    const first = await register(['k1', 'k2']);
    expect(first.registered.toSorted()).toEqual(['k1', 'k2']);
    expectRecord(await call(['k1', 'k2'], first.options), 200, first.answer.json);
    await make.project('broken');
    const second = await register(['k1', 4711, 'k2', 'k1', 'broken2', 'roles', 'k3', 'broken']);
    expect(second.registered).toEqual(['k3']);
    expect(second.errors.filter((error) => error !== 'Project k3 has already been registered.')).toEqual([
      'Project k1 has already been registered.',
      'Project with id {4711} not found.',
      'Project k2 has already been registered.',
      'Project k1 has already been registered.',
      'Project with id {broken2} not found.',
      'Project with id {roles} not found.',
      'Project broken has already been registered.',
    ]);
    await scene.admin.delete('/admin/projects/broken');
    const retry = 'Project : broken has not been registered. Please try again.';
    expectRecord(await call(['broken']), 200, { code: 200, message: NONE_REGISTERED, errors: [retry] });
    const adopted = {
      id: 'k1',
      acronym: 'a k1',
      title: 'known',
      start_date: '2030-02-03',
      end_date: '',
      call_identifier: '',
      providers: [],
    };
    expectRecord(await scene.admin.get('/projects/k1'), 200, adopted);
  });

  it('have providers, which have installations', async () => {
    const { project, provider } = await make.pair();
    const second = await make.provider(undefined, { external_id: fresh('external'), website: 'w', abbreviation: 'a', logo: 'l' });
    await make.associate(project, second);
    const [resource, definition] = [await make.resource(), await make.definition()];
    const full = await make.installation(project, second, { resource, unit_of_access: definition.metric_definition_id });
    const plain = await make.installation(project, second);
    const { external_id } = (await scene.admin.get(`/providers/${provider}`)).json as { external_id: string };
    const leaf = ({ id, infrastructure, installation, external_id }: typeof full) => ({ id, infrastructure, installation, external_id });
    const tree = treeOf(
      project,
      { id: provider, name: `name of ${provider}`, external_id, website: null, abbreviation: null, logo: null, installations: [] },
      {
        id: second,
        name: `name of ${second}`,
        external_id: expect.any(String),
        website: 'w',
        abbreviation: 'a',
        logo: 'l',
        installations: [{ ...leaf(full), resource, unit_of_access: definition.metric_definition_id }, leaf(plain)],
      },
    );
    expectRecord(await scene.admin.get(`/projects/${project}`), 200, tree);
    const all = pageIn(await scene.admin.get('/admin/projects?size=100')).content;
    expect(all.at(-1)).toEqual(tree);
    expectRecord(await scene.admin.patch(`/admin/projects/${project}`, { title: 'x' }), 200, { ...tree, title: 'x' });
  });

  it('are associated with a provider, or not', async () => {
    const [project, provider] = [await make.project(), await make.provider()];
    const path = (verb: string, id = provider, of = project) => `/projects/${of}/${verb}/provider/${id}`;
    const outsider = await scene.caller('outsider', entitlement('admin', project, provider), entitlement('viewer', project));
    const owner = await scene.caller('owner', entitlement('admin', project));
    for (const verb of ['associate', 'dissociate']) {
      expectMessage(await outsider.post(path(verb, 'nosuch', 'nosuch')), 404, notFound('nosuch'));
      expectMessage(await outsider.post(path(verb, 'nosuch')), 403, FORBIDDEN);
      expectMessage(await owner.post(path(verb, 'nosuch')), 404, 'There is no Provider with the following id: nosuch');
      expectMessage(await owner.post(path(verb), '{}', { contentType: 'text/plain' }), 415, 'Cannot consume content type.');
    }
    const dissociated = `The following provider ${provider} has been dissociated from Project ${project}`;
    expectMessage(await owner.post(path('dissociate')), 200, dissociated);
    expectMessage(
      await owner.post(path('associate'), '{'),
      200,
      `The following provider ${provider} has been associated with Project ${project}`,
    );
    expectMessage(await owner.post(path('associate')), 409, `This provider has already been associated with the Project : ${project}`);
    const { id } = await make.installation(project, provider);
    const refused = `Dissociation is not allowed. There are registered installations to {${project}, ${provider}}.`;
    expectMessage(await owner.post(path('dissociate')), 409, refused);
    await scene.admin.delete(`/installations/${id}`);
    expectMessage(await owner.post(path('dissociate')), 200, dissociated);
    expectRecord(await owner.get(`/projects/${project}`), 200, treeOf(project));
  });

  it('take all they have with them when they are deleted, and start anew', async () => {
    const { project, provider } = await make.pair();
    const [resource, definition] = [await make.resource(), await make.definition()];
    const access = definition.metric_definition_id;
    const { id, external_id } = await make.installation(project, provider, { installation: 'n', resource, unit_of_access: access });
    await make.metric(id, access);
    await scene.admin.post(`/installations/${id}/capacities`, { metric_definition_id: access, value: 1 });
    expect((await scene.admin.delete(`/admin/projects/${project}`)).status).toBe(200);
    for (const path of [`/installations/${id}`, `/installations/external?externalId=${external_id}`, `/installations/${id}/capacities`])
      expect([path, (await scene.admin.get(path)).status]).toEqual([path, 404]);
    expectMessage(await scene.admin.get(`/projects/${project}/installations`), 404, notFound(project));
    expectCreated(await scene.admin.post('/admin/projects', projectBody(project)), `/admin/projects/${project}`, treeOf(project));
    expectRecord(await scene.admin.get(`/projects/${project}`), 200, treeOf(project));
    expect((await scene.admin.get(`/installations/${id}`)).status).toBe(404);
    await make.associate(project, provider);
    await make.installation(project, provider, { installation: 'n', external_id });
    expect(pageIn(await scene.admin.get(`/projects/${project}/installations`)).total_elements).toBe(1);
    expectMessage(await scene.admin.delete(`/admin/resources/${resource}`), 200, 'Resource deleted successfully.');
    expectMessage(await scene.admin.delete(`/metric-definitions/${access}`), 200, 'Metric Definition has been deleted successfully.');
  });

  it('are read by those with a role on them', async () => {
    const [one, two] = [await make.project(), await make.project()];
    const viewer = await scene.caller('viewer', entitlement('viewer', two), entitlement('admin', one), entitlement('viewer', one));
    const partial = await scene.caller('partial', entitlement('admin', one, 'provider'), entitlement('owner', two));
    expectRecord(await viewer.get(`/projects/${one}`), 200, treeOf(one));
    expectMessage(await partial.get(`/projects/${one}`), 403, FORBIDDEN);
    expectMessage(await partial.get('/projects/nosuch'), 404, notFound('nosuch'));
    const own = async (caller: typeof viewer, query = '') => pageIn(await caller.get(`/projects${query}`)).content.map(({ id }) => id);
    expect([await own(viewer), await own(viewer, '?size=1&page=2'), await own(partial)]).toEqual([[one, two], [two], []]);
    expect((await own(scene.admin, '?size=100')).slice(-2)).toEqual([one, two]);
    expectMessage(await viewer.get('/admin/projects'), 403, FORBIDDEN);
    expect((await scene.admin.get('/admin/projects', { contentType: 'text/plain' })).status).toBe(415);
    expectMessage(await viewer.get('/projects?page=x'), 400, 'Page number must be >= 1.');
    for (const path of ['/projects', `/projects/${one}`, '/admin/projects']) expect((await scene.anonymous.get(path)).status).toBe(401);
  });

  it('may have any id', async () => {
    for (const id of ['a/b', 'é 日本', '%25', '__proto__', 'x'.repeat(2_000)]) {
      const path = `/projects/${encodeURIComponent(id)}`;
      expectMessage(await scene.admin.get(path), 404, notFound(id));
      const created = await scene.admin.post('/admin/projects', projectBody(id));
      expectRecord(created, 201, treeOf(id));
      expectRecord(await scene.admin.get(path), 200, treeOf(id));
    }
  });
});

describe('without a catalogue of projects', () => {
  const scene = accountingServing(embedded);

  it('every id is unknown', async () => {
    const answer = await scene.admin.post('/admin/register-projects', { projects: ['k1'] });
    expectRecord(answer, 200, { code: 200, message: NONE_REGISTERED, errors: ['Project with id {k1} not found.'] });
    expect((await scene.admin.post('/admin/projects', projectBody('k1'))).status).toBe(201);
  });
});
