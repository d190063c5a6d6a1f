import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { allRoutes } from '#test/support/documents/all-routes.js';
import type { Call } from '#test/support/status-client.js';

/** Status contract 1.10. */
const WITHOUT_OPTIONS =
  /^\/api\/v2\/(?:recomputations(?:\/.*)?|admin\/users:byID\/x|metric_data.*|admin\/tenants\/x\/(?:status|metric-source|status-notifications).*)$/;

const READ = 'GET, OPTIONS';
const WRITTEN_BY_DAY = 'GET, POST, DELETE, OPTIONS';
const REPLACED = 'GET, PUT, OPTIONS';

describe('OPTIONS of the status service', () => {
  const scene = serving(embedded);
  const call = (method: string, path: string, options?: Call) =>
    scene.root.call(method, path.startsWith('/api/') ? path : `/api/v2${path}`, options);
  /** To anybody, and whatever is accepted. */
  const expectOptions = async (path: string, allow: string) => {
    for (const options of [{}, { key: 'nobody', accept: 'image/png' }, { accept: null }]) {
      const { status, text, headers } = await call('OPTIONS', path, options);
      expect([status, text, headers.get('allow'), headers.get('content-type')]).toEqual([200, '', allow, 'text/plain; charset=utf-8']);
      expect(headers.get('access-control-allow-origin')).toBeNull(); // off unless it is configured
    }
  };

  it.each([
    ['/issues/r/endpoints', READ],
    ['/issues/r/groups/g/metrics', READ],
    ['/feeds/topology', REPLACED],
    ['/feeds/weights', REPLACED],
    ['/feeds/data', REPLACED],
    ['/feeds/data/readers', REPLACED],
    ['/topology/groups', WRITTEN_BY_DAY],
    ['/topology/endpoints', WRITTEN_BY_DAY],
    ['/topology/service-types', WRITTEN_BY_DAY],
    ['/topology/tags', READ],
    ['/topology/stats/r', READ],
    ['/latest/r/SITES', READ],
    ['/latest/r/SITES/g', READ],
    ['/metrics', READ],
    ['/metrics/by_report/r', READ],
    ['/topology/endpoints/by_report/r', READ],
    ['/topology/groups/by_report/r', READ],
    ['/admin/metrics', REPLACED],
    ['/metric_result/h', READ],
    ['/metric_result/h/m', READ],
    ['/status/r/t', READ],
    ['/status/r/t/g/services/s/endpoints/e/metrics', READ],
    ['/status/r/t/g/services/s/endpoints/e/metrics/m', READ],
    ['/results/r/t', READ],
    ['/trends/r/status/groups', READ],
    ['/factors', READ],
    ['/version', READ],
    ['/downtimes', WRITTEN_BY_DAY],
    ['/admin/tenants/i/ready', REPLACED],
    ['/api/v4/results/groups', READ],
    ['/api/v4/nodes/n/capabilities/status/g', READ],
    ['/api/v4/nodes/n/capabilities/monitoring/metrics', READ],
    ['/api/v4/nodes/n/capabilities/monitoring/metrics/g', READ],
    ['/api/v5/status/r/groups/g', READ],
  ])('%s allows %s', async (path, allow) => {
    await expectOptions(path, allow);
    const other = await call('PATCH', path);
    expect([other.status, other.headers.get('allow')?.split(', ').sort()]).toEqual([405, allow.split(', ').sort()]);
  });

  it.each(['', '/x', '/x/users', '/x/users/y', '/x/users/y/renew_api_key'])('list the methods of all below /admin/tenants%s', (rest) =>
    expectOptions(`/admin/tenants${rest}`, 'GET,POST,PUT,DELETE,OPTIONS'),
  );

  it.each(['', '/x'])('list the methods of all below /reports%s', (rest) =>
    expectOptions(`/reports${rest}`, 'GET, POST, DELETE, PUT, OPTIONS'),
  );

  it('are answered on every documented path, but on those for which the contract registers none; nothing undocumented is allowed', async () => {
    const methodsOf = new Map<string, string[]>();
    for (const { method, path } of await allRoutes(scene.root))
      if (/^\/(?:api|metrics\/status)/.test(path)) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
    expect(methodsOf.size).toBeGreaterThan(100);
    for (const [path, methods] of methodsOf) {
      const { status, text, headers } = await scene.root.call('OPTIONS', path, { accept: null });
      const allowed = headers.get('allow')?.split(/, ?/) ?? [];
      const expected = WITHOUT_OPTIONS.test(path) ? 405 : 200;
      expect({ path, status, text, unnamed: methods.filter((method) => !allowed.includes(method)) }).toEqual({
        path,
        status: expected,
        text: '',
        unnamed: [],
      });
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH'].filter((one) => !methods.includes(one))) {
        const refused = await scene.root.call(method, path);
        expect([method, path, refused.status, refused.text]).toEqual([method, path, 405, '']);
      }
    }
  });

  it.each(['/nothing', '/latest/r', '/feeds', '/topology/stats', '/issues/r/endpoints/x'])('finds nothing at %s', async (path) =>
    expect((await scene.status.call('OPTIONS', path)).status).toBe(404),
  );
});
