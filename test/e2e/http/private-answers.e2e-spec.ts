import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';

describe('what caches may keep', () => {
  const scene = serving(embedded);
  const cacheOf = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await scene.root.call(method, path, { headers });
    return [path, answer.status, answer.headers.get('cache-control'), answer.headers.get('x-content-type-options')];
  };

  it.each<[string, string, string, Record<string, string>, number]>([
    ['messaging', 'GET', '/v1/projects', { 'x-api-key': SERVICE_TOKEN }, 200],
    ['a key in the query', 'GET', `/v1/projects?key=${SERVICE_TOKEN}`, {}, 200],
    ['messaging that refuses', 'GET', '/v1/projects', {}, 401],
    ['an unknown path', 'GET', '/v1/nowhere', { 'x-api-key': SERVICE_TOKEN }, 404],
    ['a wrong method', 'DELETE', '/v1/projects', { 'x-api-key': SERVICE_TOKEN }, 405],
    ['accounting', 'GET', '/accounting-system/admin/projects', { authorization: `Bearer ${SYSTEM_ADMIN}` }, 200],
    ['accounting that refuses', 'GET', '/accounting-system/admin/projects', {}, 401],
    ['status', 'GET', '/api/v2/admin/tenants', { 'x-api-key': ADMIN, accept: 'application/json' }, 200],
    ['status that refuses', 'GET', '/api/v2/admin/tenants', { accept: 'application/json' }, 401],
    ['metrics of tenants', 'GET', '/metrics/status', {}, 401],
    ['operations', 'GET', '/ops/keys', { 'x-api-key': OPERATOR }, 200],
    ['a HEAD of operations', 'HEAD', '/ops/keys', { 'x-api-key': OPERATOR }, 200],
    ['an unknown path of operations', 'GET', '/ops/nowhere', {}, 404],
    ['audit', 'GET', '/audit/events', { 'x-api-key': OPERATOR }, 200],
    ['sessions of the console', 'GET', '/console/session', {}, 200],
    ['a read as of the past', 'GET', '/v1/projects', { 'x-api-key': SERVICE_TOKEN, 'logbook-as-of': 'soon' }, 400],
  ])('is nothing of %s', async (_what, method, path, headers, status) =>
    expect(await cacheOf(method, path, headers)).toEqual([path, status, 'no-store', 'nosniff']),
  );

  it('are files, documentation, health and metrics, as before', async () => {
    expect(await cacheOf('GET', '/console')).toEqual(['/console', 200, 'no-cache', 'nosniff']);
    for (const path of ['/health/live', '/metrics', '/openapi.json', '/version'])
      expect(await cacheOf('GET', path)).toEqual([path, 200, null, null]);
  });
});
