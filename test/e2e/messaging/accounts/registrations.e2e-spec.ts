import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorLine, expectBody, expectEmpty, expectError, INSTANT } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { UNKNOWN_ID, UUID } from '#test/e2e/status/contract.js';
import { embedded } from '#test/support/deployments.js';
import { accountCalls, bodyOf, HEX_64, made, type Registration, type User } from './accounts.js';

const MISSING: ErrorLine = "NOT_FOUND: User registration doesn't exist";
const BAD_ARGUMENTS: ErrorLine = 'INVALID_ARGUMENT: Invalid User Arguments';
const TAKEN: ErrorLine = 'ALREADY_EXISTS: User already exists';
const PERSON = { first_name: 'Ann', last_name: 'Bee', organization: 'GR', description: 'please', email: 'a@b' };

describe('registrations', () => {
  const scene = serving(embedded);
  const by = (key?: string) => accountCalls(scene, key);
  let boss: User;
  let number = 0;
  const fresh = () => `R_${++number}-x`;
  const show = async (uuid: string) => bodyOf<Registration>(await by().get(`/registrations/${uuid}`));

  beforeAll(async () => {
    boss = await by().user('boss', { service_roles: ['service_admin'] });
    await by().project('known');
  });

  it('are submitted', async () => {
    const clerk = await by().user('clerk', { service_roles: ['register_admin'] });
    const submitted = await by(clerk.token).post('/registrations', { name: 'first', ...PERSON, uuid: 5, status: 'accepted' });
    const { uuid, activation_token, registered_at } = bodyOf<Registration>(submitted);
    expect([uuid, activation_token, registered_at]).toEqual([
      expect.stringMatching(UUID),
      expect.stringMatching(HEX_64),
      expect.stringMatching(INSTANT),
    ]);
    const { first_name, last_name, organization, description, email } = PERSON;
    const who = { uuid, name: 'first', first_name, last_name, organization, description, email };
    const registration = { ...who, status: 'pending', activation_token, registered_at };
    expectBody(submitted, registration);
    expectBody(await by().get(`/registrations/${uuid}`), registration);

    const plain = await by().post('/registrations', { NAME: 'plain' });
    const empty = { name: 'plain', first_name: '', last_name: '', organization: '', description: '', email: '', status: 'pending' };
    const own = bodyOf<Registration>(plain);
    expectBody(plain, { uuid: own.uuid, ...empty, activation_token: own.activation_token, registered_at: own.registered_at });
  });

  it.each(['{', '{"name":"n","email":[]}', '{}', '{"name":""}'])('are not submitted with body %s', async (body) =>
    expectError(await by().post('/registrations', body), BAD_ARGUMENTS),
  );

  it('are not submitted for names that are taken or too long', async () => {
    expectError(await by().post('/registrations', { name: 'boss' }), TAKEN);
    for (const name of ['x'.repeat(1_025), 'a/b'])
      expectError(await by().post('/registrations', { name }), 'INVALID_ARGUMENT: Invalid user name');
  });

  it('have texts of limited length', async () => {
    const limits = { first_name: 1_024, last_name: 1_024, organization: 1_024, description: 4_096, email: 1_024 };
    const longest = Object.fromEntries(Object.entries(limits).map(([member, most]) => [member, 'é'.repeat(most)]));
    const { uuid } = await by().registration(fresh(), longest);
    for (const member of Object.keys(limits))
      expectError(await by().post('/registrations', { name: fresh(), ...longest, [member]: `${longest[member]}x` }), BAD_ARGUMENTS);
    const decline = (length: number) => by(boss.token).post(`/registrations/${uuid}:decline`, { comment: 'x'.repeat(length) });
    expectError(await decline(4_097), 'BAD_REQUEST: Invalid Request Body');
    expect((await decline(4_096)).status).toBe(200);
  });

  it.each(['Ada, Lovelace', 'é'])('may ask for any name, as in the original: %s', async (name) => {
    const { uuid } = bodyOf<Registration>(await by().post('/registrations', { name }));
    const user = bodyOf<User>(await by(boss.token).post(`/registrations/${uuid}:accept`));
    expect(user.name).toBe(name);
    expect(bodyOf<User>(await by().get(`/users/${encodeURIComponent(name)}`)).uuid).toBe(user.uuid);
    expect((await by().delete(`/users/${encodeURIComponent(name)}`)).status).toBe(200);
  });

  it('become users when they are accepted', async () => {
    const name = fresh();
    const registration = await by().registration(name, PERSON);
    const answer = await by(boss.token).post(`/registrations/${registration.uuid}:accept`, 'ignored');
    const { uuid, token, created_on } = bodyOf<User>(answer);
    const { first_name, last_name, organization, description, email } = PERSON;
    const who = { name, first_name, last_name, organization, description, token, email };
    const projects = [{ project: name, roles: ['project_admin'], topics: [], subscriptions: [] }];
    const dates = { created_on, modified_on: created_on };
    expectBody(answer, { uuid, projects, ...who, service_roles: [], ...dates, created_by: 'boss' });
    expectBody(await by(token).get(`/projects/${name}`), { name, ...dates, created_by: 'boss' });
    expect([uuid === registration.uuid, token]).toEqual([false, expect.stringMatching(HEX_64)]);
    expect((await by(token).get('/users/profile')).text).toBe(answer.text);

    const { activation_token: _, ...settled } = registration;
    const { modified_at } = await show(registration.uuid);
    expect(modified_at).toMatch(INSTANT);
    expectBody(await by().get(`/registrations/${registration.uuid}`), { ...settled, status: 'accepted', modified_by: 'boss', modified_at });
    expectError(await by().post(`/registrations/${registration.uuid}:accept`), MISSING);
    expectError(await by().post(`/registrations/${registration.uuid}:decline`, {}), MISSING);
  });

  it('are accepted only as long as no user has the name', async () => {
    const name = fresh();
    const [first, second] = [await by().registration(name), await by().registration(name)];
    await made(by().post(`/registrations/${first.uuid}:accept`));
    for (const body of [undefined, { project: 'a b' }]) {
      expectError(await by().post(`/registrations/${second.uuid}:accept`, body), TAKEN);
      expectError(await by().post(`/registrations/${first.uuid}:accept`, body), MISSING);
    }
    expect(await show(second.uuid)).toMatchObject({ status: 'pending' });
  });

  it.each<readonly [unknown, readonly string[]]>([
    ['', ['project_admin']],
    ['{}', ['project_admin']],
    ['{"project":""}', ['project_admin']],
    ['{"roles":[]}', ['project_admin']],
    ['{"roles":["publisher"]}', ['publisher']],
    ['{"project":5}', ['project_admin']],
    ['["known"]', ['project_admin']],
    ['{', ['project_admin']],
  ])('are accepted with body %j, which names no project, with one named after the user', async (body, roles) => {
    const name = fresh();
    const { uuid } = await by().registration(name);
    const user = await made<User>(by(boss.token).post(`/registrations/${uuid}:accept`, body));
    expect(user.projects).toEqual([{ project: name, roles, topics: [], subscriptions: [] }]);
    expect((await by(user.token).get(`/projects/${name}/topics`)).status).toBe(200);
  });

  it('are accepted with a project whose name is numbered where others have it', async () => {
    const name = fresh();
    await by().project(name);
    await by().project(`${name}-3`);
    const { uuid } = await by().registration(name);
    const user = await made<User>(by().post(`/registrations/${uuid}:accept`));
    expect(user.projects?.map(({ project }) => project)).toEqual([`${name}-2`]);
    expect((await by(user.token).call('PUT', `/projects/${name}-2/topics/own`)).status).toBe(200);
    expect((await by(user.token).get(`/projects/${name}/topics`)).status).toBe(401);
    expect((await by(user.token).get(`/projects/${name}-3/topics`)).status).toBe(401);
  });

  it('are accepted once, with one project, however many accept them at a time', async () => {
    const name = fresh();
    const { uuid } = await by().registration(name);
    const answers = await Promise.all(Array.from({ length: 8 }, () => by().post(`/registrations/${uuid}:accept`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
    expect((await by().get(`/projects/${name}-2`)).status).toBe(404);
  });

  it.each<readonly [unknown, User['projects']]>([
    [{ project: 'known' }, [{ project: 'known', roles: ['project_admin'], topics: [], subscriptions: [] }]],
    [{ project: 'known', roles: [] }, [{ project: 'known', roles: ['project_admin'], topics: [], subscriptions: [] }]],
    [
      { project: 'brand-new', roles: ['publisher', 'consumer'] },
      [{ project: 'brand-new', roles: ['publisher', 'consumer'], topics: [], subscriptions: [] }],
    ],
  ])('are accepted with body %j, which names a project', async (body, projects) => {
    const name = fresh();
    const { uuid } = await by().registration(name);
    const user = await made<User>(by(boss.token).post(`/registrations/${uuid}:accept`, body));
    expect(user.projects).toEqual(projects);
    for (const { project } of projects ?? []) expect((await by(user.token).get(`/projects/${project}/topics`)).status).toBe(200);
    if (projects?.[0]?.project === 'brand-new') expect(bodyOf(await by().get('/projects/brand-new'))).toMatchObject({ created_by: 'boss' });
  });

  it('are not accepted with a wrong project name or role, and nothing is created', async () => {
    const name = fresh();
    const { uuid } = await by().registration(name);
    const accept = (body: unknown) => by().post(`/registrations/${uuid}:accept`, body);
    for (const project of ['a b', 'x'.repeat(1_025)]) expectError(await accept({ project }), 'INVALID_ARGUMENT: Invalid project name');
    expectError(await accept({ project: 'never', roles: ['publisher', 'x'] }), 'INVALID_ARGUMENT: invalid role: x');
    expectError(await accept({ roles: ['x'] }), 'INVALID_ARGUMENT: invalid role: x');
    expectError(await by().get(`/projects/${name}`), "NOT_FOUND: project doesn't exist");
    expectError(await by().get('/projects/never'), "NOT_FOUND: project doesn't exist");
    expectError(await by().get(`/users/${name}`), "NOT_FOUND: User doesn't exist");
    expect(await show(uuid)).toMatchObject({ status: 'pending' });
  });

  it.each([
    ['{}', {}],
    ['null', {}],
    ['{"comment":""}', {}],
    ['{"comment":null,"other":"x"}', {}],
    ['{"comment":"no <way>"}', { decline_comment: 'no <way>' }],
    [' {"comment":"a","comment":"b"} trailing', { decline_comment: 'b' }],
    ['{"Comment":"keys in any case"}', { decline_comment: 'keys in any case' }],
  ])('are declined with body %s', async (body, changes) => {
    const { activation_token: _, ...registration } = await by().registration(fresh(), PERSON);
    const path = `/registrations/${registration.uuid}`;
    expectBody(await by(boss.token).post(`${path}:decline`, body), {}, JSON.stringify);
    const { modified_at } = await show(registration.uuid);
    const { registered_at, ...who } = registration;
    expectBody(await by().get(path), { ...who, status: 'declined', ...changes, registered_at, modified_by: 'boss', modified_at });
    expectError(await by().post(`${path}:accept`), MISSING);
    expectError(await by().post(`${path}:decline`, '{'), MISSING);
  });

  it.each(['', '{"comment":5}', '{"other":{}}', 'x{}'])('are not declined with body %j', async (body) => {
    const { uuid } = await by().registration(fresh());
    expectError(await by().post(`/registrations/${uuid}:decline`, body), 'BAD_REQUEST: Invalid Request Body');
    expectError(await by().post(`/registrations/${UNKNOWN_ID}:decline`, body), MISSING);
    expect(await show(uuid)).toMatchObject({ status: 'pending' });
  });

  it('do not show who settled them if it was not a user, or the user is deleted', async () => {
    const [one, other] = [await by().registration(fresh()), await by().registration(fresh())];
    const passing = await by().user(fresh(), { service_roles: ['service_admin'] });
    await made(by().post(`/registrations/${one.uuid}:accept`));
    await made(by(passing.token).post(`/registrations/${other.uuid}:decline`, {}));
    expect(await show(one.uuid)).not.toHaveProperty('modified_by');
    expect(await show(other.uuid)).toMatchObject({ modified_by: passing.name });
    await by().delete(`/users/${passing.name}`);
    expect(await show(other.uuid)).not.toHaveProperty('modified_by');
  });

  it('are deleted in any state', async () => {
    const pending = await by().registration(fresh());
    const accepted = await by().registration(fresh());
    const user = await made<User>(by().post(`/registrations/${accepted.uuid}:accept`));
    for (const { uuid } of [pending, accepted]) {
      expectEmpty(await by().delete(`/registrations/${uuid}`));
      expectError(await by().get(`/registrations/${uuid}`), MISSING);
      expectError(await by().delete(`/registrations/${uuid}`), MISSING);
    }
    expect((await by().get(`/users/${user.name}`)).status).toBe(200);
  });

  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['POST', ':accept'],
    ['POST', ':decline'],
  ])('are not found if they do not exist: %s %s', async (method, verb) => {
    for (const uuid of [UNKNOWN_ID, 'x', 'x'.repeat(3_000)])
      expectError(await by().call(method, `/registrations/${uuid}${verb}`, { body: {} }), MISSING);
  });

  it('are listed in the order of their submission, as far as they match every filter', async () => {
    const submit = (name: string, email: string, organization: string) => by().registration(name, { email, organization });
    const one = await submit('list-b', 'one@list', 'list');
    const two = await submit('list-a', 'two@list', 'list');
    const three = await submit('list-a', 'two@list', 'other');
    await made(by().post(`/registrations/${two.uuid}:decline`, {}));
    const found = async (query: string) => {
      const answer = await by().get(`/registrations?${query}`);
      const { user_registrations } = bodyOf<{ user_registrations: readonly Registration[] }>(answer);
      expectBody(answer, { user_registrations });
      return user_registrations.map(({ uuid }) => uuid);
    };
    expect(await found('organization=list')).toEqual([one.uuid, two.uuid]);
    expect(await found('name=list-a')).toEqual([two.uuid, three.uuid]);
    expect(await found('email=two%40list&organization=other')).toEqual([three.uuid]);
    expect(await found('status=declined&organization=list')).toEqual([two.uuid]);
    expect(await found('status=pending&organization=list&name=')).toEqual([one.uuid]);
    expect(await found(`activation_token=${three.activation_token}`)).toEqual([three.uuid]);
    expect(await found(`activation_token=${two.activation_token}`)).toEqual([]);
    expect(await found('status=Pending')).toEqual([]);
    expect((await found('')).slice(-3)).toEqual([one.uuid, two.uuid, three.uuid]);
    expect(await show(one.uuid)).toMatchObject({ name: 'list-b' });
  });

  it('are submitted and accepted once for each Idempotency-Key', async () => {
    const header = { 'idempotency-key': 'once' };
    const name = fresh();
    const submitted = await by().post('/registrations', { name }, header);
    expect((await by().post('/registrations', { name }, header)).text).toBe(submitted.text);
    const { uuid } = bodyOf<Registration>(submitted);
    const accepted = await by().post(`/registrations/${uuid}:accept`, { project: `of-${name}` }, header);
    expect((await by().post(`/registrations/${uuid}:accept`, { project: `of-${name}` }, header)).text).toBe(accepted.text);
    expect((await by().post(`/registrations/${uuid}:accept`, {}, header)).status).toBe(422);
    await by().delete(`/registrations/${uuid}`);
    expect((await by().post(`/registrations/${uuid}:accept`, { project: `of-${name}` }, header)).text).toBe(accepted.text);
  });

  it('are accepted with one project for each Idempotency-Key; a repeat gets the same answer although the project is deleted', async () => {
    const header = { 'idempotency-key': 'project-once' };
    const name = fresh();
    const { uuid } = await by().registration(name);
    const accept = () => by().post(`/registrations/${uuid}:accept`, undefined, header);
    const answers = await Promise.all([accept(), accept(), accept()]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(bodyOf<User>(await accept()).projects).toMatchObject([{ project: name }]);
    expect((await by().get(`/projects/${name}-2`)).status).toBe(404);
    await by().delete(`/projects/${name}`);
    expect((await accept()).text).toBe(answers[0]?.text);
  });
});

describe('registrations of a server that issues no projects', () => {
  const scene = serving(embedded, { LOGBOOK_MESSAGING_PROJECT_ON_APPROVAL: 'false' });
  const by = () => accountCalls(scene);

  it.each(['', '{}', '{"roles":["x"]}'])('are accepted with body %j as users without one', async (body) => {
    const name = `plain-${body.length}`;
    const { uuid } = await by().registration(name);
    expect(await made<User>(by().post(`/registrations/${uuid}:accept`, body))).not.toHaveProperty('projects');
    expect((await by().get(`/projects/${name}`)).status).toBe(404);
  });

  it('are accepted with the project that a body names', async () => {
    const { uuid } = await by().registration('n');
    expect(await made<User>(by().post(`/registrations/${uuid}:accept`, { project: 'p' }))).toMatchObject({ projects: [{ project: 'p' }] });
  });
});
