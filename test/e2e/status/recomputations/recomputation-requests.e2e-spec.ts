import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { listOf, malformed, pretty } from '#test/e2e/status/contract.js';
import { today } from '#test/support/clocks/one-day.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Answer, idOf, registerTenant } from '#test/support/status-client.js';
import { callsOf, exclusions, REQUIRED, request, statusesOf } from './recomputations.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const badDate = {
  status: { message: 'Bad Request', code: '400' },
  errors: [{ message: 'Bad Request', code: '400', details: 'date argument should be in the YYYY-MM-DD format' }],
};

/** The body of 422 names each of the parameters, in this order. */
const expectProblems = (answer: Answer, names: readonly string[]): void => {
  const { status, errors } = answer.json as { status: object; errors: { message: string; code: string; details: string }[] };
  expect([answer.status, status]).toEqual([422, { message: 'Unprocessable Entity', code: '422' }]);
  expect(errors.map(({ code }) => code)).toEqual(names.map(() => '422'));
  expect(errors.map(({ details }) => REQUIRED.find((name) => details.startsWith(`Parameter ${name}`)))).toEqual(names);
  expect(Object.keys(errors[0] ?? {})).toEqual(['message', 'code', 'details']);
};

describe('Requests for recomputations', () => {
  const scene = serving(embedded);
  const calls = callsOf(() => scene.status, 'requests-admin');
  const parameters = () => new URLSearchParams(REQUIRED.map((name): [string, string] => [name, String(request()[name])]));
  const stored = async (answer: Answer) => {
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    const { id: _id, status: _status, timestamp: _timestamp, history: _history, ...members } = await calls.one(idOf(answer));
    return members;
  };

  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'requests', ['admin']);
    await registerTenant(scene.status, ADMIN, 'filters', ['admin']);
    await registerTenant(scene.status, ADMIN, 'order', ['admin']);
  });

  it('come as JSON, whatever the content type says and whatever stands in the query', async () => {
    for (const headers of [{}, FORM, { 'content-type': 'text/plain' }, { 'content-type': 'nonsense' }])
      expect(await stored(await calls.post(request(), headers))).toEqual(request());
    const awkward = request({ reason: 'a=b&report=c' });
    expect(await stored(await calls.post(awkward, FORM))).toEqual(awkward);
    const answer = await scene.status.post('/recomputations?report=other&exclude=x', { key: 'requests-admin', body: request() });
    expect(await stored(answer)).toEqual(request());
  });

  it('come as parameters of the query or of a form, with exclude repeated', async () => {
    const expected = request({ exclude: [] });
    expect(await stored(await calls.query(`${parameters()}`))).toEqual(expected);
    expect(await stored(await calls.query(`${parameters()}`, FORM))).toEqual(expected);
    for (const headers of [
      FORM,
      { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      { 'content-type': 'Application/X-WWW-Form-Urlencoded' },
    ])
      expect(await stored(await calls.post(`${parameters()}`, headers))).toEqual(expected);

    const excluding = parameters();
    for (const group of ['SITE-A', 'SITE B & é', 'SITE-A']) excluding.append('exclude', group);
    const all = request({ exclude: ['SITE-A', 'SITE B & é', 'SITE-A'] });
    expect(await stored(await calls.post(`${excluding}`, FORM))).toEqual(all);
    expect(await stored(await calls.query(`${excluding}&report=second&unknown=1`))).toEqual(all);
    const split = await scene.status.post('/recomputations?exclude=B&report=other', {
      key: 'requests-admin',
      headers: FORM,
      body: `${parameters()}&exclude=A`,
    });
    expect(await stored(split)).toEqual(request({ exclude: ['A', 'B'] }));
  });

  it('are malformed if they are neither JSON nor parameters', async () => {
    for (const answer of [
      await calls.query(''),
      await calls.query('unknown=1'),
      await calls.post(`${parameters()}`),
      await calls.post('unknown=1', FORM),
      await calls.post('{"report":', FORM),
      await calls.post('{"a&report=b":', FORM),
    ])
      expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
  });

  it('are refused with the name of each missing parameter', async () => {
    for (const body of ['{}', 'null', {}, Object.fromEntries(REQUIRED.map((name) => [name, '']))])
      expectProblems(await calls.post(body), REQUIRED);
    for (const name of REQUIRED) {
      expectProblems(await calls.post(request({ [name]: undefined })), [name]);
      expectProblems(await calls.post(request({ [name]: null })), [name]);
      const others = parameters();
      others.delete(name);
      expectProblems(await calls.query(`${others}`), [name]);
      others.set(name, '');
      expectProblems(await calls.post(`${others}`, FORM), [name]);
    }
    expectProblems(await calls.query('exclude=A'), REQUIRED);
  });

  it('are refused with the name of each time that is no UTC instant', async () => {
    for (const time of ['2015-01-10', '2015-02-30T12:00:00Z', '2015-01-10T12:00:00+02:00']) {
      expectProblems(await calls.post(request({ start_time: time })), ['start_time']);
      expectProblems(await calls.post(request({ end_time: time, reason: '' })), ['end_time', 'reason']);
    }
    expect((await calls.post(request({ start_time: '2016-01-01T00:00:00Z' }))).status).toBe(201); // after the end: not compared
  });

  it('are replaced as a whole without new checks, and keep everything else', async () => {
    const id = idOf(await calls.post(request(exclusions)));
    await calls.move(id, 'approved');
    const before = await calls.one(id);
    const changed = { requester_name: 'n', requester_email: 'e', reason: 'r', start_time: 's', end_time: 'e', report: 'p', exclude: ['x'] };
    const history = [{ status: 'x'.repeat(256 * 1024), timestamp: '' }]; // more than is taken
    expect((await calls.put(id, { ...changed, id: 'x', status: 'done', timestamp: 'x', history })).status).toBe(200);
    expect(await calls.one(id)).toEqual({ ...before, ...changed });
    const empty = { requester_name: '', requester_email: '', reason: '', start_time: '', end_time: '', report: '', exclude: [] };
    await calls.put(id, '{}');
    expect(await calls.one(id)).toEqual({ ...before, ...empty });
    const metrics = { exclude_metrics: [{ metric: 'other' }] };
    await calls.put(id, { ...request(), ...metrics, exclude_monitoring_source: null, applied_status_changes: [] });
    const { applied_status_changes: _, ...rest } = before;
    expect(await calls.one(id)).toEqual({ ...rest, ...metrics });
    expect(statusesOf(await calls.one(id))).toEqual(['pending', 'approved']);
  });

  it('are new each time, unless they share an Idempotency-Key', async () => {
    const same = request({ report: 'same' });
    const listed = async () => (await calls.list('?report=same')).map(({ id }) => id);
    const [one, two] = [idOf(await calls.post(same)), idOf(await calls.post(same))];
    expect(one).not.toBe(two);
    const headers = { 'idempotency-key': 'request' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => calls.post(same, headers)));
    const [three, ...others] = new Set(answers.map(idOf));
    expect(others).toEqual([]);
    expect(await listed()).toEqual([one, two, three]);
    expect((await calls.post(request(), headers)).status).toBe(422);
    expect((await calls.query(`${parameters()}`, headers)).status).toBe(422);
    await calls.remove(String(three));
    expect(idOf(await calls.post(same, headers))).toBe(three);
    expect(await listed()).toEqual([one, two]);
    const neighbour = callsOf(() => scene.status, 'filters-admin');
    const theirs = idOf(await neighbour.post(same, headers));
    expect(theirs).not.toBe(three);
    await neighbour.remove(theirs);
  });

  it('are listed by report and by the days they cover', async () => {
    const filtered = callsOf(() => scene.status, 'filters-admin');
    const times = (from: string, to: string) => ({ start_time: `${from}T23:59:59Z`, end_time: `${to}T00:00:00Z` });
    await filtered.post(request({ reason: 'january', ...times('2015-01-10', '2015-01-30') }));
    await filtered.post(request({ reason: 'day', report: 'a"<b', ...times('2015-01-15', '2015-01-15') }));
    await filtered.post(request({ reason: 'reversed', ...times('2015-02-10', '2015-02-01') }));
    await filtered.put(idOf(await filtered.post(request())), request({ reason: 'free', start_time: '2015', end_time: '2016-whenever' }));
    const reasons = async (query: string) => (await filtered.list(query)).map(({ reason }) => reason);
    for (const [query, expected] of [
      ['', ['january', 'day', 'reversed', 'free']],
      ['?date=&report=', ['january', 'day', 'reversed', 'free']],
      ['?date=2015-01-09', ['free']],
      ['?date=2015-01-10', ['january', 'free']],
      ['?date=2015-01-15', ['january', 'day', 'free']],
      ['?date=2015-01-30', ['january', 'free']],
      ['?date=2015-01-31', ['free']],
      ['?date=2015-02-05', ['free']],
      ['?date=2016-01-01', ['free']],
      ['?date=2016-12-31', ['free']],
      ['?date=2017-01-01', []],
      ['?date=2014-12-31', []],
      ['?report=Critical', ['january', 'reversed', 'free']],
      ['?report=critical', []],
      ['?report=Crit', []],
      [`?report=${encodeURIComponent('a"<b')}`, ['day']],
      ['?report=Critical&date=2015-01-15', ['january', 'free']],
      ['?report=Critical&report=other&date=2015-01-15&date=x', ['january', 'free']],
    ] as const)
      expect([query, await reasons(query)]).toEqual([query, expected]);
    expect((await scene.status.get('/recomputations?report=none', { key: 'filters-admin' })).text).toBe(pretty({ ...listOf(), root: [] }));
    for (const date of ['2015-1-1', '2015-02-30', '20150101', 'x', `${today()}T00:00:00Z`]) {
      const answer = await scene.status.get(`/recomputations?date=${date}`, { key: 'filters-admin' });
      expect([answer.status, answer.text]).toEqual([400, pretty(badDate)]);
    }
  });

  it('are listed in the order of their status times, those of one second in the order of creation', async () => {
    const ordered = callsOf(() => scene.status, 'order-admin');
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push(idOf(await ordered.post(request({ reason: `${count}` }))));
    const [first = ''] = ids;
    const times = async () => new Map((await ordered.list()).map(({ id, timestamp }) => [String(id), String(timestamp)]));
    expect([...(await times()).keys()]).toEqual(ids);
    const before = (await times()).get(first);
    const move = async () => {
      await ordered.move(first, 'running');
      return times();
    };
    const after = await eventually(move).until((moved) => moved.get(first) !== before);
    const inOrder = [...ids].sort((left, right) =>
      String(after.get(left)) < String(after.get(right)) ? -1 : after.get(left) === after.get(right) ? 0 : 1,
    );
    expect([...after.keys()]).toEqual(inOrder);
  });
});
