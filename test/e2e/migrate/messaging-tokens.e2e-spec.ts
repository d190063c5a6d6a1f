import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { reportIn, writeExport } from '#test/support/migration/exports.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { httpClient } from '#test/support/status-client.js';
import { isFullRun } from '#test/support/test-runs.js';

const oid = (number: number) => ({ $oid: number.toString(16).padStart(24, '6') });
const PROJECT = '11111111-aaaa-4aaa-8aaa-000000000001';
const tokenOf = (digit: string): string => digit.repeat(64);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const at = { $date: '2026-01-02T08:00:00Z' };
const MONBOX = { component: 'monbox', component_project: 'ARGO' };

const user = (number: number, name: string, fields: object) => ({
  _id: oid(number),
  uuid: `22222222-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`,
  projects: [{ project_uuid: PROJECT, roles: ['consumer'] }],
  name,
  email: '',
  service_roles: [],
  created_on: at,
  modified_on: at,
  created_by: '',
  ...fields,
});
const NONE = { token: '' };

/** Users as AMS keeps them since it stores hashes. */
const exported = {
  projects: [{ _id: oid(1), uuid: PROJECT, name: 'ARGO', created_on: at, modified_on: at, created_by: '', description: '' }],
  users: [
    user(1, 'hashed', { ...NONE, token_v2: sha256(tokenOf('1')), ...MONBOX }),
    user(2, 'absent', { token_v2: sha256(tokenOf('2')).toUpperCase(), component_project: '', service_roles: ['component_admin'] }),
    user(3, 'both', { token: tokenOf('3'), token_v2: sha256(tokenOf('3')), component: 'poem' }),
    user(4, 'apart', { token: tokenOf('4'), token_v2: sha256(tokenOf('5')) }),
    user(5, 'odd', { ...NONE, token_v2: 'no hash' }),
    user(6, 'binary', { ...NONE, token_v2: { $binary: { base64: 'AAEC', subType: '00' } } }),
    user(7, 'second', { ...NONE, token_v2: sha256(tokenOf('3')), ...MONBOX }),
    user(8, 'old', { token: tokenOf('8'), token_v2: null }),
  ],
};

const REPORTED = [
  'absent: nothing',
  'apart: token_v2 is left out: it is not the SHA-256 of token',
  'binary: it had no token: it has a new one, which nobody knows yet; refresh it',
  'binary: token_v2 is left out: it is not a SHA-256 in hexadecimal digits',
  'both: nothing',
  'hashed: nothing',
  'odd: it had no token: it has a new one, which nobody knows yet; refresh it',
  'odd: token_v2 is left out: it is not a SHA-256 in hexadecimal digits',
  'old: nothing',
  'second: another user has the same token: it has a new one, which nobody knows yet; refresh it',
  'second: component and component_project are left out: another user has the same',
];

describe.each(isFullRun ? ['always', 'once'] : ['always'])(
  'logbook migrate messaging, keys that are kept as hashes, where tokens are shown %s',
  (shown) => {
    let folder: string;
    let deployment: Deployment;
    const environment = () => ({
      ...deployment.environment,
      LOGBOOK_HISTORY: 'off',
      LOGBOOK_ROLES: 'api,projector',
      LOGBOOK_MESSAGING_TOKENS_SHOWN: shown,
    });
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'logbook-migrate-'));
      deployment = await embedded();
      await writeExport(join(folder, 'argo_msg'), exported);
    });
    afterAll(async () => {
      await deployment.dispose();
      await rm(folder, { recursive: true, force: true });
    });

    it.each(shown === 'always' ? [['--dry-run'], []] : [[]])(
      'takes them over, and reports what does not fit, without quoting it: %s',
      async (...options) => {
        const path = join(folder, 'report.json');
        const { code } = await runLogbook(['migrate', 'messaging', join(folder, 'argo_msg'), '--report', path, ...options], environment());
        const [report, text] = [await reportIn(path), await readFile(path, 'utf8')];
        const reasons = exported.users.flatMap(({ name, _id: { $oid } }) => {
          const own = report.items.filter(({ collection, id }) => collection === 'users' && id === $oid);
          return own.length === 0 ? [`${name}: nothing`] : own.map(({ reason }) => `${name}: ${reason}`);
        });
        expect([code, reasons.sort()]).toEqual([0, REPORTED]);
        expect(report.items).toContainEqual({
          what: 'note',
          reason: 'tokens of which only the hash is known: 2; they work, and no read shows them before a refresh',
        });
        if (options.length === 0) expect(report.verified?.users).toMatchObject({ different: 0, missing: 0 });
        for (const { token, token_v2 } of exported.users as readonly { token?: string; token_v2?: unknown }[])
          for (const secret of [token, token_v2]) if (typeof secret === 'string' && secret !== '') expect(text).not.toContain(secret);
        expect(text).not.toContain('AAEC');
      },
    );

    it('lets their holders in, and shows no token that is not known', async () => {
      const server = await startServer(environment());
      try {
        const root = httpClient(server.url);
        await untilReady(root);
        const profile = (key: string) => root.get('/v1/users/profile', { key });
        const tokens = { hashed: tokenOf('1'), absent: tokenOf('2'), both: tokenOf('3'), apart: tokenOf('4'), old: tokenOf('8') };
        for (const [name, token] of Object.entries(tokens)) {
          const { json } = await profile(token);
          expect(json).toMatchObject({ name });
          const isShown = shown === 'always' && !['hashed', 'absent'].includes(name);
          expect((json as { token?: string }).token).toBe(isShown ? token : undefined);
          expect((await root.get(`/v1/users:byToken/${token}`, { key: SERVICE_TOKEN })).json).toMatchObject({ name });
          expect((await root.get(`/v1/users:byToken/${sha256(token)}`, { key: SERVICE_TOKEN })).status).toBe(404);
        }
        for (const key of [tokenOf('5'), sha256(tokenOf('1')), 'no hash', '']) expect((await profile(key)).status).toBe(401);
        expect((await profile(tokenOf('1'))).json).toMatchObject(MONBOX);
        for (const [name, component] of [
          ['absent', undefined],
          ['both', 'poem'],
          ['second', undefined],
        ] as const) {
          const { json } = await root.get(`/v1/users/${name}`, { key: SERVICE_TOKEN });
          expect([(json as { component?: string }).component, json]).toEqual([
            component,
            expect.not.objectContaining({ component_project: '' }),
          ]);
        }
        const refreshed = await root.post('/v1/integrations/components/monbox/by-project-name/ARGO/refresh', { key: tokenOf('2') });
        const { data } = refreshed.json as { data: { api_key: string } };
        expect((await profile(data.api_key)).json).toMatchObject({
          name: 'hashed',
          ...MONBOX,
          ...(shown === 'always' && { token: data.api_key }),
        });
        expect((await profile(tokenOf('1'))).status).toBe(401);
      } finally {
        await server.stop();
      }
    });
  },
);
