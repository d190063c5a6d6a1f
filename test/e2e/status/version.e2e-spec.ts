import { describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { UTF8_JSON } from './contract.js';

const MEMBERS = ['release', 'commit', 'build_time', 'golang', 'compiler', 'os', 'architecture'];

describe('the version of the status service', () => {
  const scene = serving(embedded);

  it.each([undefined, 'nobody', ADMIN])('is shown to everybody, also with the key %s', async (key) => {
    const { status, headers, text, json } = await scene.status.get('/version', { key, accept: null });
    expect([status, headers.get('content-type')]).toEqual([200, UTF8_JSON]);
    const version = json as Readonly<Record<string, unknown>>;
    expect(text).toBe(JSON.stringify(version, null, 1));
    expect(Object.keys(version)).toEqual(MEMBERS);
    expect(Object.values(version).every((value) => typeof value === 'string')).toBe(true);
    expect(version.release).toMatch(/^\d+\.\d+\.\d+/);
    expect(version.build_time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
  });

  it('is sent as XML on request', async () => {
    const { status, headers, text } = await scene.status.get('/version', { accept: 'application/xml' });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    const lines = MEMBERS.map((name) => `\n <${name}>[^<]*</${name}>`);
    expect(text).toMatch(new RegExp(`^<Version>${lines.join('')}\n</Version>$`));
  });

  it('is not sent in a type that the caller does not accept', async () => {
    expectError(await scene.status.get('/version', { accept: 'text/html' }), 'not acceptable');
  });

  it.each(['POST', 'PUT', 'DELETE', 'HEAD'])('has no %s', async (method) => {
    const { status, text } = await scene.status.call(method, '/version');
    expect([status, text]).toEqual([405, '']);
  });
});
