import { describe, expect, it } from '@jest/globals';
import type { NodeRole } from '#infra/platform/config/configuration.js';
import { elsewhereBy } from './role-elsewhere.js';

const call = (url: string, headers = {}, is404 = false) => ({ routeOptions: { url }, headers, is404 });
const PASSED_ON = { 'logbook-passed-on': '1' };
const PULL = '/v1/projects/:project/subscriptions/:subscription(^[^/]+)::pull';
const AS_OF = { 'logbook-as-of': '12' };

describe('calls that a node leaves to others', () => {
  it.each<[string, string, ReturnType<typeof call>, NodeRole | undefined]>([
    ['a read of a service', '/v1', call('/v1/projects'), 'api'],
    ['a call that another node has passed on', '/v1', call(PULL, PASSED_ON), undefined],
    ['the same, unless a node has passed it on', '/v1', call(PULL), 'api'],
    ['a call that no node passes on', '/v1', call('/v1/projects', PASSED_ON), 'api'],
    ['an unknown path that says so', '/v1', call(PULL, PASSED_ON, true), 'api'],
    ['a call of another service that says so', '/api/v2', call('/api/v2/reports', PASSED_ON), 'api'],
    ['an unknown path of a service', '/api/v2', call('/*', {}, true), 'api'],
    ['a read as of the past', '/v1', call('/v1/projects', AS_OF), 'history'],
    ['the audit', '', call('/audit/events'), 'history'],
    ['the size of the log', '', call('/ops/log'), 'history'],
    ['a new signing key', '', call('/ops/signing-keys'), 'history'],
    ['keys', '', call('/ops/keys'), undefined],
    ['how projections are', '', call('/ops/projections/:name'), undefined],
    ['a rebuild', '', call('/ops/projections/:name/rebuild'), undefined],
    ['a projection that is to go on', '', call('/ops/projections/:name/resume'), undefined],
    ['the live overview', '', call('/console/live'), undefined],
    ['documentation', '', call('/docs'), 'api'],
    ['health', '', call('/health/ready'), undefined],
    ['metrics', '', call('/metrics'), undefined],
  ])('%s', (_what, prefix, request, needed) => {
    for (const role of ['api', 'projector', 'push', 'history'] as const) {
      const refusal = elsewhereBy([role])?.(request, { prefix });
      expect(refusal?.role).toBe(needed === role ? undefined : needed);
      if (refusal) expect(refusal.message).toContain(`role ${needed}`);
    }
  });

  it('are none where a node has all roles', () => expect(elsewhereBy(['history', 'push', 'projector', 'api'])).toBeUndefined());
});
