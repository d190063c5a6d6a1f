import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectRecord, records } from '#test/e2e/accounting/records.js';
import {
  accountingServing,
  entitlement,
  expectMessage,
  FORBIDDEN,
  OBJECT_ID,
  pageIn,
  UNKNOWN_OBJECT_ID,
} from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';

const REGISTERED = 'Capacity has been successfully registered.';
const UPDATED = 'Capacity was updated successfully.';
const BAD_DATE = 'Valid date format is yyyy-MM-dd.';
const EMPTY = 'The request body is empty.';

type Capacity = Readonly<Record<string, unknown>> & Readonly<{ id: string }>;

describe('Capacities', () => {
  const scene = accountingServing(embedded);
  const make = records(() => scene.admin);
  let place: Awaited<ReturnType<typeof make.pair>>;
  let definition: string;
  beforeAll(async () => {
    await scene.trustTokens();
    place = await make.pair();
    definition = `${(await make.definition()).metric_definition_id}`;
  });

  const installation = async () => `${(await make.installation(place.project, place.provider)).id}`;
  const pathOf = (id: string) => `/installations/${id}/capacities`;
  const list = async (id: string, query = '') => (await scene.admin.get(pathOf(id) + query)).json as readonly Capacity[];
  const register = async (id: string, body: object) =>
    expectMessage(await scene.admin.post(pathOf(id), { metric_definition_id: definition, value: 1, ...body }), 200, REGISTERED);

  it('are listed as a plain array in the order of their creation', async () => {
    const id = await installation();
    expectRecord(await scene.admin.get(pathOf(id)), 200, []);
    await register(id, { value: 120, registered_on: '2031-03-21' });
    await register(id, { value: '80.50', registered_on: '2031-03-11T12:30:00.25Z' });
    await register(id, { value: -0.5, registered_on: '2030-01-01T01:00:00+01:00', id: 'x', installation_id: 'y' });
    const [first, second, third] = await list(id);
    const common = { id: expect.stringMatching(OBJECT_ID), installation_id: id, metric_definition_id: definition };
    expect(first).toEqual({ ...common, value: 120, registered_on: '2031-03-21T00:00:00Z' });
    expect(second).toEqual({ ...common, value: 80.5, registered_on: '2031-03-11T12:30:00.250Z' });
    expect(third).toEqual({ ...common, value: -0.5, registered_on: '2030-01-01T00:00:00Z' });
    expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
    expect(await list(id, '?page=2&size=2')).toEqual([third]);
    expect(await list(id, '?size=1')).toEqual([first]);
    expect(await list(id, '?page=3&size=2')).toEqual([]);
    expectMessage(await scene.admin.get(`${pathOf(id)}?page=0`), 400, 'Page number must be >= 1.');
    expectMessage(await scene.admin.get(`${pathOf(id)}?size=101`), 400, 'Page size must be between 1 and 100.');
  });

  it('are part of their installation in every call that shows it', async () => {
    const { project, provider } = place;
    const created = await make.installation(project, provider);
    const other = await make.installation(project, provider);
    expect([created.capacities, other.capacities]).toEqual([[], []]);
    const id = `${created.id}`;
    const { external_id: externalId, installation: name } = created as Readonly<Record<string, string>>;
    const query = { type: 'query', field: 'installation', values: name };
    const oneIn = (content: readonly Readonly<Record<string, unknown>>[]) =>
      content.find((one) => one.id === id || one.installation_id === id);
    const shown = async () => {
      const items = [`/installations/${id}`, `/installations/external?externalId=${externalId}`];
      const reads = await Promise.all(items.map((path) => scene.admin.get(path)));
      const lists = await Promise.all([
        ...['/installations/all', `/projects/${project}/installations`, `/projects/${project}/providers/${provider}/installations`].map(
          (path) => scene.admin.get(`${path}?size=100`),
        ),
        scene.admin.post('/installations/search', query),
      ]);
      return [...reads.map(({ json }) => json), ...lists.map((list) => oneIn(pageIn(list).content))].map(
        (installation) => (installation as Readonly<{ capacities?: unknown }>).capacities,
      );
    };
    expect(await shown()).toEqual(Array(6).fill([]));
    await register(id, { value: 7, registered_on: '2031-03-21' });
    await register(id, { value: '1.50', registered_on: '2030-03-21' });
    const [first, second] = await list(id);
    expect([first?.value, second?.value]).toEqual([7, 1.5]);
    expect(await shown()).toEqual(Array(6).fill([first, second]));
    const patched = await scene.admin.patch(`/installations/${id}`, { infrastructure: 'other' });
    expect(patched.json).toMatchObject({ infrastructure: 'other', capacities: [first, second] });
    const viewer = await scene.caller('viewer of capacities', entitlement('viewer', project));
    expect((await viewer.get(`/installations/${id}`)).json).toMatchObject({ capacities: [first, second] });
  });

  it('are all part of a page, however many there are', async () => {
    const { project, provider } = await make.pair();
    const ids: unknown[] = [];
    for (let made = 0; made < 11; made += 1) ids.push((await make.installation(project, provider)).id);
    for (const id of [ids[0], ids[9], ids[10]])
      for (const day of ['01', '02']) await register(`${id}`, { value: Number(day), registered_on: `2031-03-${day}` });
    const { content } = pageIn(await scene.admin.get(`/projects/${project}/installations?size=100`));
    expect(content.map(({ id }) => id)).toEqual(ids);
    expect(content.map(({ capacities }) => (capacities as readonly Capacity[]).map(({ value }) => value))).toEqual([
      [1, 2],
      ...Array(8).fill([]),
      [1, 2],
      [1, 2],
    ]);
  });

  it('keep every digit', async () => {
    const id = await installation();
    const body = `{"value":12345678901234567890.1234567890,"metric_definition_id":"${definition}"}`;
    expectMessage(await scene.admin.post(pathOf(id), body), 200, REGISTERED);
    expect((await scene.admin.get(pathOf(id))).text).toContain('"value":12345678901234567890.123456789,');
  });

  it.each([undefined, null, ''])('count from now on if registered_on is %j', async (registered_on) => {
    const [id, before] = [await installation(), Date.now()];
    await register(id, { registered_on });
    const [capacity] = await list(id);
    const began = Date.parse(`${capacity?.registered_on}`);
    expect(began >= before && began <= Date.now()).toBe(true);
  });

  it('are unique by definition and instant', async () => {
    const id = await installation();
    await register(id, { registered_on: '2031-03-21' });
    const again = { metric_definition_id: definition, value: 5, registered_on: '2031-03-21T00:00:00.000Z' };
    expectMessage(
      await scene.admin.post(pathOf(id), again),
      409,
      'There is a Capacity of this Installation and Metric Definition registered on the same date-time.',
    );
    await register(id, { registered_on: '2031-03-22' });
    const [, second] = await list(id);
    const patched = await scene.admin.patch(`${pathOf(id)}/${`${second?.id}`.toUpperCase()}`, { registered_on: '2031-03-21' });
    expect(patched.status).toBe(409);
    const other = await make.definition();
    await register(id, { metric_definition_id: other.metric_definition_id, registered_on: '2031-03-21' });
    expect(await list(id)).toHaveLength(3);
  });

  it('change only in what a revision gives', async () => {
    const id = await installation();
    await register(id, { value: 10, registered_on: '2031-03-21' });
    const [capacity] = await list(id);
    const change = async (body: object, expected: object) => {
      expectMessage(await scene.admin.patch(`${pathOf(id)}/${capacity?.id}`, body), 200, UPDATED);
      expect(await list(id)).toEqual([{ ...capacity, ...expected }]);
    };
    await change({}, {});
    await change({ value: null, registered_on: null }, {});
    await change({ value: '', registered_on: '' }, {});
    await change({ value: 11, metric_definition_id: UNKNOWN_OBJECT_ID }, { value: 11 });
    await change({ registered_on: '2031-03-22' }, { value: 11, registered_on: '2031-03-22T00:00:00Z' });
    await change({ value: 0, registered_on: '2031-03-23T01:02:03Z' }, { value: 0, registered_on: '2031-03-23T01:02:03Z' });
  });

  it('are registered once under an Idempotency-Key', async () => {
    const id = await installation();
    const options = { headers: { 'idempotency-key': 'capacity' } };
    const body = { metric_definition_id: definition, value: 1 };
    for (const _ of [1, 2]) expectMessage(await scene.admin.post(pathOf(id), body, options), 200, REGISTERED);
    expect(await list(id)).toHaveLength(1);
    expect((await scene.admin.post(pathOf(id), { ...body, value: 2 }, options)).status).toBe(422);
  });

  describe('are refused', () => {
    it.each<[object | string | undefined, number, string]>([
      [undefined, 400, EMPTY],
      ['null', 400, EMPTY],
      ['{"value"', 400, 'HTTP 400 Bad Request'],
      ['{"value":1e999}', 400, 'A number may have at most 400 characters, and an exponent of 400.'],
      [{}, 400, 'value may not be empty.'],
      [{ value: null, metric_definition_id: 'x' }, 400, 'value may not be empty.'],
      [{ value: 1 }, 400, 'metric_definition_id may not be empty.'],
      [{ value: 1, metric_definition_id: '' }, 400, 'metric_definition_id may not be empty.'],
      [{ value: 1, metric_definition_id: 'x', registered_on: 'bad' }, 404, 'There is no Metric Definition with the following id: x'],
      [
        { value: 1, metric_definition_id: UNKNOWN_OBJECT_ID },
        404,
        `There is no Metric Definition with the following id: ${UNKNOWN_OBJECT_ID}`,
      ],
    ])('if the body is %j', async (body, status, message) =>
      expectMessage(await scene.admin.post(pathOf(await installation()), body), status, message),
    );

    it.each(['bad', '2031-02-30', 5])('if registered_on is %j', async (registered_on) => {
      const id = await installation();
      const body = { metric_definition_id: definition, value: 1, registered_on };
      expectMessage(await scene.admin.post(pathOf(id), body), 400, BAD_DATE);
      await register(id, {});
      const [capacity] = await list(id);
      expectMessage(await scene.admin.patch(`${pathOf(id)}/${capacity?.id}`, { registered_on }), 400, BAD_DATE);
    });

    it.each(['x', UNKNOWN_OBJECT_ID, '%20'])('if there is no installation %s', async (id) => {
      const message = `There is no Installation with the following id: ${decodeURIComponent(id)}`;
      expectMessage(await scene.admin.get(pathOf(id)), 404, message);
      expectMessage(await scene.admin.post(pathOf(id)), 404, message);
      expectMessage(await scene.admin.patch(`${pathOf(id)}/x`), 404, message);
    });

    it('if the installation has no such capacity', async () => {
      const [id, other] = [await installation(), await installation()];
      await register(other, {});
      const [foreign] = await list(other);
      for (const unknown of ['x', UNKNOWN_OBJECT_ID, `${foreign?.id}`]) {
        const message = `There is no Capacity with the following id: ${unknown}`;
        expectMessage(await scene.admin.patch(`${pathOf(id)}/${unknown}`), 404, message);
        expectMessage(await scene.admin.patch(`${pathOf(id)}/${unknown}`, { value: 1 }), 404, message);
      }
      expectMessage(await scene.admin.patch(`${pathOf(other)}/${foreign?.id}`), 400, EMPTY);
    });
  });

  it('are refused to others before anything about the body is checked but its form', async () => {
    const [id, nobody] = [await installation(), await scene.caller('n')];
    expectMessage(await nobody.post(pathOf(id)), 403, FORBIDDEN);
    expectMessage(await nobody.post(pathOf(id), '{'), 400, 'HTTP 400 Bad Request');
  });

  it('are deleted with their installation', async () => {
    const id = await installation();
    await register(id, {});
    expect((await scene.admin.delete(`/installations/${id}`)).status).toBe(200);
    expectMessage(await scene.admin.get(pathOf(id)), 404, `There is no Installation with the following id: ${id}`);
  });
});
