import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorLine, expectBody, expectError } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { UTF8_JSON } from '#test/e2e/status/contract.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';
import { accountCalls, bodyOf, HEX_64, type User } from './accounts.js';

const NO_CALLER: ErrorLine = 'UNAUTHORIZED: Unauthorized';
const FORBIDDEN: ErrorLine = 'FORBIDDEN: Access to this resource is forbidden';
const MISSING: ErrorLine = "NOT_FOUND: User doesn't exist";
const TAKEN: ErrorLine = "ALREADY_EXISTS: A user registered for component 'monbox' in project 'ARGO' already exists";

const j4 = (value: unknown): string => JSON.stringify(value, null, 4);
const jc = (value: unknown): string => JSON.stringify(value);

/** Both spellings of the path (messaging contract 3.11). */
const PATHS: readonly (readonly [string, (component: string, project: string) => string])[] = [
  ['as documented', (component, project) => `/integrations/components/${component}/by-project-name/${project}/refresh`],
  ['as routed', (component, project) => `/integrations/${component}/by-project-name/${project}/refresh`],
];

const scene = serving(embedded);
const by = (key?: string) => accountCalls(scene, key);
let number = 0;
const fresh = () => `u${++number}`;
const pairOf = (component: string, component_project = 'ARGO') => ({ component, component_project });
const show = async (name: string): Promise<User> => bodyOf<User>(await by().get(`/users/${name}`));

beforeAll(async () => {
  for (const project of ['ARGO', 'EGI']) await by().project(project);
});

describe('the component of a user', () => {
  it('is shown between service_roles and created_on, also to project administrators, and left out when empty', async () => {
    const created = await by().post('/users/shown', { projects: [{ project: 'EGI', roles: [] }], ...pairOf('engine', 'no project') });
    const { uuid, token, created_on } = bodyOf<User>(created);
    const projects = [{ project: 'EGI', roles: [], topics: [], subscriptions: [] }];
    const tail = { email: '', service_roles: [], ...pairOf('engine', 'no project'), created_on, modified_on: created_on };
    const whole = { uuid, projects, name: 'shown', token, ...tail };
    expectBody(created, whole);
    for (const path of ['/users/shown', `/users:byUUID/${uuid}`, `/users:byToken/${token}`]) expectBody(await by().get(path), whole);
    expectBody(await by(token).get('/users/profile'), whole);
    const admin = await by().user(fresh(), { projects: [{ project: 'EGI', roles: ['project_admin'] }] });
    expectBody(await by(admin.token).get('/projects/EGI/members/shown'), { uuid, projects, name: 'shown', ...tail });
    for (const half of ['component', 'component_project']) {
      const body = bodyOf<object>(await by().post(`/users/${fresh()}`, { component: '', component_project: null, [half]: 'x' }));
      expect(Object.keys(body).filter((member) => member.startsWith('component'))).toEqual([half]);
    }
  });

  it('is changed by an update, and neither cleared nor touched by other writes', async () => {
    const name = fresh();
    const { uuid } = await by().user(name, pairOf('poem-viewer'));
    for (const body of ['{}', 'null', { component: '', component_project: '' }, { description: 'x' }, { COMPONENT: 'poem-viewer' }])
      expect(bodyOf<User>(await by().put(`/users/${name}`, body))).toMatchObject(pairOf('poem-viewer'));
    await by().post(`/projects/EGI/members/${name}:add`, { roles: [], ...pairOf('other') });
    await by().put(`/projects/EGI/members/${name}`, { projects: [{ project: 'EGI', roles: ['consumer'] }], ...pairOf('other') });
    await by().post(`/users/${name}:refreshToken`);
    expect(await show(name)).toMatchObject({ uuid, ...pairOf('poem-viewer') });
    expect(bodyOf<User>(await by().put(`/users/${name}`, { component_project: 'EGI' }))).toMatchObject(pairOf('poem-viewer', 'EGI'));
    const member = await by().post(`/projects/EGI/members/${fresh()}`, pairOf('of-member'));
    expect([member.status, bodyOf<object>(member)]).toEqual([200, expect.not.objectContaining({ component: 'of-member' })]);
  });

  it.each(['{"component":5}', '{"component_project":["x"]}', '{"component":{}}'])('is a text: %s', async (body) => {
    for (const answer of [await by().post(`/users/${fresh()}`, body), await by().put('/users/nobody', body)])
      expectError(answer, 'INVALID_ARGUMENT: Invalid User Arguments');
  });

  it('belongs to one user, which is judged before the other members', async () => {
    const holder = fresh();
    await by().user(holder, pairOf('monbox'));
    const wrong = { projects: [{ project: 'none' }], service_roles: ['x'] };
    expectError(await by().post(`/users/${holder}`, { ...pairOf('monbox'), ...wrong }), TAKEN);
    expectError(await by().put('/users/nobody', { ...pairOf('monbox'), ...wrong }), TAKEN);
    const racing = await Promise.all(Array.from({ length: 8 }, () => by().post(`/users/${fresh()}`, pairOf('raced'))));
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });
});

describe.each(PATHS)('the key of a component, by the path %s', (_name, path) => {
  const status = { message: 'Component api key succesfully renewed', code: '200' };
  const expectKey = (answer: Answer): string => {
    const { data } = bodyOf<{ data: { api_key: string } }>(answer);
    expectBody(answer, { status, data }, j4);
    expect(data).toEqual({ api_key: expect.stringMatching(HEX_64) });
    return data.api_key;
  };
  const expectNotConfigured = (answer: Answer, component: string, project: string): void => {
    const message = `Component ${component} not configured for project ${project}`;
    expect([answer.status, answer.text]).toEqual([404, j4({ status: { message, code: '404' } })]);
    expect(answer.headers.get('content-type')).toBe(UTF8_JSON);
  };

  it('is refreshed for component administrators, whatever the body; the old one is dead at once', async () => {
    const [name, component] = [fresh(), fresh()];
    const before = await by().user(name, {
      ...pairOf(component),
      projects: [{ project: 'EGI', roles: [] }],
      service_roles: ['metrics_viewer'],
    });
    const admin = await by().user(fresh(), { service_roles: ['component_admin'] });
    let old = before.token;
    for (const [key, body] of [[admin.token], [admin.token, '{'], [undefined, { api_key: 'x' }]] as const) {
      const token = expectKey(await by(key).post(path(component, 'ARGO'), body));
      expectError(await by(old).get('/users/profile'), NO_CALLER);
      expectBody(await by(token).get('/users/profile'), { ...before, token });
      old = token;
    }
  });

  it('is refused in the order of the contract', async () => {
    const nobody = await by().user(fresh());
    const viewer = await by().user(fresh(), { service_roles: ['metrics_viewer'] });
    const admin = await by().user(fresh(), { service_roles: ['component_admin'] });
    const call = (key: string, component: string, project: string) => by(key).post(path(component, project));
    expectError(await call('', 'a.b', 'a.b'), 'INVALID_ARGUMENT: Invalid component name');
    expectError(await call('', 'x', 'a.b'), 'INVALID_ARGUMENT: Invalid project name');
    for (const key of ['', 'wrong']) expectError(await call(key, 'x', 'none'), NO_CALLER);
    for (const { token } of [nobody, viewer, admin]) expectError(await call(token, 'x', 'none'), "NOT_FOUND: project doesn't exist");
    expectError(await call(nobody.token, 'x', 'ARGO'), NO_CALLER);
    expectError(await call(viewer.token, 'x', 'ARGO'), FORBIDDEN);
    expectNotConfigured(await call(admin.token, 'x', 'ARGO'), 'x', 'ARGO');
    const elsewhere = fresh();
    await by().user(elsewhere, pairOf(elsewhere, 'EGI'));
    expectNotConfigured(await call(admin.token, elsewhere, 'ARGO'), elsewhere, 'ARGO');
    expect((await by().get(path('x', 'ARGO'))).status).toBe(405);
  });

  it('is out of the reach of roles in a project, if its user has rights elsewhere', async () => {
    const [inside, powerful] = [fresh(), fresh()];
    const { token } = await by().user(fresh(), { projects: [{ project: 'ARGO', roles: ['project_admin'] }] });
    for (const role of ['component_admin', 'service_admin']) {
      const account = await by(token).post(`/projects/ARGO/members/${fresh()}`, { projects: [{ project: 'ARGO', roles: [role] }] });
      const key = bodyOf<User>(account).token;
      if (role === 'component_admin') {
        await by().user(inside, { ...pairOf(inside), projects: [{ project: 'ARGO', roles: ['publisher'] }] });
        await by().user(powerful, { ...pairOf(powerful), service_roles: ['service_admin'] });
      }
      expectKey(await by(key).post(path(inside, 'ARGO')));
      expectError(await by(key).post(path(powerful, 'ARGO')), FORBIDDEN);
      expect((await by(key).post(path(inside, 'EGI'))).status).toBe(401);
    }
  });
});

describe('the key of a user by its id', () => {
  const path = (uuid: string) => `/users:refreshTokenByUUID/${uuid}`;

  it('is refreshed in a body of its own, once for each Idempotency-Key', async () => {
    const before = await by().user(fresh());
    const mapper = await by().user(fresh(), { service_roles: ['argo_api_authn'] });
    const answer = await by(mapper.token).post(path(before.uuid), 'not json', { 'idempotency-key': before.uuid });
    const { token } = bodyOf<User>(answer);
    expectBody(answer, { token }, jc);
    expect([token, token === before.token]).toEqual([expect.stringMatching(HEX_64), false]);
    expect((await by(mapper.token).post(path(before.uuid), 'not json', { 'idempotency-key': before.uuid })).text).toBe(answer.text);
    expectError(await by(before.token).get('/users/profile'), NO_CALLER);
    expectBody(await by(token).get('/users/profile'), { ...before, token });
  });

  it('is refused in the order of the contract', async () => {
    const { token } = await by().user(fresh(), { service_roles: ['component_admin'] });
    expectError(await by('').post(path('a.b')), 'INVALID_ARGUMENT: Invalid uuid name');
    expectError(await by('').post(path('x')), NO_CALLER);
    expectError(await by(token).post(path('x')), FORBIDDEN);
    expectError(await by().post(path('x')), MISSING);
  });
});
