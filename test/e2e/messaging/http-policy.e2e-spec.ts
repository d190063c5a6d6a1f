import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { accountCalls, bodyOf } from '#test/e2e/messaging/accounts/accounts.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { UTF8_JSON } from '#test/e2e/status/contract.js';
import { embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';
import { expectBody, expectError, INSTANT, j3 } from './calls.js';

const OS_RELEASE = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
const j1 = (value: unknown): string => JSON.stringify(value, null, 1);

describe('The HTTP policy of the messaging service', () => {
  const scene = serving(embedded, { LOGBOOK_ROLES: 'api,projector' });
  const call = (method: string, path: string, key: string | undefined = SERVICE_TOKEN, headers = {}) =>
    scene.root.call(method, `/v1${path}`, { key, headers, accept: null });

  beforeAll(() => accountCalls(scene).project('p'));

  const expectShape = ({ status, text, json, headers }: Answer, code: number) => {
    const { error } = json as { error: object };
    expect([status, text]).toEqual([code, j3({ error })]);
    expect(error).toEqual({ code, message: expect.any(String), status: expect.any(String) });
    expect(headers.get('content-type')).toBe(UTF8_JSON);
  };

  it.each([
    '',
    '/',
    '/nothing',
    '/projects/',
    '/projects/p/',
    '/users/',
    '/users:byToken',
    '/users:byToken/',
    '/users:other/x',
    '/projects/p/nothing',
    '/PROJECTS',
    '/status/',
    '/projects/a%2Fb',
  ])('knows no path %j, with or without a key', async (path) => {
    for (const key of [SERVICE_TOKEN, '']) expectShape(await call('GET', path, key), 404);
  });

  it.each([
    ['PATCH', '/projects/p'],
    ['DELETE', '/projects'],
    ['POST', '/projects'],
    ['POST', '/users'],
    ['POST', '/status'],
    ['DELETE', '/version'],
    ['PUT', '/registrations/x'],
    ['POST', '/registrations/x:other'],
    ['POST', '/projects/p/topics/t:other'],
    ['PUT', '/projects/p/topics/t/subscriptions'],
    ['DELETE', '/projects/p/members/u'],
    ['PUT', '/users:byToken/x'],
  ])('knows no method %s of %s', async (method, path) => {
    const answer = await call(method, path, '');
    expectShape(answer, 405);
    expect(answer.headers.get('allow')).toBeTruthy();
  });

  it('does not support HEAD', async () => {
    for (const path of ['/projects', '/projects/p', '/status']) expect((await call('HEAD', path)).status).toBe(405);
    expect((await call('HEAD', '/nothing')).status).toBe(404);
  });

  it.each([
    ['/projects//p', '/v1/projects/p'],
    ['//projects', '/v1/projects'],
    ['/projects/./p', '/v1/projects/p'],
    ['/projects/q/../p?a=//b', '/v1/projects/p?a=//b'],
  ])('redirects from %s', async (path, location) => {
    const answer = await call('GET', path, '');
    expect([answer.status, answer.headers.get('location')]).toEqual([301, location]);
  });

  it.each([
    ['GET', '/projects/a.b', 'project'],
    ['GET', '/projects/p:other', 'project'],
    ['GET', '/projects/%20', 'project'],
    ['GET', '/projects/%C3%A9/topics', 'project'],
    ['GET', '/projects/p/topics/t:other', 'topic'],
    ['GET', '/projects/p/topics/a:b:acl', 'topic'],
    ['POST', '/projects/p/topics/a.b:publish', 'topic'],
    ['GET', '/projects/p/subscriptions/a.b', 'subscription'],
    ['GET', '/projects/a.b/subscriptions/a.b', 'project'],
    ['GET', '/projects/a.b/topics/a.b', 'project'],
    ['GET', '/projects/a.b/schemas/a.b', 'project'],
    ['GET', '/projects/p/schemas/a.b', 'schema'],
    ['GET', '/projects/a.b/members/a.b', 'project'],
    ['GET', '/projects/p/members/a.b', 'user'],
    ['POST', '/projects/p/members/u:other', 'user'],
    ['POST', '/projects/p/members/a.b:add', 'user'],
    ['GET', '/users/a.b', 'user'],
    ['POST', '/users/u:other', 'user'],
    ['GET', '/users/x:refreshToken', 'user'],
    ['GET', '/users:byToken/a.b', 'token'],
    ['GET', '/users:byUUID/a.b', 'uuid'],
    ['GET', '/registrations/a.b', 'uuid'],
    ['GET', '/registrations/x:accept', 'uuid'],
    ['POST', '/registrations/a.b:accept', 'uuid'],
  ])('judges names before keys: %s %s', async (method, path, variable) => {
    for (const key of ['', 'wrong', SERVICE_TOKEN])
      expectError(await call(method, path, key), `INVALID_ARGUMENT: Invalid ${variable} name`);
  });

  it('reads an encoded colon as a colon', async () => {
    expectError(await call('GET', '/users%3AbyUUID/x'), "NOT_FOUND: User doesn't exist");
    expectError(await call('POST', '/users/x%3arefreshToken'), "NOT_FOUND: User doesn't exist");
  });

  it('answers what is not well-formed HTTP', async () => expectShape(await call('GET', '/projects/%zz'), 400));

  it('allows pages of any origin to call, and answers their preflights without a key', async () => {
    const allowed = [
      ['access-control-allow-origin', '*'],
      ['access-control-allow-headers', 'X-Requested-With, Content-Type, x-api-key'],
      ['access-control-allow-methods', 'OPTIONS, POST, GET, PUT, DELETE, HEAD'],
    ] as const;
    const preflight = { origin: 'https://x', 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-api-key' };
    for (const path of [
      '/projects',
      '/projects/p',
      '/projects/p/topics/t:publish',
      '/status',
      '/integrations/c/by-project-name/p/refresh',
    ]) {
      const answer = await scene.root.call('OPTIONS', `/v1${path}`, { headers: preflight });
      expect([answer.status, answer.text, allowed.map(([name]) => [name, answer.headers.get(name)])]).toEqual([200, '', allowed]);
    }
    expect((await call('OPTIONS', '/nothing', '')).status).toBe(404);
    for (const answer of [await call('GET', '/projects'), await call('GET', '/projects', ''), await call('GET', '/nothing')])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('shows the status of the service', async () => {
    for (const key of ['', 'wrong', SERVICE_TOKEN])
      expectBody(await call('GET', '/status', key), { status: 'ok', push_functionality: 'disabled' }, j1);
    for (const query of ['details=false', 'details=True', 'details=']) expect((await call('GET', `/status?${query}`, '')).status).toBe(200);
  });

  it('shows details of the status, and the release, to certain users only', async () => {
    const by = accountCalls(scene);
    const { key } = await issueKey(scene.root, 'messaging', 'service_admin');
    for (const none of ['', 'wrong', SERVICE_TOKEN, key])
      expectError(await call('GET', '/status?details=true', none), 'FORBIDDEN: Access to this resource is forbidden');
    for (const [name, roles, projects, status] of [
      ['viewer', ['admin_viewer'], [], 200],
      ['admin', ['metrics_viewer', 'service_admin'], [], 200],
      ['other', ['metrics_viewer'], [], 401],
      ['nobody', [], [], 401],
      ['member', [], [{ project: 'p', roles: ['admin_viewer'] }], 401],
    ] as const) {
      const { token } = await by.user(name, { service_roles: roles, projects });
      const answer = await call('GET', '/status?details=true', token);
      expect([name, answer.status]).toEqual([name, status]);
      if (status === 401) expectError(answer, 'UNAUTHORIZED: Unauthorized');
      expect('release' in bodyOf<object>(await call('GET', '/version', token))).toBe(status === 200);
    }
  });

  it('shows the version of the service', async () => {
    for (const key of ['', 'wrong', SERVICE_TOKEN]) {
      const answer = await call('GET', '/version', key);
      const version = bodyOf<Record<string, string>>(answer);
      expectBody(answer, version, j1);
      expect(Object.keys(version)).toEqual([
        'build_time',
        'golang',
        'compiler',
        'os',
        'architecture',
        ...(OS_RELEASE ? ['distro'] : []),
        'hostname',
      ]);
      expect(OS_RELEASE).toContain(version.distro ?? '');
      expect(version.hostname).toBe(new URL(scene.server.url).hostname);
      expect(version.build_time).toMatch(INSTANT);
    }
  });

  it('names in every response the request that it answers', async () => {
    const answer = await call('GET', '/projects', SERVICE_TOKEN, { 'x-request-id': 'mine' });
    expect(answer.headers.get('x-request-id')).toBe('mine');
  });
});
