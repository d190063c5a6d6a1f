import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inProject } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { type ApiRoute, allRoutes, credentialFor, LISTENER_SECRET, takesBody } from '#test/support/documents/all-routes.js';
import { registerTenant } from '#test/support/status-client.js';
import { isFullRun, SEED } from '#test/support/test-runs.js';

const deep = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);
const around = (json: string, members = MEMBERS): readonly string[] => [
  json,
  `[${json}]`,
  ...members.map((member) => `{"${member}":${json}}`),
];

/** Members that the bodies of some routes have. */
const MEMBERS = [
  'name',
  'messages',
  'info',
  'groups',
  'schema',
  'endpoints',
  'message',
  'criteria',
  'tenants',
  'roles',
  'ackIds',
  'pushConfig',
  'metrics',
];

/** Members of bodies of each service, for what is large. */
const SOME = ['name', 'messages', 'criteria'];

const BODIES: readonly (string | Buffer)[] = [
  '',
  ' ',
  'null',
  'true',
  '0',
  '"x"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '[0]',
  '{"":""}',
  '{"__proto__":{"__proto__":null},"constructor":{"prototype":[]},"toString":1,"then":{}}',
  '\ufeff{}',
  '{} {}',
  '{"name":1e400}',
  `{"name":${'9'.repeat(5_000)}}`,
  ...around('-1e-400'),
  ...around('"\\ud800"'),
  ...around('"\\u0000"'),
  ...around(`"${'x'.repeat(200_000)}"`, SOME),
  ...around(deep('[', ']', 900), SOME),
  ...around(deep('{"a":', '}', 900).replace(':}', ':1}'), SOME),
  deep('[', ']', 100_000),
  `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  `${'{"type":"filter","criteria":['.repeat(20_000)}1${']}'.repeat(20_000)}`,
  `[${'0,'.repeat(45_000)}0]`,
  `{"name":"${'\\u0061'.repeat(30_000)}"}`,
  `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":""`).join(',')}}`,
  Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3]),
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xf0, 0x90, 0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  gzipSync('{"name":"x"}'),
  Buffer.alloc(300_000),
  'name=x&roles=y&start_time=%zz&exclude=%00',
];

/** Other runs than full ones take the part of the day of all calls. */
const PARTS = 4;

const TYPES = [
  undefined,
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/x-ndjson',
  'multipart/form-data',
] as const;

describe('any body, sent to any call', () => {
  const scene = serving(embedded, { LOGBOOK_ROLES: 'api,projector,history', LOGBOOK_AMS_LISTENER_SECRETS: LISTENER_SECRET });
  let routes: readonly ApiRoute[] = [];
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'fuzz', ['admin']);
    const admin = inProject(scene, 'p');
    await admin.call('POST', '', {});
    await admin.topic('t');
    await admin.subscription('s', 't');
    await admin.post('/schemas/j', { type: 'json', schema: { type: 'object' } });
    // Deleting the tenant, the project or what is in it would leave nothing to send bodies to.
    const all = (await allRoutes(scene.root)).filter(({ method, path }) => !(method === 'DELETE' && /\/[tspj]$/.test(path)));
    expect(all.length).toBeGreaterThan(200);
    routes = all.filter((_, index) => isFullRun || index % PARTS === SEED % PARTS);
  });

  it('is answered, and never with 500, and nothing is logged as an error', async () => {
    const failures: unknown[] = [];
    let sent = 0;
    for (const route of routes) {
      const { method, path } = route;
      const takesBodies = takesBody(route);
      const answers = (takesBodies ? BODIES : BODIES.slice(-8)).map(async (body, index) => {
        const type = takesBodies ? TYPES[index % TYPES.length] : 'application/json';
        // The accounting service takes JSON only: every body has to get there as such.
        const contentType = path.startsWith('/accounting') ? 'application/json' : type;
        const headers = { ...credentialFor(path, 'fuzz-admin'), ...(contentType ? { 'content-type': contentType } : {}) };
        const encoding: Record<string, string> = Buffer.isBuffer(body) ? { 'content-encoding': 'gzip' } : {};
        const { status, text } = await scene.root.call(method, path, { body, headers: { ...headers, ...encoding } });
        sent++;
        if (status >= 500) failures.push([method, path, body.toString().slice(0, 80), status, text]);
      });
      await Promise.all(answers);
    }
    expect(failures).toEqual([]);
    expect(sent).toBeGreaterThan(isFullRun ? 5_000 : 5_000 / PARTS / 2);
    expect((await scene.root.get('/health/ready')).status).toBe(200);
    const { lines } = scene.server;
    await scene.restart(); // after which all lines are there
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
