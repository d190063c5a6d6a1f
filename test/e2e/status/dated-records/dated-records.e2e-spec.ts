import { describe, expect, it } from '@jest/globals';
import { type Serving, serving } from '#test/e2e/serving.js';
import {
  CREATED,
  DATED,
  type DatedResource,
  DELETED,
  listOf,
  messageOf,
  nameTaken,
  notFound,
  pretty,
  recordOf,
  sample,
  UNKNOWN_ID,
  UPDATED,
  UUID,
} from '#test/e2e/status/contract.js';
import { onOneDay, today } from '#test/support/clocks/one-day.js';
import { ADMIN, deployments } from '#test/support/deployments.js';
import { type Answer, idOf, recordsOf, registerTenant } from '#test/support/status-client.js';

let tenants = 0;

/** A new tenant's view of one resource, as its admin. */
const ofNewTenant = async ({ status }: Serving, resource: DatedResource) => {
  tenants += 1;
  const name = `tenant-${tenants}`;
  await registerTenant(status, ADMIN, name, ['admin', 'viewer']);
  const key = `${name}-admin`;
  const path = `/${resource}`;
  const create = (body: object, date?: string, headers = {}) =>
    status.post(`${path}${date ? `?date=${date}` : ''}`, { key, body, headers });
  const revise = (id: string, body: object, date?: string) => status.put(`${path}/${id}${date ? `?date=${date}` : ''}`, { key, body });
  return {
    name,
    key,
    create,
    revise,
    created: async (body: object, date?: string) => idOf(await create(body, date)),
    one: (id: string, query = '') => status.get(`${path}/${id}${query}`, { key }),
    list: (query = '') => status.get(`${path}${query}`, { key }),
    remove: (id: string) => status.delete(`${path}/${id}`, { key }),
  };
};

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const day = (index: number): string => new Date(Date.UTC(2021, 0, 1 + index)).toISOString().slice(0, 10);

describe.each(deployments)('dated records on %s', (_name, open) => {
  const scene = serving(open);

  describe.each(DATED)('%s', (resource) => {
    it('answers a creation and a revision as the contract says, byte for byte', async () => {
      const records = await ofNewTenant(scene, resource);
      const host = new URL(scene.server.url).host;
      const before = today();
      const creation = await records.create({ id: UNKNOWN_ID, ...sample(resource, 'a <b> & "c" \\ é 日本 🎉') });
      const id = idOf(creation);
      const data = { id, links: { self: `http://${host}/api/v2/${resource}/${id}` } };
      expect(creation.text).toBe(pretty({ status: { message: CREATED[resource], code: '201' }, data }));
      expect(creation.status).toBe(201);
      expect(id).toMatch(UUID);

      const read = await records.one(id);
      const date = String(recordsOf(read)[0]?.date);
      expect([before, today()]).toContain(date);
      expect(read.text).toBe(pretty(listOf(recordOf(id, date, sample(resource, 'a <b> & "c" \\ é 日本 🎉')))));
      expect(read.text).toContain('a \\u003cb\\u003e \\u0026 \\"c\\" \\\\ é 日本 🎉');
      expect((await records.list()).text).toBe(read.text);

      const revision = await records.revise(id, sample(resource, 'renamed'), '2020-01-01');
      const revised = { ...messageOf(`${UPDATED[resource]} (new history snapshot)`), ...(resource === 'weights' ? { data } : {}) };
      expect(revision.text).toBe(pretty(revised));
      const replacement = await records.revise(id, sample(resource, 'renamed again'), '2020-01-01');
      expect(replacement.text).toBe(pretty({ ...revised, status: { message: UPDATED[resource], code: '200' } }));
      expect(replacement.status).toBe(200);

      const deletion = await records.remove(id);
      expect([deletion.status, deletion.text]).toEqual([200, pretty(messageOf(DELETED[resource]))]);
    });

    it('keeps every day, whatever the order in which days are written', () =>
      onOneDay(async (today) => {
        const records = await ofNewTenant(scene, resource);
        const id = await records.created(sample(resource, 'march', 1), '2020-03-10');
        const messages = [];
        for (const [name, date, mark] of [
          ['june', '2020-06-01', 2],
          ['january', '2020-01-15', 3],
          ['march again', '2020-03-10', 4],
          ['far future', '2999-12-31', 5],
          ['now', undefined, 6],
          ['now again', undefined, 7],
        ] as const)
          messages.push((await records.revise(id, sample(resource, name, mark), date)).text.includes('(new history snapshot)'));
        expect(messages).toEqual([true, true, false, true, true, false]);

        const now = today;
        for (const [query, name, date, mark] of [
          ['?date=2020-01-15', 'january', '2020-01-15', 3],
          ['?date=2020-03-09', 'january', '2020-01-15', 3],
          ['?date=2020-03-10', 'march again', '2020-03-10', 4],
          ['?date=2020-05-31', 'march again', '2020-03-10', 4],
          ['?date=2020-06-01', 'june', '2020-06-01', 2],
          ['?date=2021-02-28', 'june', '2020-06-01', 2],
          ['', 'now again', now, 7],
          ['?date=', 'now again', now, 7],
          ['?date=2999-12-30', 'now again', now, 7],
          ['?date=2999-12-31', 'far future', '2999-12-31', 5],
          ['?date=9999-12-31', 'far future', '2999-12-31', 5],
        ] as const) {
          const expected = pretty(listOf(recordOf(id, date, sample(resource, name, mark))));
          expect([query, (await records.one(id, query)).text]).toEqual([query, expected]);
          expect([query, (await records.list(query)).text]).toEqual([query, expected]);
        }
        const tooEarly = await records.one(id, '?date=2020-01-14');
        expect([tooEarly.status, tooEarly.text]).toEqual([404, pretty(notFound)]);
        expect((await records.list('?date=2020-01-14')).text).toBe(pretty(listOf()));

        expect((await records.remove(id)).status).toBe(200);
        for (const query of ['', '?date=2020-03-10', '?date=2999-12-31']) expect((await records.one(id, query)).status).toBe(404);
        expect(recordsOf(await records.list('?date=9999-12-31'))).toEqual([]);
        expect((await records.remove(id)).status).toBe(404);
        expect((await records.revise(id, sample(resource, 'gone'))).status).toBe(404);
      }));

    it('lists one snapshot of each id, by id, and filters the snapshots that the date picked by their name', async () => {
      const records = await ofNewTenant(scene, resource);
      const ids: string[] = [];
      for (const index of times(12)) ids.push(await records.created(sample(resource, `record ${index}`), day(index)));
      const [first = '', second = ''] = ids;
      await records.revise(first, sample(resource, 'Renamed & more'), '2022-01-01');

      const list = async (query: string) => recordsOf(await records.list(query)).map(({ id, name }) => [id, name]);
      const all = await list('');
      expect(all.map(([id]) => id)).toEqual([...ids].sort());
      expect(await list(`?date=${day(1)}`)).toEqual(
        [
          [first, 'record 0'],
          [second, 'record 1'],
        ].sort(),
      );

      expect(await list('?name=record%200')).toEqual([]);
      expect(await list('?name=record+0&date=2021-12-31')).toEqual([[first, 'record 0']]);
      expect(await list('?name=Renamed%20%26%20more')).toEqual([[first, 'Renamed & more']]);
      expect(await list('?name=Renamed%20%26%20more&date=2021-12-31')).toEqual([]);
      expect(await list('?name=renamed%20%26%20more')).toEqual([]);
      expect(await list('?name=record%201&name=record%202&date=2022-01-01&date=bad')).toEqual([[second, 'record 1']]);
      expect((await list('?name=')).length).toBe(12);
    });

    it('keeps the names of all snapshots taken for other records until the record is deleted', async () => {
      const records = await ofNewTenant(scene, resource);
      const id = await records.created(sample(resource, 'old'), '2020-01-01');
      const other = await records.created(sample(resource, 'other'));
      await records.revise(id, sample(resource, 'new'), '2021-01-01');

      for (const name of ['old', 'new'])
        for (const date of [undefined, '2019-01-01', '2030-01-01']) {
          for (const answer of [
            await records.create(sample(resource, name), date),
            await records.revise(other, sample(resource, name), date),
          ])
            expect([answer.status, answer.text]).toEqual([409, pretty(nameTaken(resource))]);
        }
      expect((await records.create(sample(resource, 'OLD'))).status).toBe(201);
      expect((await records.revise(id, sample(resource, 'old'), '2022-01-01')).status).toBe(200);

      // A name is free again once no snapshot bears it.
      await records.revise(id, sample(resource, 'newer'), '2021-01-01');
      expect((await records.create(sample(resource, 'new'))).status).toBe(201);
      await records.remove(id);
      expect((await records.create(sample(resource, 'old'))).status).toBe(201);
    });

    it('creates a name once, however many ask for it at the same time', async () => {
      const records = await ofNewTenant(scene, resource);
      const answers = await Promise.all(times(40).map((index) => records.create(sample(resource, 'wanted', index % 3))));
      expect(statuses(answers)).toEqual([201, ...times(39).map(() => 409)]);
      expect(recordsOf(await records.list()).length).toBe(1);
    });

    it('loses none of many revisions of one record at the same time', async () => {
      const records = await ofNewTenant(scene, resource);
      const id = await records.created(sample(resource, 'busy'), '2020-01-01');
      const revisions = await Promise.all(
        times(60).map((index) => records.revise(id, sample(resource, `busy ${index}`, index), day(index))),
      );
      expect(statuses(revisions)).toEqual(times(60).map(() => 200));
      for (const index of times(60)) {
        const expected = recordOf(id, day(index), sample(resource, `busy ${index}`, index));
        expect(recordsOf(await records.one(id, `?date=${day(index)}`))).toEqual([expected]);
      }
      const sameDay = await Promise.all(
        times(20).map((index) => records.revise(id, sample(resource, `same ${index}`, index), '2024-02-29')),
      );
      expect(statuses(sameDay)).toEqual(times(20).map(() => 200));
      const [last] = recordsOf(await records.one(id, '?date=2024-02-29'));
      const index = Number(String(last?.name).split(' ')[1]);
      expect(last).toEqual(recordOf(id, '2024-02-29', sample(resource, `same ${index}`, index)));
    });

    it('answers a repeated request with an Idempotency-Key as the first time, after a restart too', async () => {
      const records = await ofNewTenant(scene, resource);
      const headers = { 'idempotency-key': 'intent 1' };
      const answers = await Promise.all(times(10).map(() => records.create(sample(resource, 'once'), undefined, headers)));
      expect(statuses(answers)).toEqual(times(10).map(() => 201));
      const [id = '', ...others] = new Set(answers.map(idOf));
      expect(others).toEqual([]);

      const otherBody = await records.create(sample(resource, 'another'), undefined, headers);
      expect(otherBody.status).toBe(422);
      expect(otherBody.json).toMatchObject({ status: { code: '422' }, errors: [{ code: '422' }] });
      expect((await records.create(sample(resource, 'once'), undefined, { 'idempotency-key': 'intent 2' })).status).toBe(409);

      const neighbour = await ofNewTenant(scene, resource);
      expect((await neighbour.create(sample(resource, 'once'), undefined, headers)).status).toBe(201);
      const elsewhere = DATED.find((name) => name !== resource) ?? resource;
      const otherRoute = await scene.status.post(`/${elsewhere}`, { key: records.key, body: sample(elsewhere, 'once'), headers });
      expect(otherRoute.status).toBe(201);

      expect(await scene.restart()).toBe(0);
      const again = await scene.status.post(`/${resource}`, { key: records.key, body: sample(resource, 'once'), headers });
      expect([again.status, idOf(again)]).toEqual([201, id]);
      expect((await scene.status.post(`/${resource}`, { key: records.key, body: sample(resource, 'x'), headers })).status).toBe(422);
      expect(recordsOf(await scene.status.get(`/${resource}`, { key: records.key })).length).toBe(1);
    });

    it('keeps tenants apart', async () => {
      const [mine, theirs] = [await ofNewTenant(scene, resource), await ofNewTenant(scene, resource)];
      const id = await mine.created(sample(resource, 'same name'));
      for (const answer of [await theirs.one(id), await theirs.revise(id, sample(resource, 'taken over')), await theirs.remove(id)])
        expect([answer.status, answer.text]).toEqual([404, pretty(notFound)]);
      expect(recordsOf(await theirs.list())).toEqual([]);
      expect((await theirs.create(sample(resource, 'same name'))).status).toBe(201);
      expect(recordsOf(await mine.list())).toEqual([
        recordOf(id, String(recordsOf(await mine.one(id))[0]?.date), sample(resource, 'same name')),
      ]);
      await mine.remove(id);
      expect(recordsOf(await theirs.list()).length).toBe(1);
    });
  });

  it('takes names of any length and script', async () => {
    const records = await ofNewTenant(scene, 'weights');
    for (const name of ['n'.repeat(5_000), 'é'.repeat(2_000), 'a\u0000b', ' ', '/', '..', '%2F', '{"}', '\u2028', '__proto__', '👩‍👩‍👧']) {
      const id = await records.created(sample('weights', name));
      const found = recordsOf(await records.list(`?name=${encodeURIComponent(name)}`));
      expect(found).toEqual(recordsOf(await records.one(id)));
      expect(found[0]?.name).toBe(name);
      expect((await records.create(sample('weights', name))).status).toBe(409);
    }
  });

  it('takes a profile of two megabytes and gives it back whole', async () => {
    const records = await ofNewTenant(scene, 'operations_profiles');
    const statement = { a: 'CRITICAL', b: 'CRITICAL', x: 'CRITICAL' };
    const body = {
      ...sample('operations_profiles', 'large', 0),
      available_states: ['CRITICAL', 'UNKNOWN'],
      operations: [{ name: 'AND', truth_table: [{ ...statement, b: 'UNKNOWN' }, ...times(50_000).map(() => statement)] }],
    };
    expect(JSON.stringify(body).length).toBeGreaterThan(2_000_000);
    const id = await records.created(body, '2020-01-01');
    expect(recordsOf(await records.one(id))[0]).toEqual(recordOf(id, '2020-01-01', body));
    expect((await records.revise(id, { ...body, name: 'larger' }, '2020-01-02')).status).toBe(200);
    expect(recordsOf(await records.one(id, '?date=2020-01-01'))[0]?.name).toBe('large');
  });
});
