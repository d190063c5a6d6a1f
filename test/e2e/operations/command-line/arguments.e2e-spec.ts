import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/support/eventually.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Runs a program to its end. */
const run = async (folder: string, ...given: readonly string[]) => {
  const child = spawn(process.execPath, given, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const [code] = await once(child, 'close');
  return { code, ...said };
};

it.each(['--help', '-h'])('npm start -- %s prints help, and starts nothing', async (option) => {
  const { code, stdout, stderr } = await run(ROOT, 'dist/server/main.js', option);
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('--roles <roles>'), '']);
});

it('npm start refuses an argument that it does not know', async () => {
  const { code, stdout, stderr } = await run(ROOT, 'dist/server/main.js', '--port=80');
  expect([code, stdout, stderr]).toEqual([2, '', 'unknown argument "--port=80" (try --help)\n']);
});

describe('a checkout from which a server runs', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-checkout-'));
    for (const name of ['apps', 'tools', 'dist/server']) await mkdir(join(folder, name), { recursive: true });
    await copyFile(join(ROOT, 'tools/ensure.mjs'), join(folder, 'tools/ensure.mjs'));
    await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
    await symlink(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
    await writeFile(join(folder, 'dist', '.built'), 'of other files');
    await writeFile(join(folder, 'dist/server/main.js'), "process.stdin.resume().on('end', () => process.exit());");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is not built by a command', async () => {
    const server = spawn(process.execPath, ['dist/server/main.js'], { cwd: folder, stdio: ['pipe', 'ignore', 'ignore'] });
    try {
      const { stderr } = await eventually(() => run(folder, 'tools/ensure.mjs', '--running')).until(({ code }) => code === 0);
      expect(stderr).toBe(`Process ${server.pid} serves from this checkout: its build is used, although files have changed since.\n`);
    } finally {
      server.stdin.end();
    }
  });
});
