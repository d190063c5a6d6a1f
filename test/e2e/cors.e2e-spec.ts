import { describe, expect, it } from '@jest/globals';
import { ADMIN, embedded } from '../support/deployments.js';
import type { Call } from '../support/status-client.js';
import { serving } from './serving.js';
import { BROKEN } from './tenant-calls.js';

describe('LOGBOOK_STATUS_CORS', () => {
  const scene = serving(embedded, { LOGBOOK_STATUS_CORS: 'true' });
  const HEADERS = [
    ['access-control-allow-origin', '*'],
    ['access-control-allow-headers', 'Content-Type, Accept, x-api-key'],
    ['access-control-allow-methods', 'GET, POST, DELETE, PUT, OPTIONS'],
  ] as const;

  it.each<readonly [string, string, Call, number]>([
    ['GET', '/admin/tenants', { key: ADMIN }, 200],
    ['POST', '/admin/tenants', { key: ADMIN, body: { info: { name: 'cors' } } }, 201],
    ['OPTIONS', '/admin/tenants', {}, 200],
    ['GET', '/weights//x', {}, 301],
    ['POST', '/admin/tenants', { key: ADMIN, body: BROKEN }, 400],
    ['GET', '/%zz', {}, 400],
    ['GET', '/weights', {}, 401],
    ['GET', '/nothing', {}, 404],
    ['PATCH', '/weights', {}, 405],
    ['GET', '/admin/tenants', { key: ADMIN, accept: 'image/png' }, 406],
  ])('marks the answer to %s %s', async (method, path, call, status) => {
    const on = await scene.status.call(method, path, call);
    expect([on.status, HEADERS.map(([name]) => [name, on.headers.get(name)])]).toEqual([status, HEADERS]);
  });

  it('leaves other services alone', async () => {
    expect((await scene.root.get('/health/live')).headers.get('access-control-allow-origin')).toBeNull();
  });
});
