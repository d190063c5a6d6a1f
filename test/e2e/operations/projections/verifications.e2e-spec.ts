import { describe, expect, it } from '@jest/globals';
import { servingAlone } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, type Call, registerTenant } from '#test/support/status-client.js';

const RECORDS = 'status.dated-records';

describe.each(deployments)('operators, on %s,', (stores, open) => {
  const scene = servingAlone(open, { LOGBOOK_HISTORY: 'on' });
  const ops = (method: string, path: string, given: Call = {}) => scene.root.call(method, `/ops${path}`, { key: OPERATOR, ...given });
  const ended = (href: string) =>
    eventually(() => ops('GET', href.replace('/ops', ''))).until(({ json }) => (json as { endedAt: string | null }).endedAt !== null);
  const position = ({ headers }: Answer): bigint => BigInt(headers.get('logbook-position') ?? '0');

  it('have what is served compared with a build of its own while writes go on, also when the server is killed', async () => {
    await registerTenant(scene.status, ADMIN, 'verified', ['admin']);
    const write = (name: string) => scene.status.post('/weights', { key: 'verified-admin', body: weights(name) });
    for (let index = 0; index < 20; index++) expect((await write(`before ${index}`)).status).toBe(201);
    const begun = await ops('POST', `/projections/${RECORDS}/verify`);
    const { id, href } = begun.json as { id: string; href: string };
    expect([begun.status, begun.headers.get('location'), href]).toEqual([202, href, `/ops/verifications/${id}`]);
    expect((await write('meanwhile')).status).toBe(201);
    const done = await ended(href);
    expect(done.json).toMatchObject({
      id,
      projection: RECORDS,
      state: 'done',
      failure: null,
      equal: true,
      differenceCount: 0,
      differences: [],
    });
    expect(Object.keys(done.json as object)).toEqual([
      ...['id', 'state', 'startedAt', 'endedAt', 'failure', 'projection', 'processed', 'total', 'eventsPerSecond', 'remainingSeconds'],
      ...['position', 'compared', 'equal', 'differenceCount', 'differences'],
    ]);
    expect(await ops('DELETE', `/verifications/${id}`)).toMatchObject({ status: 409 });
    const another = (await ops('POST', `/projections/${RECORDS}/verify`)).json as { href: string };
    if (stores === 'embedded stores') await scene.crash(); // others find out after ten seconds: once is enough
    expect((await ended(another.href)).json).toMatchObject({ state: 'done', equal: true });
    const { items } = (await ops('GET', '/verifications')).json as { items: { id: string }[] };
    expect(items.map((job) => `/ops/verifications/${job.id}`)).toEqual([another.href, href]);
    expect((await write('after')).status).toBe(201);
  });

  it('get no second job of a projection while one is under way, and the first again under its key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, again] = [
      await ops('POST', `/projections/${RECORDS}/rebuild`, { headers }),
      await ops('POST', `/projections/${RECORDS}/rebuild`, { headers }),
    ];
    expect([again.status, again.json]).toEqual([202, first.json]);
    expect(position(again)).toBe(position(first));
    await ended((first.json as { href: string }).href);
    for (const path of ['/projections/status.nothing/verify', '/verifications/never', '/rebuilds/never'])
      expect([path, (await ops(path.endsWith('verify') ? 'POST' : 'GET', path)).status]).toEqual([path, 404]);
  });

  it('are told of every wrong member, and that nothing is ignored', async () => {
    const cases: [string, string, Call, number][] = [
      ['GET', '/projections?state=live', {}, 400],
      ['GET', '/keys?role=operator', {}, 400],
      ['GET', '/rebuilds', { body: '{}' }, 400],
      ['POST', `/projections/${RECORDS}/verify`, { body: { fast: true } }, 400],
      ['POST', `/projections/${RECORDS}/verify`, { body: '[]' }, 400],
      ['POST', '/keys', { body: '{"service":"ops","role":"auditor","name":"a","name":"b"}' }, 400],
      ['POST', '/keys', { body: { service: 'ops', role: 'super_admin', name: 'a' } }, 400],
      ['DELETE', '/keys/never', {}, 404],
      ['PUT', '/keys', {}, 405],
    ];
    for (const [method, path, call, status] of cases) {
      const answer = await ops(method, path, call);
      expect([method, path, answer.status, answer.headers.get('content-type')]).toEqual([
        ...[method, path, status],
        'application/problem+json; charset=utf-8',
      ]);
    }
  });

  it('keep a key of an operator', async () => {
    const { items } = (await ops('GET', '/keys')).json as { items: { id: string; service: string; role: string }[] };
    const operators = items.filter(({ service, role }) => service === 'ops' && role.includes('operator'));
    expect(operators).toHaveLength(1);
    expect(await ops('DELETE', `/keys/${operators[0]?.id}`)).toMatchObject({ status: 409 });
    const made = await ops('POST', '/keys', { body: { service: 'ops', role: 'operator', name: 'second' } });
    expect([made.status, position(made) > 0n]).toEqual([201, true]);
    const { id } = made.json as { id: string };
    const revoked = await ops('DELETE', `/keys/${id}`);
    expect([revoked.status, position(revoked) > position(made)]).toEqual([204, true]);
  });

  it('verify from the command line, too', async () => {
    const { code, stdout } = await runLogbook(['projections', 'verify', 'status.tenants', 'ops.keys', '--json'], {
      ...scene.deployment.environment,
      LOGBOOK_HISTORY: 'on',
    });
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { items: object[] }).items).toEqual([
      expect.objectContaining({ projection: 'status.tenants', state: 'done', equal: true }),
      expect.objectContaining({ projection: 'ops.keys', state: 'done', equal: true }),
    ]);
  });
});
