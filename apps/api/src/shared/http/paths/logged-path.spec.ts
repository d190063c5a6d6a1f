import { describe, expect, it } from '@jest/globals';
import { loggedPath } from './logged-path.js';

const UUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const logged = (url: string | undefined, params: unknown, asked = ''): string =>
  loggedPath({ url: asked, routeOptions: { url } as never, params, is404: asked !== '' });

describe('what the log holds of the path of a request', () => {
  it('is the pattern of the route, with ids and days in it', () => {
    expect(logged('/api/v2/admin/tenants/:id/users/:userId', { id: UUID, userId: UUID })).toBe(
      `/api/v2/admin/tenants/${UUID}/users/${UUID}`,
    );
    expect(logged('/accounting-system/installations/:id', { id: '507f1f77bcf86cd799439011' })).toBe(
      '/accounting-system/installations/507f1f77bcf86cd799439011',
    );
    expect(logged('/v1/status', {})).toBe('/v1/status');
  });

  it('has neither tokens nor names, e-mails or other texts that callers choose', () => {
    expect(logged('/v1/users::byToken/:token', { token: 'secret' })).toBe('/v1/users:byToken/:token');
    expect(logged('/v1/users::byToken/:token', { token: UUID })).toBe('/v1/users:byToken/:token');
    expect(logged('/accounting-system/projects/:project_id/users/:user_id/metrics', { project_id: 'a@b.c', user_id: UUID })).toBe(
      '/accounting-system/projects/:project_id/users/:user_id/metrics',
    );
    expect(logged('/v1/projects/:project/topics/:topic(^[^/]+)::publish', { project: 'lab', topic: 'me@example.org' })).toBe(
      '/v1/projects/:project/topics/:topic:publish',
    );
  });

  it('is the service where there is no route', () => {
    expect(logged('/*', { '*': 'v1/users:byTokens/secret' }, '/v1/users:byTokens/secret')).toBe('/v1/...');
    expect(logged('/*', {}, '/api/v3/secret')).toBe('/api/v3/...');
    expect(logged('/*', {}, '/v1secret/secret')).toBe('/...');
    expect(logged('/*', {}, '/secret')).toBe('/...');
    expect(logged(undefined, {})).toBe('/...');
  });
});
