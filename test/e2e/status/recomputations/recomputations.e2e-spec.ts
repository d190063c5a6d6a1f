import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf, malformed, messageOf, pretty, UNKNOWN_ID, UTF8_JSON, UUID } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { idOf, registerTenant } from '#test/support/status-client.js';
import { callsOf, exclusions, ineligible, request, STATUSES, statusesOf } from './recomputations.js';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const updatedTo = (status: string) => pretty(messageOf(`Recomputation status updated successfully to: ${status}`));
const RESET = pretty(messageOf('Recomputation status reset successfully to: pending'));

describe.each(deployments)('recomputations on %s', (_name, open) => {
  const scene = serving(open);

  it('are requested, changed, replaced and deleted, and survive a restart', async () => {
    await registerTenant(scene.status, ADMIN, 'journey', ['admin']);
    const calls = callsOf(() => scene.status, 'journey-admin');
    expect((await calls.get()).text).toBe(pretty({ ...listOf(), root: [] }));
    const begin = Math.floor(Date.now() / 1_000) * 1_000;
    const creation = await calls.post(request(exclusions));
    const end = Date.now();
    const id = idOf(creation);
    const self = `http://${new URL(scene.server.url).host}/api/v2/recomputations/${id}`;
    expect(id).toMatch(UUID);
    expect([creation.status, creation.text]).toEqual([
      201,
      pretty({ status: { message: 'Recomputations successfully created', code: '201' }, data: { id, links: { self } } }),
    ]);
    const { timestamp } = await calls.one(id);
    expect(timestamp).toMatch(INSTANT);
    expect(Date.parse(String(timestamp))).toBeGreaterThanOrEqual(begin);
    expect(Date.parse(String(timestamp))).toBeLessThanOrEqual(end);
    const stored = { id, ...request(), status: 'pending', timestamp, history: [{ status: 'pending', timestamp }], ...exclusions };
    expect((await calls.get()).text).toBe(pretty({ ...listOf(stored), root: [stored] }));
    expect((await calls.get(id)).text).toBe(pretty({ status: { message: 'Success', code: '200' }, data: stored }));

    expect((await calls.move(id, 'approved')).text).toBe(updatedTo('approved'));
    expect((await calls.put(id, request({ reason: 'other' }))).text).toBe(pretty(messageOf('Recomputation updated successfully')));
    expect((await calls.reset(id)).text).toBe(RESET);
    const after = await calls.one(id);
    expect(after).toMatchObject({ ...request({ reason: 'other' }), ...exclusions, status: 'pending' });
    expect(statusesOf(after)).toEqual(['pending', 'approved', 'pending']);
    expect(await scene.restart()).toBe(0);
    expect(await calls.list()).toEqual([after]);
    const deletion = await calls.remove(id);
    expect([deletion.status, deletion.text]).toEqual([200, pretty(messageOf('Recomputation Successfully Deleted'))]);
    expectError(await calls.get(id), 'not found');
    expect(await calls.list()).toEqual([]);
  });
});

describe('recomputations', () => {
  const scene = serving(embedded);
  const key = 'recomputations-admin';
  const calls = callsOf(() => scene.status, key);
  const created = async (changes: object = {}) => idOf(await calls.post(request(changes)));

  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'recomputations', ['admin', 'editor', 'viewer', 'admin_ui']);
    await registerTenant(scene.status, ADMIN, 'neighbour', ['admin']);
  });

  it('answer JSON under Accept: application/xml, and errors in XML', async () => {
    const xml = { key, accept: 'application/xml' };
    const answer = await scene.status.post('/recomputations', { ...xml, body: request() });
    for (const one of [
      answer,
      await scene.status.get('/recomputations', xml),
      await scene.status.get(`/recomputations/${idOf(answer)}`, xml),
    ])
      expect(one.headers.get('content-type')).toBe(UTF8_JSON);
    const refused = await scene.status.post(`/recomputations/${idOf(answer)}/status`, { ...xml, body: { status: 'x' } });
    const quoted = STATUSES.map((status) => `&#34;${status}&#34;`).join(',');
    expect([refused.status, refused.text]).toEqual([
      404,
      '<root>\n <status>\n  <message>Conflict</message>\n  <code>404</code>\n </status>\n <errors>\n  <error>\n   <message>Conflict</message>\n' +
        `   <code>404</code>\n   <details>status should be among values: ${quoted}</details>\n  </error>\n </errors>\n</root>`,
    ]);
  });

  it.each(['', '{"exclude":[1]}'])('are refused if the body is malformed, after it is known whether they exist: %s', async (body) => {
    const id = await created();
    for (const answer of [await calls.post(body), await calls.put(id, body)])
      expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
    expectError(await calls.put(UNKNOWN_ID, body), 'not found');
  });

  it('ignore what a body says about members that the server sets, and leave out empty lists', async () => {
    const id = await created({
      id: UNKNOWN_ID,
      status: 'done',
      timestamp: '1999-01-01T00:00:00Z',
      history: [{ status: 'x'.repeat(256 * 1024), timestamp: 'x' }], // more than is taken
      exclude: null,
      exclude_metrics: [{ metric: '', hostname: '', timestamp: '' }],
      exclude_monitoring_source: [],
      applied_status_changes: null,
      unknown: { a: 1 },
    });
    expect(id).not.toBe(UNKNOWN_ID);
    const read = await calls.one(id);
    const { timestamp } = read;
    expect(read).toEqual({
      id,
      ...request({ exclude: [] }),
      status: 'pending',
      timestamp,
      history: [{ status: 'pending', timestamp }],
      exclude_metrics: [{}],
    });
    expect(new Date(String(timestamp)).getFullYear()).toBeGreaterThan(2020);
  });

  describe('status', () => {
    it('can become every eligible value, and shows when', async () => {
      const id = await created();
      for (const status of STATUSES) {
        const answer = await calls.move(id, status);
        expect([answer.status, answer.text]).toEqual([200, updatedTo(status)]);
      }
      const read = await calls.one(id);
      expect(statusesOf(read)).toEqual(['pending', ...STATUSES]);
      expect(read.status).toBe('done');
      const times = (read.history as { timestamp: string }[]).map(({ timestamp }) => timestamp);
      expect(times).toEqual([...times].sort());
      for (const time of times) expect(time).toMatch(INSTANT);
      expect(read.timestamp).toBe(times.at(-1));
    });

    it.each([['Pending'], [null]])('cannot become %j, which is refused after the id and the body are checked', async (value) => {
      const id = await created();
      const answer = await calls.move(id, value);
      expect([answer.status, answer.text]).toEqual([404, pretty(ineligible)]);
      expectError(await calls.move(UNKNOWN_ID, value), 'not found');
      expect(statusesOf(await calls.one(id))).toEqual(['pending']);
    });

    it.each(['', '{"status":5}'])('stays if the body is malformed: %s', async (body) => {
      const answer = await scene.status.post(`/recomputations/${await created()}/status`, { key, body });
      expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
      expectError(await scene.status.post(`/recomputations/${UNKNOWN_ID}/status`, { key, body }), 'not found');
    });

    it('is reset by an entry of its own, and the earlier history stays', async () => {
      const id = await created(exclusions);
      await calls.move(id, 'running');
      const before = await calls.one(id);
      const reset = async () => {
        const answer = await calls.reset(id);
        expect([answer.status, answer.text]).toEqual([200, RESET]);
        return calls.one(id);
      };
      const after = await eventually(reset).until(({ timestamp }) => timestamp !== before.timestamp);
      const [first, second] = before.history as object[];
      const history = after.history as { status: string; timestamp: string }[];
      expect(history.slice(0, 2)).toEqual([first, second]);
      expect(history.at(-1)).toEqual({ status: 'pending', timestamp: after.timestamp });
      expect(after).toEqual({ ...before, status: 'pending', timestamp: after.timestamp, history });
    });

    it('shows all of many changes that are made at the same time', async () => {
      const id = await created();
      const moves = Array.from({ length: 30 }, (_, index) => STATUSES[index % 5] ?? 'done');
      const answers = await Promise.all(moves.map((status) => calls.move(id, status)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect([...statusesOf(await calls.one(id))].sort()).toEqual(['pending', ...moves].sort());
    });

    it('changes once for an Idempotency-Key', async () => {
      const id = await created();
      const headers = { 'idempotency-key': 'move' };
      for (const _ of [1, 2]) expect((await calls.move(id, 'running', headers)).text).toBe(updatedTo('running'));
      expect((await calls.move(id, 'done', headers)).status).toBe(422);
      expect(statusesOf(await calls.one(id))).toEqual(['pending', 'running']);
    });
  });

  it('belong to one tenant', async () => {
    const neighbour = callsOf(() => scene.status, 'neighbour-admin');
    const id = await created();
    for (const one of [id, 'x', 'X'.repeat(3_000), id.toUpperCase(), encodeURIComponent('é%-')]) {
      const by = one === id ? neighbour : calls;
      expectError(await by.get(one), 'not found');
      expectError(await by.put(one, request()), 'not found');
      expectError(await by.put(one, '{'), 'not found');
      expectError(await by.move(one, 'done'), 'not found');
      expectError(await by.reset(one), 'not found');
      expectError(await by.remove(one), 'not found');
    }
    expect(await neighbour.list()).toEqual([]);
    expect(statusesOf(await calls.one(id))).toEqual(['pending']);
  });
});
