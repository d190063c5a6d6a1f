import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { pretty, UNKNOWN_ID, weights } from '#test/e2e/status/contract.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';
import { callsOf, createProfiles, items, noProfile, noTrend, noType, PROFILE_KINDS, type ProfileType, report, taken } from './reports.js';

describe('Reports', () => {
  const scene = serving(embedded);
  const key = 'reports-admin';
  const reports = callsOf(() => scene.status, key);
  const neighbour = callsOf(() => scene.status, 'neighbour-admin');
  let ids: Readonly<Record<ProfileType, string>> = { metric: '', operations: '', aggregation: '', thresholds: '', weights: '' };
  let neighbourId = '';
  let names = 0;
  const name = () => `report ${++names}`;
  /** What a report created from the body reads as, without id and tenant. */
  const readBack = async (changes: object) => {
    const answer = await reports.one(idOf(await reports.post(report(name(), changes))));
    const { id: _id, tenant: _tenant, info: _info, ...members } = recordsOf(answer)[0] ?? {};
    return members;
  };

  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'reports', ['admin']);
    neighbourId = await registerTenant(scene.status, ADMIN, 'neighbour', ['admin']);
    ids = await createProfiles(scene.status, key, 'stored');
  });

  it('refer to profiles that exist on any day, or are refused with what is wrong with each profile, then with each trend', () =>
    onOneDay(async (today) => {
      const future = await createProfiles(scene.status, key, 'of the future', '?date=2999-01-01');
      const types = Object.keys(PROFILE_KINDS) as ProfileType[];
      const known = types.flatMap((type) => [
        { type, id: future[type] },
        { type, id: ids[type] },
      ]);
      const { profiles } = await readBack({ profiles: known });
      expect(profiles).toEqual(known.map(({ type, id }) => ({ id, name: id === ids[type] ? 'stored' : 'of the future', type })));

      const body = report(name(), {
        profiles: [
          { type: 'metric', id: ids.operations },
          { type: 'operations', id: ids.operations },
          { type: 'Metric', id: ids.metric },
          ...types.map((type) => ({ type, id: UNKNOWN_ID })),
          { id: ids.metric },
          { type: 'weights' },
          { type: 'constructor', id: '/' },
          { type: 'thresholds', id: `${ids.thresholds}/${today}` },
        ],
        computations: { trends: ['flapping', 'Status', 'tags', ''] },
      });
      const expected = items(
        noProfile('metric', ids.operations),
        noType('Metric'),
        ...types.map((type) => noProfile(type, UNKNOWN_ID)),
        noType(''),
        noProfile('weights', ''),
        noType('constructor'),
        noProfile('thresholds', `${ids.thresholds}/${today}`),
        noTrend('Status'),
        noTrend(''),
      );
      for (const answer of [await reports.post(body), await reports.put(UNKNOWN_ID, body)])
        expect([answer.status, answer.text]).toEqual([422, pretty(expected)]);
      const theirs = await neighbour.post(report('x', { profiles: [{ type: 'metric', id: ids.metric }] }));
      expect(theirs.text).toBe(pretty(items(noProfile('metric', ids.metric))));
    }));

  it('take the name that the profile has today, and keep it when the profile is renamed or deleted', async () => {
    const rename = (id: string, to: string, date: string) =>
      scene.status.put(`/metric_profiles/${id}${date}`, { key, body: { name: to, services: [] } });
    const id = idOf(await scene.status.post('/metric_profiles?date=2020-01-01', { key, body: { name: 'old name' } }));
    await rename(id, 'later name', '?date=2999-01-01');
    await rename(id, 'last name', '?date=3000-01-01');
    await rename(id, 'name of today', '');
    const profiles = [{ type: 'metric', id, name: 'mine' }];
    const made = idOf(await reports.post(report(name(), { profiles })));
    const names = async () =>
      recordsOf(await reports.one(made)).flatMap(({ profiles }) => (profiles as { name: string }[]).map((one) => one.name));
    expect(await names()).toEqual(['name of today']);
    await rename(id, 'renamed', '');
    expect(await names()).toEqual(['name of today']);
    const { info } = recordsOf(await reports.one(made))[0] as { info: object };
    await reports.put(made, { info, profiles });
    expect(await names()).toEqual(['renamed']);
    await scene.status.delete(`/metric_profiles/${id}`, { key });
    expect(await names()).toEqual(['renamed']);
    expect((await reports.put(made, { info, profiles })).text).toBe(pretty(items(noProfile('metric', id))));

    const coming = idOf(await scene.status.post('/weights?date=2998-01-01', { key, body: weights('coming') }));
    await scene.status.put(`/weights/${coming}?date=2999-01-01`, { key, body: weights('coming later') });
    const { profiles: found } = await readBack({ profiles: [{ type: 'weights', id: coming }] });
    expect(found).toEqual([{ id: coming, name: 'coming later', type: 'weights' }]);
  });

  it('have names that are unique in their tenant, which is checked last', async () => {
    const [one, two] = [name(), name()];
    const first = idOf(await reports.post(report(one)));
    const second = idOf(await reports.post(report(two)));
    const invalid = { profiles: [{ type: 'other' }] };
    for (const answer of [await reports.post(report(one)), await reports.put(second, report(one))])
      expect([answer.status, answer.text]).toEqual([409, taken]);
    for (const answer of [await reports.post(report(one, invalid)), await reports.put(second, report(one, invalid))])
      expect([answer.status, answer.text]).toEqual([422, pretty(items(noType('other')))]);
    expectError(await reports.put(UNKNOWN_ID, report(one)), 'not found');
    expect((await reports.put(second, report(two))).status).toBe(200);
    expect((await reports.post(report(one.toUpperCase()))).status).toBe(201);
    expect((await neighbour.post(report(one))).status).toBe(201);
    await reports.put(first, report(name()));
    expect((await reports.put(second, report(one))).status).toBe(200);
    await reports.remove(second);
    expect((await reports.post(report(one))).status).toBe(201);
    const racing = await Promise.all(Array.from({ length: 20 }, () => reports.post(report('wanted'))));
    expect(racing.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    for (const long of ['n'.repeat(5_000), '/', 'é'.repeat(1_000)]) {
      expect((await reports.post(report(long))).status).toBe(201);
      expect((await reports.post(report(long))).status).toBe(409);
    }
  });

  it('belong to one tenant, show its current name, and are listed by id', async () => {
    const mine = idOf(await reports.post(report(name())));
    for (const answer of [await neighbour.one(mine), await neighbour.put(mine, report('taken over')), await neighbour.remove(mine)])
      expectError(answer, 'not found');
    for (const id of ['x', 'x'.repeat(3_000), encodeURIComponent('é%')]) {
      expectError(await reports.one(id), 'not found');
      expectError(await reports.remove(id), 'not found');
      expectError(await reports.put(id, report(name())), 'not found');
    }
    const listed = recordsOf(await reports.list());
    expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => String(id)).sort());
    expect(listed.length).toBeGreaterThan(10);
    expect(new Set(listed.map(({ tenant }) => tenant))).toEqual(new Set(['reports']));
    expect((await reports.list(`?group=${encodeURIComponent('laid out')}&date=x`)).text).toBe((await reports.list()).text);
    expect(recordsOf(await neighbour.list()).map(({ tenant }) => tenant)).toEqual(['neighbour']);
    const users = [{ name: 'admin', api_key: 'neighbour-admin', roles: ['admin'] }];
    const renamed = await scene.status.put(`/admin/tenants/${neighbourId}`, { key: ADMIN, body: { info: { name: 'new <name>' }, users } });
    expect(renamed.status).toBe(200);
    expect(recordsOf(await neighbour.list()).map(({ tenant }) => tenant)).toEqual(['new <name>']);
  });

  it('are created once for an Idempotency-Key, even if their profiles have changed since', async () => {
    const metric = idOf(await scene.status.post('/metric_profiles', { key, body: { name: 'short-lived' } }));
    const body = report(name(), { profiles: [{ type: 'metric', id: metric }] });
    const headers = { 'idempotency-key': 'report' };
    const first = await reports.post(body, headers);
    expect(first.status).toBe(201);
    await scene.status.delete(`/metric_profiles/${metric}`, { key });
    expect((await reports.post(body, headers)).text).toBe(first.text);
    expect((await reports.post(report(name()), headers)).status).toBe(422);
  });
});
