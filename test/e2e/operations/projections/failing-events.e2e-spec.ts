import { describe, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { report, unreadable } from '#test/e2e/status/reports/reports.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, type HttpClient, recordsOf, registerTenant } from '#test/support/status-client.js';

const REPORTS = 'status.reports';

const expectSetAside = (answer: Answer): void => {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
  expect(answer.json).toMatchObject({
    status: { message: 'Service Unavailable', code: '503' },
    errors: [{ code: '503', details: expect.stringContaining('paused after an internal error') }],
  });
};
const isBehind = ({ headers }: Answer): boolean => headers.get('logbook-read-model') === 'behind';
/** Sorted, as reports have no order of their own. */
const namesIn = (answer: Answer): unknown[] =>
  recordsOf(answer)
    .map(({ info }) => (info as { name: string }).name)
    .sort();

/** Repeats a call, which must have an idempotency key, until all events that waited were tried again: a busy server answers before that. */
const settled = (call: () => Promise<Answer>): Promise<Answer> =>
  eventually(call).until(({ json }) => (json as { state?: string }).state !== 'resuming');

const operations = (root: HttpClient, key = OPERATOR) => ({
  get: (path: string) => root.get(`/ops/projections${path}`, { key }),
  post: (path: string, body?: unknown, headers = {}) => root.post(`/ops/projections${path}`, { key, body, headers }),
});

describe.each(deployments)('an event that a read model cannot apply, on %s,', (stores, open) => {
  const scene = serving(open);
  const ops = (key?: string) => operations(scene.root, key);
  const postReport = (key: string, name: string) => scene.status.post('/reports', { key, body: report(name) });
  const reports = (key: string) => scene.status.get('/reports', { key });
  const setAsideIn = async (projection = REPORTS) =>
    ((await ops().get(`/${projection}`)).json as { setAside: { partitions: number; events: number } }).setAside;

  it('sets aside the reports of its tenant, says so everywhere, and leaves everything else as it is', async () => {
    const hurt = await registerTenant(scene.status, ADMIN, 'hurt', ['admin']);
    await registerTenant(scene.status, ADMIN, 'well', ['admin']);
    expect((await postReport('hurt-admin', 'before')).status).toBe(201);
    expect((await postReport('well-admin', 'before')).status).toBe(201);
    expect(namesIn(await reports('hurt-admin'))).toEqual(['before']);

    await scene.plant(unreadable(hurt, 'bad'));
    await eventually(setAsideIn).until(({ partitions }) => partitions === 1);

    for (const answer of [await reports('hurt-admin'), await scene.status.get('/reports/any', { key: 'hurt-admin' })])
      expectSetAside(answer);
    const written = await postReport('hurt-admin', 'during');
    expect([written.status, isBehind(written)]).toEqual([201, true]);
    // What is not about the reports of this tenant goes on.
    expect((await scene.status.get('/weights', { key: 'hurt-admin' })).status).toBe(200);
    const others = await postReport('well-admin', 'during');
    expect(others.status).toBe(201);
    const list = await reports('well-admin');
    expect([namesIn(list), isBehind(list)]).toEqual([['before', 'during'], false]);

    expect((await scene.root.get('/health/ready')).status).toBe(200);
    const health = await scene.root.get('/health');
    expect([health.status, health.json]).toMatchObject([
      200,
      { status: 'up', projections: { [REPORTS]: 'degraded' }, partitionsSetAside: { [REPORTS]: 1 } },
    ]);
    expect(health.text).not.toContain(hurt);
    const metrics = (await scene.root.get('/metrics', { accept: null })).text;
    expect(metrics).toContain(`logbook_projection_partitions_set_aside{projection="${REPORTS}"} 1`);
    expect(metrics).toContain(`logbook_projection_events_held_back{projection="${REPORTS}"} 2`);
    // Beside Redis the history leaves the event out as well, sooner or later, and says so in a line of its own.
    const logged = scene.server.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ partition, documents }) => partition && documents !== 'history');
    expect(logged).toMatchObject([
      { level: 'error', projection: REPORTS, partition: `tenant:${hurt}`, type: 'ReportCreated', position: expect.any(String) },
    ]);
  });

  it('is shown to operators and auditors', async () => {
    const auditor = await issueKey(scene.root, 'ops', 'auditor');
    const { items } = (await ops(auditor.key).get('')).json as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toEqual([...items.map(({ name }) => name)].sort());
    const shown = items.find(({ name }) => name === REPORTS);
    expect(Object.keys(shown ?? {})).toEqual([
      ...['name', 'version', 'service', 'state', 'position', 'head', 'lag', 'documents', 'appliedAt', 'failure', 'rebuild', 'setAside'],
      ...['projector', 'history'],
    ]);
    expect(shown).toMatchObject({ state: 'degraded', failure: null, setAside: { partitions: 1, events: 2 } });
    // Once the audit index has the event, its index is known as well; the history beside Redis comes to the event by itself.
    const history = stores === 'embedded stores' ? null : 'set-aside';
    const partitions = await eventually(
      async () =>
        ((await ops(auditor.key).get(`/${REPORTS}/partitions`)).json as { items: { failure: { index: unknown }; history: unknown }[] })
          .items,
    ).until(([first]) => first?.failure.index !== null && first?.history === history);
    expect(partitions).toEqual([
      {
        partition: expect.stringMatching(/^tenant:/),
        with: [],
        state: 'set-aside',
        held: 1,
        failure: {
          position: expect.stringMatching(/^\d+$/),
          index: expect.any(Number),
          eventId: expect.any(String),
          type: 'ReportCreated',
          message: expect.stringContaining('JSON'),
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
        history,
      },
    ]);
  });

  it('is tried again on request, and stays set aside when it fails again', async () => {
    const [partition] = ((await ops().get(`/${REPORTS}/partitions`)).json as { items: { partition: string }[] }).items;
    const path = `/${REPORTS}/partitions/${partition?.partition}/resume`;
    const again = () => ops().post(path, undefined, { 'idempotency-key': 'again' });
    const first = await settled(again);
    expect([first.status, first.json]).toMatchObject([200, { state: 'set-aside', held: 1, failure: { type: 'ReportCreated' } }]);
    expect(first.headers.get('logbook-position')).toMatch(/^\d+$/);
    const repeated = await again();
    expect([repeated.status, repeated.headers.get('logbook-position')]).toEqual([200, first.headers.get('logbook-position')]);
    expectSetAside(await reports('hurt-admin'));
  });

  it('stays set aside over a restart and a rebuild', async () => {
    await scene.restart();
    expect(await setAsideIn()).toEqual({ partitions: 1, events: 2 });
    expectSetAside(await reports('hurt-admin'));
    const started = await ops().post(`/${REPORTS}/rebuild`);
    const { id, href } = started.json as { id: string; href: string };
    expect([started.status, started.headers.get('location'), href]).toEqual([202, href, `/ops/rebuilds/${id}`]);
    const done = await eventually(() => scene.root.get(href, { key: OPERATOR })).until(
      ({ json }) => (json as { endedAt: unknown }).endedAt !== null,
    );
    expect(done.json).toMatchObject({ id, projection: REPORTS, state: 'done', failure: null });
    await eventually(setAsideIn).until(({ partitions }) => partitions === 1);
    expect(await setAsideIn()).toEqual({ partitions: 1, events: 2 });
    await eventually(() => reports('hurt-admin')).until(({ status }) => status === 503);
    expect(namesIn(await reports('well-admin'))).toEqual(['before', 'during']);
  });

  it('takes no request that is not in order, and checks in the order of the contract', async () => {
    const auditor = await issueKey(scene.root, 'ops', 'auditor', 'second');
    const [{ partition } = { partition: '' }] = ((await ops().get(`/${REPORTS}/partitions`)).json as { items: { partition: string }[] })
      .items;
    const skip = `/${REPORTS}/partitions/${partition}/skip`;
    const cases: readonly (readonly [string, Promise<Answer>, number])[] = [
      ['no key', scene.root.get('/ops/projections'), 401],
      ['key of another service', ops(ADMIN).get(''), 401],
      ['an auditor', ops(auditor.key).post(skip, { reason: 'r' }), 403],
      ['unknown method', scene.root.call('PUT', `/ops/projections/${REPORTS}`, { key: OPERATOR }), 405],
      ['query', ops().get('?nam=x'), 400],
      ['query before existence', ops().get('/nothing?a=1&a=2'), 400],
      ['no reason', ops().post(skip), 400],
      ['an empty reason', ops().post(skip, { reason: '' }), 400],
      ['a long reason', ops().post(skip, { reason: 'x'.repeat(501) }), 400],
      ['a number', ops().post(skip, { reason: 7 }), 400],
      ['another member', ops().post(skip, { reason: 'r', why: 'r' }), 400],
      ['all as a text', ops().post(skip, { reason: 'r', all: 'yes' }), 400],
      ['a member twice', ops().post(skip, '{"reason":"a","reason":"b"}'), 400],
      ['a list', ops().post(skip, []), 400],
      ['no JSON', ops().post(skip, '{"reason":'), 400],
      ['deep JSON', ops().post(skip, `${'['.repeat(8_000)}${']'.repeat(8_000)}`), 413],
      ['a large body', ops().post(skip, { reason: 'x'.repeat(20_000) }), 413],
      ['a body before existence', ops().post('/nothing/partitions/x/skip', { why: 1 }), 400],
      ['an unknown projection', ops().post('/nothing/partitions/x/skip', { reason: 'r' }), 404],
      ['an unknown projection, shown', ops().get('/nothing'), 404],
      ['a partition that is not set aside', ops().post(`/${REPORTS}/partitions/tenant:other/skip`, { reason: 'r' }), 409],
      ['the same, resumed', ops().post(`/${REPORTS}/partitions/tenant:other/resume`), 409],
      ['a projection that is all right', ops().post('/status.tenants/resume'), 409],
    ];
    for (const [name, call, status] of cases) {
      const answer = await call;
      expect([name, answer.status, answer.headers.get('content-type')]).toEqual([name, status, 'application/problem+json; charset=utf-8']);
      expect(answer.json).toMatchObject({ status, instance: answer.headers.get('x-request-id') });
    }
    expect((await ops().post(skip, { reason: 7, why: 1 })).json).toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ member: 'reason' }),
        expect.objectContaining({ member: 'why', detail: 'there is no such member' }),
      ]),
    });
  });

  it('is skipped with a reason that auditors see, and what waited behind it comes back', async () => {
    const [{ partition, failure } = { partition: '', failure: {} }] = (
      (await ops().get(`/${REPORTS}/partitions`)).json as { items: { partition: string; failure: object }[] }
    ).items;
    const skip = () =>
      ops().post(`/${REPORTS}/partitions/${partition}/skip`, { reason: 'it never was a report' }, { 'idempotency-key': 'skip' });
    const skipped = await settled(skip);
    expect([skipped.status, skipped.json]).toEqual([200, { partition, with: [], state: 'served', held: 0, failure: null, history: null }]);
    expect((await skip()).status).toBe(200);
    expect(namesIn(await reports('hurt-admin'))).toEqual(['before', 'during']);
    const after = await postReport('hurt-admin', 'after');
    expect(after.status).toBe(201);
    expect(namesIn(await reports('hurt-admin'))).toEqual(['after', 'before', 'during']);
    expect((await scene.root.get('/health')).json).toMatchObject({ projections: { [REPORTS]: 'live' } });

    const auditor = await issueKey(scene.root, 'ops', 'auditor', 'third');
    const { position, eventId, type } = failure as Record<string, string>;
    expect((await ops(auditor.key).get(`/${REPORTS}/skips`)).json).toEqual({
      items: [
        {
          partition,
          eventId,
          position,
          type,
          reason: 'it never was a report',
          at: expect.any(String),
          actor: { kind: 'key', id: expect.any(String) },
        },
      ],
    });
  });

  it('can be handled from the command line, with a server or without', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'shell', ['admin']);
    await scene.plant(unreadable(tenant, 'one'), unreadable(tenant, 'two'));
    await eventually(setAsideIn).until(({ events }) => events === 2);
    const partition = `tenant:${tenant}`;
    const run = (...command: string[]) => runLogbook(['projections', ...command], scene.deployment.environment);
    const listed = await run('partitions', REPORTS, '--json');
    expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([0, { items: [{ partition, state: 'set-aside', held: 1 }] }]);
    const resumed = await run('resume', REPORTS);
    expect([resumed.code, resumed.stderr]).toEqual([
      1,
      expect.stringContaining(`${partition} of ${REPORTS} stays paused: ReportCreated at`),
    ]);
    const first = await run('skip', REPORTS, partition, '--reason', 'by hand');
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('stays paused')]);
    await scene.server.stop();
    const second = await run('skip', REPORTS, partition, '--reason', 'by hand, too');
    expect([second.code, second.stdout]).toEqual([0, `${partition} is served again\n`]);
    await scene.restart();
    expect(await setAsideIn()).toEqual({ partitions: 0, events: 0 });
    expect(namesIn(await reports('hurt-admin'))).toEqual(['after', 'before', 'during']);
    const { items } = (await ops().get(`/${REPORTS}/skips`)).json as { items: { reason: string; actor: object }[] };
    const onStores = { kind: 'system', id: expect.stringMatching(/^cli:/) };
    expect(items.slice(-2)).toMatchObject([
      { reason: 'by hand', actor: stores === 'embedded stores' ? { kind: 'key' } : onStores }, // their server was asked
      { reason: 'by hand, too', actor: onStores },
    ]);
  });

  it('removes nobody else from a list of all', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'odd', ['admin']);
    await scene.plant({
      stream: 'status.tenants-global',
      type: 'TenantEngineStatusReported',
      data: { tenantId: tenant, status: null },
    });
    await eventually(() => setAsideIn('status.tenants')).until(({ partitions }) => partitions === 1);
    const list = await scene.status.get('/admin/tenants', { key: ADMIN });
    expect([list.status, isBehind(list), namesIn(list)]).toEqual([200, true, expect.arrayContaining(['hurt', 'well', 'odd'])]);
    expectSetAside(await scene.status.get(`/admin/tenants/${tenant}`, { key: ADMIN }));
    // Whether its users still have access is not known; all others have.
    expectSetAside(await scene.status.get('/weights', { key: 'odd-admin' }));
    expect((await scene.status.get('/weights', { key: 'well-admin' })).status).toBe(200);
    const [{ partition } = { partition: '' }] = ((await ops().get('/status.tenants/partitions')).json as { items: { partition: string }[] })
      .items;
    const path = `/status.tenants/partitions/${partition}/skip`;
    const skip = () => ops().post(path, { reason: 'not a status', all: true }, { 'idempotency-key': 'not-a-status' });
    const skipped = await settled(skip);
    expect([skipped.json, skipped.headers.get('logbook-position')]).toMatchObject([{ state: 'served' }, expect.stringMatching(/^\d+$/)]);
    expect((await ops().get('/status.tenants/skips')).json).toMatchObject({
      items: [{ partition, type: 'TenantEngineStatusReported', reason: 'not a status', actor: { kind: 'key' } }],
    });
    expect((await scene.status.get('/weights', { key: 'odd-admin' })).status).toBe(200);
    const again = await scene.status.get('/admin/tenants', { key: ADMIN });
    expect([again.status, isBehind(again)]).toEqual([200, false]);
  });
});
