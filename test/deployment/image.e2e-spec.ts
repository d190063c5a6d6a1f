import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Deployment, embedded } from '#test/support/deployments.js';
import { untilReady } from '#test/support/eventually.js';
import { type LaunchedLogbook, launchLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';
import { ROOT } from './image.js';

describe('what the image holds', () => {
  let deployment: Deployment;
  let install: string;
  let server: LaunchedLogbook | undefined;

  beforeAll(async () => {
    deployment = await embedded();
    install = await mkdtemp(join(tmpdir(), 'logbook-image-'));
    await promisify(execFile)(process.execPath, ['tools/package.mjs', install], { cwd: ROOT });
  });
  afterAll(async () => {
    await server?.signal('SIGTERM');
    await deployment?.dispose();
    await rm(install, { recursive: true, force: true });
  });

  /** Exit code of the health check of the image. */
  const healthCheck = async (what: string, port: string): Promise<number | null> => {
    const child = spawn(process.execPath, ['tools/health.mjs', what], {
      cwd: install,
      env: { LOGBOOK_HOST: '0.0.0.0', LOGBOOK_PORT: port },
      stdio: 'ignore',
    });
    const [code] = await once(child, 'exit');
    return code;
  };

  it('serves without the packages of development, answers the health check, and ends at SIGTERM', async () => {
    for (const absent of ['node_modules/typescript', 'node_modules/jest', 'dist/test', 'dist/apps', 'apps', 'package-lock.json'])
      expect([absent, existsSync(join(install, absent))]).toEqual([absent, false]);
    server = launchLogbook({ ...deployment.environment, NODE_ENV: 'production' }, ['tools/logbook.mjs', 'serve'], install);
    const url = await server.url;
    await untilReady(httpClient(url));
    expect((await httpClient(url).get('/docs')).status).toBe(200);
    const { port } = new URL(url);
    expect(await Promise.all([healthCheck('live', port), healthCheck('ready', port), healthCheck('nothing', port)])).toEqual([0, 0, 1]);
    expect(await server.signal('SIGTERM')).toBe(0);
    expect(await healthCheck('live', port)).toBe(1);
  });

  it('is an archive for npm, too, which needs nothing of the registry but LMDB with what it needs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-archive-'));
    const npm = async (...given: readonly string[]): Promise<string> => (await promisify(execFile)('npm', given, { cwd: folder })).stdout;
    try {
      const archive = (await npm('pack', install, '--pack-destination', folder)).trim().split('\n').at(-1) ?? '';
      await npm('install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', join(folder, archive));
      const beside = Object.keys(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')).packages);
      const fetched = beside.filter((place) => /^node_modules\/(?!logbook(\/|$))/.test(place));
      expect(fetched).toContain('node_modules/lmdb');
      expect(fetched.filter((place) => /swagger|scarf|nestjs|eventstore|redis/.test(place))).toEqual([]);
      const { stdout } = await promisify(execFile)(join(folder, 'node_modules', '.bin', 'logbook'), ['--version']);
      const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
      expect(stdout.split(' ')[0]?.trim()).toBe(version);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
