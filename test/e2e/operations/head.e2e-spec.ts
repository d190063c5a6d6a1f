import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { allRoutes } from '#test/support/documents/all-routes.js';

const scene = serving(embedded);

const pathsOf = async (pattern: RegExp): Promise<readonly string[]> =>
  (await allRoutes(scene.root)).filter(({ method, path }) => method === 'GET' && pattern.test(path)).map(({ path }) => path);

const inEach = <T>(paths: readonly string[], look: (path: string) => Promise<T>) =>
  Promise.all(paths.map(async (path) => [path, await look(path)] as const));

describe('HEAD of what belongs to no service', () => {
  it('answers as GET does, with or without a key, and without the body', async () => {
    const paths = [...(await pathsOf(/^\/(?:health|ops|audit)\b/)), '/metrics', '/openapi.json', '/docs'];
    expect(paths.length).toBeGreaterThan(20);
    for (const call of [{ key: OPERATOR }, {}]) {
      const answers = await inEach(paths, async (path) => {
        const [get, head] = [await scene.root.get(path, call), await scene.root.call('HEAD', path, call)];
        return [head.status, head.headers.get('content-type'), head.text, get.status, get.headers.get('content-type')];
      });
      expect(answers).toEqual(answers.map(([path, [, , , status, type]]) => [path, [status, type, '', status, type]]));
    }
  });

  it('names the length of the body', async () => {
    for (const path of ['/health/live', '/openapi.json', '/docs', '/ops/keys']) {
      const { text } = await scene.root.get(path, { key: OPERATOR });
      const { headers } = await scene.root.call('HEAD', path, { key: OPERATOR });
      expect([path, headers.get('content-length')]).toEqual([path, String(Buffer.byteLength(text))]);
    }
  });

  it('takes no body, is named by Allow, and leaves unknown paths unknown', async () => {
    expect((await scene.root.call('HEAD', '/ops/keys', { key: OPERATOR, body: '{}' })).status).toBe(400);
    expect((await scene.root.call('DELETE', '/health/live')).headers.get('allow')).toBe('GET, HEAD');
    expect((await scene.root.call('HEAD', '/ops/nothing', { key: OPERATOR })).status).toBe(404);
    expect((await scene.root.call('HEAD', '/ops/projections/x/rebuild', { key: OPERATOR })).status).toBe(405);
  });
});

describe('OPTIONS', () => {
  it('writes nothing, so that its answer has no position', async () => {
    for (const path of ['/v1/projects', '/api/v2/reports', '/accounting-system/providers']) {
      const { headers } = await scene.root.call('OPTIONS', path, { key: OPERATOR });
      expect([path, headers.get('logbook-position')]).toEqual([path, null]);
    }
  });
});

describe('HEAD of a route of a service', () => {
  it('is a wrong method, as the contracts say', async () => {
    const paths = await pathsOf(/^\/(?:v1|api\/v[2-5]|accounting-system)\//);
    expect(paths.length).toBeGreaterThan(80);
    const answers = await inEach(paths, async (path) => (await scene.root.call('HEAD', path)).status);
    // The accounting service looks for the token first (accounting contract 1.2).
    expect(answers).toEqual(paths.map((path) => [path, path.startsWith('/accounting-system/') ? expect.any(Number) : 405]));
    expect(answers.filter(([, status]) => status !== 405 && status !== 401)).toEqual([]);
  });
});
