import { describe, expect, it } from '@jest/globals';
import { fresh } from '#test/e2e/accounting/records.js';
import { accountingServing, entitlement, expectMessage, OBJECT_ID, pageIn, UNKNOWN_OBJECT_ID } from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?$/;
const ENTITLEMENTS = '/admin/entitlements';
const noEntitlement = (id: string) => `There is no entitlement with the following id: ${id}`;
const noActor = (id: string) => `There is no actor with the following id: ${id}`;

describe('entitlements', () => {
  const scene = accountingServing(embedded);
  const created = async (name = fresh('entitlement')) => ((await scene.admin.post(ENTITLEMENTS, { name })).json as { id: string }).id;
  /** The actor id of a newly registered client. */
  const registered = async (oidcId = fresh('client')) => {
    expectMessage(await (await scene.caller(oidcId)).post('/clients'), 200, 'The actor was successfully registered.');
    return String((await actors()).find(({ oidc_id }) => oidc_id === oidcId)?.id);
  };
  const actors = async () => pageIn(await scene.admin.get('/admin/actors?size=100')).content;
  const assign = (id: string, actor: string) => scene.admin.post(`${ENTITLEMENTS}/${id}/assign/${actor}`);
  const dissociate = (id: string, actor: string) => scene.admin.post(`${ENTITLEMENTS}/${id}/dissociate/${actor}`);

  it('are created with a message, an id and a location', async () => {
    const name = entitlement('admin', 'some-project');
    const answer = await scene.admin.post(ENTITLEMENTS, { name, id: 'mine', registered_on: 'never' });
    const { id } = answer.json as { id: string };
    expect(id).toMatch(OBJECT_ID);
    expect([answer.status, answer.json]).toEqual([201, { code: 201, message: 'Entitlement created successfully.', id }]);
    expect(answer.headers.get('location')).toBe(`${scene.server.url}/accounting-system/admin/entitlements/${id}`);

    const got = await scene.admin.get(`${ENTITLEMENTS}/${id}`);
    expect([got.status, got.json]).toEqual([200, { id, name, registered_on: expect.stringMatching(LOCAL_TIME) }]);
    expect((await scene.admin.get(`${ENTITLEMENTS}/${id.toUpperCase()}`)).json).toEqual(got.json);
    const listed = pageIn(await scene.admin.get(`${ENTITLEMENTS}?size=100`)).content;
    expect(listed.at(-1)).toEqual(got.json);
    expectMessage(await scene.admin.post(ENTITLEMENTS, { name }), 409, `There is an entitlement with name : ${name}`);
    expect((await scene.admin.post(ENTITLEMENTS, { name: name.toUpperCase() })).status).toBe(201);
  });

  it('may have any name, also one without meaning', async () => {
    for (const name of [' ', 'nonsense', '☃'.repeat(3_000), 'a/b?c#d%', '<script>&']) {
      const id = await created(name);
      expect((await scene.admin.get(`${ENTITLEMENTS}/${id}`)).json).toMatchObject({ name });
    }
  });

  it('are renamed', async () => {
    const [id, other] = [await created('before'), await created('other')];
    const before = (await scene.admin.get(`${ENTITLEMENTS}/${id}`)).json as object;
    const answer = await scene.admin.patch(`${ENTITLEMENTS}/${id}`, { name: 'after' });
    expect([answer.status, answer.json]).toEqual([200, { ...before, name: 'after' }]);
    expect((await scene.admin.get(`${ENTITLEMENTS}/${id}`)).json).toEqual(answer.json);
    expect((await scene.admin.patch(`${ENTITLEMENTS}/${id.toUpperCase()}`, { name: 'after' })).json).toEqual(answer.json);
    expectMessage(await scene.admin.patch(`${ENTITLEMENTS}/${id}`, { name: 'other' }), 409, "Entitlement's name already in use.");
    expectMessage(await scene.admin.patch(`${ENTITLEMENTS}/${other}`, {}), 400, 'name may not be empty.');
    expectMessage(await scene.admin.patch(`${ENTITLEMENTS}/${other}`, { name: '' }), 400, 'name may not be empty.');
    expectMessage(await scene.admin.patch(`${ENTITLEMENTS}/${other}`), 400, 'The request body is empty.');
    expect((await scene.admin.post(ENTITLEMENTS, { name: 'before' })).status).toBe(201);
  });

  it('are deleted unless a client holds them', async () => {
    const [id, actor] = [await created(), await registered()];
    await assign(id, actor);
    expectMessage(
      await scene.admin.delete(`${ENTITLEMENTS}/${id}`),
      403,
      'You cannot delete this entitlement cause is assigned to an actor!',
    );
    await dissociate(id, actor);
    expectMessage(await scene.admin.delete(`${ENTITLEMENTS}/${id}`), 200, 'Entitlement was deleted successfully.');
    expectMessage(await scene.admin.delete(`${ENTITLEMENTS}/${id}`), 404, noEntitlement(id));
    expectMessage(await scene.admin.get(`${ENTITLEMENTS}/${id}`), 404, noEntitlement(id));
    expect(pageIn(await scene.admin.get(`${ENTITLEMENTS}?size=100`)).content.map((one) => one.id)).not.toContain(id);
  });

  it('are assigned to clients and taken from them', async () => {
    const [id, second, actor] = [await created(), await created(), await registered()];
    expectMessage(await assign(id, actor), 200, 'Entitlement was assigned successfully.');
    expectMessage(await assign(id, actor), 409, 'Entitlement already assigned to actor.');
    expect((await assign(second.toUpperCase(), actor.toUpperCase())).status).toBe(200);

    const held = pageIn(await scene.admin.get(`/admin/actors/${actor}/entitlements`));
    const wanted = await Promise.all([id, second].map(async (one) => (await scene.admin.get(`${ENTITLEMENTS}/${one}`)).json));
    expect([held.total_elements, held.content]).toEqual([2, wanted]);
    const assignments = pageIn(await scene.admin.get('/admin/actors/entitlements?size=100')).content;
    expect(assignments.filter(({ actor_id }) => actor_id === actor)).toEqual(
      [id, second].map((entitlement_id) => ({
        id: expect.stringMatching(OBJECT_ID),
        actor_id: actor,
        entitlement_id,
        assigned_at: expect.stringMatching(LOCAL_TIME),
      })),
    );

    expectMessage(await dissociate(id, actor), 200, 'Entitlement was dissociated successfully.');
    expectMessage(await dissociate(id, actor), 400, 'There is no entitlement assigned to actor.');
    expect(pageIn(await scene.admin.get(`/admin/actors/${actor}/entitlements`)).content).toEqual([wanted[1]]);
    expect(pageIn(await scene.admin.get('/admin/actors/entitlements?size=100')).content.map((one) => one.entitlement_id)).not.toContain(id);
    expect((await assign(id, actor)).status).toBe(200);
  });

  it.each([UNKNOWN_OBJECT_ID, UNKNOWN_OBJECT_ID.toUpperCase(), 'nonsense', 'x'.repeat(3_000), '☃', 'a%20b'])(
    'without a record of the id %s answer 404 and echo it',
    async (path) => {
      const id = decodeURIComponent(path);
      const encoded = encodeURIComponent(id);
      const [known, actor] = [await created(), await registered()];
      for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['PATCH', ''], ['DELETE']] as const)
        expectMessage(await scene.admin.call(method, `${ENTITLEMENTS}/${encoded}`, { body }), 404, noEntitlement(id));
      for (const call of [assign, dissociate]) {
        expectMessage(await call(encoded, actor), 404, noEntitlement(id));
        expectMessage(await call(encoded, 'nobody'), 404, noEntitlement(id));
        expectMessage(await call(known, encoded), 404, noActor(id));
      }
      expectMessage(await scene.admin.get(`/admin/actors/${encoded}/entitlements`), 404, noActor(id));
    },
  );
});

describe('clients', () => {
  const scene = accountingServing(embedded);

  it('register once, with the claims of their first token', async () => {
    const token = (more: object) => scene.issuer.token({ sub: 'ada', ...more });
    for (const more of [{ name: 'Ada', email: 'ada@example.org' }, { name: 'Other' }, {}])
      expectMessage(await scene.withToken(await token(more)).post('/clients'), 200, 'The actor was successfully registered.');
    const { content, total_elements } = pageIn(await scene.admin.get('/admin/actors'));
    expect(total_elements).toBe(1);
    expect(content).toEqual([
      {
        id: expect.stringMatching(OBJECT_ID),
        oidc_id: 'ada',
        name: 'Ada',
        email: 'ada@example.org',
        registered_on: expect.stringMatching(LOCAL_TIME),
        issuer: scene.issuer.url,
      },
    ]);
  });

  it('are registered once, even by simultaneous calls', async () => {
    const client = await scene.caller('eager');
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/clients')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(pageIn(await scene.admin.get('/admin/actors')).content.filter(({ oidc_id }) => oidc_id === 'eager').length).toBe(1);
  });

  it('may hold any token, also the key of a system administrator', async () => {
    const strange = 'ä/☃ '.repeat(500);
    await (await scene.caller(strange)).post('/clients', {});
    expectMessage(await scene.admin.post('/clients'), 200, 'The actor was successfully registered.');
    const listed = pageIn(await scene.admin.get('/admin/actors')).content.slice(-2);
    expect(listed).toMatchObject([{ oidc_id: strange }, { issuer: 'logbook' }]);
  });

  it('see the permissions that everyone has', async () => {
    const operations = ['READ', 'CREATE', 'UPDATE', 'DELETE'].map((operation) => ({ operation, access_type: 'ALWAYS' }));
    const answer = await (await scene.caller('anyone')).get('/clients/general-permissions');
    expect([answer.status, answer.json]).toEqual([
      200,
      ['MetricDefinition', 'UnitType', 'MetricType', 'Client', 'Provider'].map((collection) => ({
        access_permissions: operations,
        collection,
      })),
    ]);
  });
});
