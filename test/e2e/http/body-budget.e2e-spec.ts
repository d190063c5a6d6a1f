import { beforeAll, describe, expect, it } from '@jest/globals';
import { inProject, j3 } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type RawConnection, rawConnection, requestHead } from '#test/support/raw-connection.js';
import { registerTenant } from '#test/support/status-client.js';

const MIB = 1024 * 1024;

/** 14 MiB of the budget are for bodies above 64 KiB, 3.5 MiB of them for a caller. */
const BUDGET = String(16 * MIB);
const TENANTS = ['one', 'two', 'three', 'four', 'five'] as const;

describe('the budget of bodies', () => {
  const scene = serving(embedded, { LOGBOOK_ROLES: 'api,projector', LOGBOOK_BODY_BUDGET: BUDGET });
  beforeAll(async () => {
    for (const name of TENANTS) await registerTenant(scene.status, ADMIN, name, ['admin']);
    await inProject(scene, 'p').call('POST', '', {});
    await inProject(scene, 'p').topic('t');
  });

  /** Announces a body and resolves when it was admitted or refused. */
  const announce = async (tenant: string, bytes: number): Promise<RawConnection> => {
    const connection = await rawConnection(scene.server.url);
    const headers = { 'x-api-key': `${tenant}-admin`, 'content-length': String(bytes), expect: '100-continue' };
    await connection.send(requestHead('POST', '/api/v2/topology/endpoints', headers));
    await connection.until('\r\n\r\n');
    return connection;
  };
  /** Announces a body, expects it to be admitted, and sends its first byte. */
  const hold = async (tenant: string, bytes: number): Promise<RawConnection> => {
    const connection = await announce(tenant, bytes);
    expect(connection.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await connection.send('[');
    return connection;
  };
  /** Whether a body of so many bytes is taken; it is malformed, so that each is answered. */
  const isTaken = async (tenant: string, bytes: number): Promise<boolean> => {
    const { status, headers } = await scene.status.post('/topology/endpoints', { key: `${tenant}-admin`, body: Buffer.alloc(bytes, 'x') });
    expect([status, headers.get('retry-after')]).toEqual(status === 503 ? [503, '1'] : [400, null]);
    return status !== 503;
  };
  const release = async (held: readonly RawConnection[]): Promise<void> => {
    for (const connection of held) connection.close();
    await eventually(async () => Promise.all(TENANTS.map((tenant) => isTaken(tenant, 3 * MIB)))).until((taken) => taken.every(Boolean));
  };

  it('has a share for each caller: beyond it a body is refused before it is read, and others are not', async () => {
    const held = [await hold('one', 3 * MIB)];
    const refused = await announce('one', MIB);
    expect(await refused.ended).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n/);
    expect(await isTaken('one', MIB)).toBe(false);
    expect(await isTaken('one', 60 * 1024)).toBe(true);
    expect(await isTaken('two', 3 * MIB)).toBe(true);
    await release(held);
  });

  it('is enough for small bodies when large ones have taken it', async () => {
    const held = await Promise.all(TENANTS.slice(0, 4).map((tenant) => hold(tenant, 3.5 * MIB)));
    expect(await isTaken('five', MIB)).toBe(false);
    for (const tenant of TENANTS) expect(await isTaken(tenant, 64 * 1024)).toBe(true);
    const created = await scene.status.post('/weights', { key: 'five-admin', body: { name: 'small' } });
    expect(created.status).toBe(201);
    await release(held);
  });

  it('refuses calls with an answer in the shape of their service', async () => {
    const held = await Promise.all(TENANTS.slice(0, 4).map((tenant) => hold(tenant, 3.5 * MIB)));
    expect(await isTaken('five', MIB)).toBe(false);
    const body = Buffer.alloc(MIB, ' ');
    const text = 'The service cannot process the request now, try again later';
    const published = await inProject(scene, 'p').post('/topics/t:publish', body);
    expect([published.status, published.text]).toEqual([503, j3({ error: { code: 503, message: text, status: 'UNAVAILABLE' } })]);
    const searched = await scene.root.post('/accounting-system/projects/search', {
      headers: { authorization: `Bearer ${SYSTEM_ADMIN}`, 'content-type': 'application/json' },
      body,
    });
    expect([searched.status, searched.json]).toEqual([503, { code: 503, message: `${text}.` }]);
    const { status, json } = await scene.status.put('/admin/metrics', { key: ADMIN, body });
    expect([status, json]).toMatchObject([503, { status: { code: '503' } }]);
    for (const { headers } of [published, searched]) expect(headers.get('retry-after')).toBe('1');
    expect((await scene.root.post('/ops/keys', { key: OPERATOR, body: {} })).status).toBe(400);
    await release(held);
  });

  it('counts the values in a body, too', async () => {
    const held = await hold('one', 64 * 1024 + 1);
    const tiny = `[${'0,'.repeat(60_000)}`; // 120,000 bytes, but 60,000 values of 64 bytes each
    expect((await scene.status.post('/topology/endpoints', { key: 'one-admin', body: tiny })).status).toBe(503);
    expect((await scene.status.post('/topology/endpoints', { key: 'two-admin', body: tiny })).status).toBe(400);
    await release([held]);
  });

  it('counts a body until its call is answered', async () => {
    const admin = inProject(scene, 'p');
    await admin.subscription('waiting', 't');
    const pulls = Array.from({ length: 2 }, () =>
      admin.post('/subscriptions/waiting:pull', `{"returnImmediately":"false"}${' '.repeat(900_000)}`),
    );
    const data = { messages: [{ data: 'A'.repeat(2 * MIB) }] };
    await eventually(() => admin.post('/topics/t:publish', data)).until(({ status }) => status === 503);
    expect((await admin.post('/topics/t:publish', { messages: [{ data: 'YQ==' }] })).status).toBe(200);
    await Promise.all(pulls);
    expect((await admin.post('/topics/t:publish', data)).status).toBe(200);
  });

  it('takes a body alone that is larger than all of it', async () => {
    const { status } = await scene.root.post('/v1/projects/p/topics/t:publish', {
      key: SERVICE_TOKEN,
      body: { messages: Array.from({ length: 2 }, () => ({ data: 'A'.repeat(10 * MIB) })) },
    });
    expect(status).toBe(200);
  });
});
