import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomFrom } from '#test/faults/random.js';
import { Recorder } from '#test/faults/workload/client.js';
import { work } from '#test/faults/workload/clients.js';
import { builtModule } from '#test/support/processes/built.js';
import type { LaunchedLogbook } from '#test/support/processes/logbook-process.js';
import { canMount } from '#test/support/processes/mount.js';
import { addressAt, flawsOfData, flawsOfProcess, launchNode, prepareData, stepsOf, temporaryData } from './embedded-node.js';

let folder: string;
let template: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logbook-machine-'));
  template = join(folder, 'template');
  await prepareData(template);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Change = (server: LaunchedLogbook) => Promise<unknown>;

/** Clients work before and after a change of the machine; returns whether the server ended by it, and what is wrong. */
const flawsAfter = async (change: Change, environment: Readonly<Record<string, string>> = {}) => {
  const data = await temporaryData(template);
  try {
    const server = launchNode(data.path, environment);
    const recorder = new Recorder();
    const addresses = [addressAt(await server.url)];
    const steps = (count: number) =>
      work(
        addresses,
        recorder,
        randomFrom(count),
        stepsOf(count, () => server.hasEnded),
      );
    await steps(100);
    await change(server);
    await steps(90);
    const hasEnded = server.hasEnded;
    const code = await server.signal('SIGTERM');
    const flaws = [...flawsOfProcess(server.lines, code, server.endedBy), ...(await flawsOfData(data.path, recorder.calls))];
    return { hasEnded, flaws, answered: recorder.calls.filter(({ answer }) => answer.outcome === 'done').length > 50 };
  } finally {
    await data.remove();
  }
};

const limit = (server: LaunchedLogbook, name: string, most: number): void =>
  void execFileSync('prlimit', ['--pid', `${server.pid}`, `--${name}=${most}:`]);

it('loses nothing where files have reached their largest size (ulimit -f)', async () => {
  expect(await flawsAfter(async (server) => limit(server, 'fsize', 65_536))).toMatchObject({ flaws: [], answered: true });
});

it('says why it does not start where the address space is limited (ulimit -v)', async () => {
  const data = await temporaryData(template);
  try {
    const server = launchNode(data.path);
    limit(server, 'as', 40 * 2 ** 30);
    expect(await server.exited).toBe(1);
    expect(flawsOfProcess(server.lines, 1)).toEqual([]);
    expect(server.lines.at(-1)).toMatch(/"variable":"LOGBOOK_DATA_DIR".*limit of the address space is too low/);
  } finally {
    await data.remove();
  }
});

it('loses nothing where no file can be opened any more (ulimit -n)', async () => {
  const found = await flawsAfter(async (server) => limit(server, 'nofile', 16));
  expect(found).toEqual({ hasEnded: false, flaws: [], answered: true });
});

it.each([
  ['back', -3_600],
  ['forward', 3_600],
])('loses nothing when the clock jumps %s by an hour', async (_way, seconds) => {
  const clock = join(folder, `clock${seconds}`);
  await writeFile(clock, '0');
  const environment = { NODE_OPTIONS: `--import=${builtModule('test/faults/parts/shifted-clock').href}`, FAULTS_CLOCK: clock };
  expect(await flawsAfter(() => writeFile(clock, `${seconds}`), environment)).toEqual({ hasEnded: false, flaws: [], answered: true });
});

it('loses nothing with a heap of 128 MiB', async () => {
  expect(await flawsAfter(async () => undefined, { NODE_OPTIONS: '--max-old-space-size=128' })).toEqual({
    hasEnded: false,
    flaws: [],
    answered: true,
  });
});

(canMount() ? it : it.skip)('says why it does not start on a read-only file system, and has everything on a writable one', async () => {
  const disk = await mkdtemp(join(folder, 'disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk]);
  try {
    const data = join(disk, 'data');
    execFileSync('cp', ['-r', template, data]);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const server = launchNode(data);
    expect(await server.exited).toBe(1);
    expect(flawsOfProcess(server.lines, 1)).toEqual([]);
    expect(server.lines.at(-1)).toMatch(/"variable":"LOGBOOK_DATA_DIR".*read-only file system/);
    execFileSync('mount', ['-o', 'remount,rw', disk]);
    expect(await flawsOfData(data, [])).toEqual([]);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});
