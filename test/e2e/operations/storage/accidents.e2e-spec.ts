import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { markBegun } from '#infra/edges/copies/import-marker.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { type Deployment, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { changeLetter } from '#test/support/event-stores/damage.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { canMount } from '#test/support/processes/mount.js';
import { httpClient } from '#test/support/status-client.js';

describe('an installation at rest', () => {
  let deployment: Deployment;
  let root: string;
  /** Of the test: a copy of an installation that was stopped in order. */
  let data: string;
  let copies = 0;
  const logbook = (...words: readonly string[]) => runLogbook(words, { ...deployment.environment, LOGBOOK_DATA_DIR: data });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'logbook-accidents-'));
    deployment = await embedded();
    const server = await startLogbook(deployment.environment);
    const service = httpClient(server.url);
    await untilReady(service);
    expect((await service.post('/v1/projects/lab', { key: SERVICE_TOKEN, body: { description: 'a remarkable project' } })).status).toBe(
      200,
    );
    await server.stop();
  });
  afterAll(async () => {
    await deployment?.dispose();
    await rm(root, { recursive: true, force: true });
  });
  beforeEach(async () => {
    data = join(root, `${++copies}`);
    await cp(deployment.dataDirectory, data, { recursive: true, preserveTimestamps: true });
  });

  /** The one line that a start leaves which ends with code 1. */
  const failedStart = async (): Promise<Readonly<{ variable: string; message: string }>> => {
    const { code, stderr } = await logbook('serve');
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    return JSON.parse(stderr) as { variable: string; message: string };
  };
  const doctor = async (): Promise<Readonly<Record<string, string>>> => {
    const { items } = JSON.parse((await logbook('doctor', '--json')).stdout) as { items: { check: string; ok: boolean; detail: string }[] };
    return Object.fromEntries(items.flatMap(({ check, ok, detail }) => (ok ? [] : [[check, detail]])));
  };

  it('does not begin anew where a restore has not ended, and says what to do', async () => {
    await rename(join(data, 'log'), join(data, 'log.restoring'));
    const { variable, message } = await failedStart();
    expect([variable, message]).toEqual([
      'LOGBOOK_DATA_DIR',
      expect.stringMatching(/log\.restoring is what a restore has left.*logbook restore/),
    ]);
    expect(await doctor()).toEqual({ stores: message });
    for (const words of [
      ['keys', 'list'],
      ['export', '-'],
      ['import', join(data, 'keys', 'master.key'), '--unverified'],
      ['backup', join(data, 'copy')],
    ])
      expect([words, await logbook(...words)]).toEqual([
        words,
        expect.objectContaining({ code: 1, stderr: expect.stringContaining(message) }),
      ]);
    expect(existsSync(join(data, 'log'))).toBe(false);
    await rename(join(data, 'log.restoring'), join(data, 'backup'));
    await cp(join(data, 'backup'), join(data, 'backups', 'log'), { recursive: true });
    await cp(join(data, 'backup'), join(data, 'log.restoring'), { recursive: true });
    expect((await logbook('restore', join(data, 'backups'))).code).toBe(0);
    expect(await doctor()).toEqual({});
  });

  it('is neither well nor exported while an import into its log has not ended', async () => {
    const log = openEmbeddedEventStore({ path: join(data, 'log') });
    await markBegun(log, { installation: '', from: 0, size: 1, root: '', frontier: '' });
    await log.close();
    const unfinished = expect.stringContaining('an import into this log has not ended');
    expect(await doctor()).toEqual({ 'event log': unfinished });
    expect(await logbook('export', '-')).toMatchObject({ code: 1, stdout: '', stderr: unfinished });
  });

  it('gets no new master key for a sealed log', async () => {
    const file = join(data, 'keys', 'master.key');
    const key = await readFile(file, 'utf8');
    await rm(file);
    const missing = { variable: 'LOGBOOK_MASTER_KEY', message: expect.stringContaining(`is missing: put back ${file}`) };
    expect(await failedStart()).toMatchObject(missing);
    expect(await logbook('keys', 'list')).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });
    expect([existsSync(file), await doctor()]).toEqual([false, { 'master key': missing.message }]);
    await writeFile(file, Buffer.alloc(32, 9).toString('base64'), { mode: 0o600 });
    expect(await failedStart()).toMatchObject({ variable: 'LOGBOOK_MASTER_KEY', message: expect.stringContaining('another master key') });
    expect(await doctor()).toEqual({ 'master key': expect.stringContaining('not the one that this log was sealed with') });
    await writeFile(file, key, { mode: 0o600 });
    await rm(join(data, 'keys', 'signing.key'));
    expect(await doctor()).toEqual({ 'signing key': expect.stringContaining('it is missing: put back keys/signing.key') });
  });

  it('is one without its read models too', async () => {
    await rm(join(data, 'documents'), { recursive: true });
    expect(await doctor()).toEqual({ 'read store': expect.stringMatching(/documents is missing: start a server/) });
    expect(await logbook('projections', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/documents is missing: start a server/),
    });
    expect(existsSync(join(data, 'documents'))).toBe(false);
  });

  it.each([
    ['was cut off', (file: string) => truncate(file, 40_000), /data\.mdb ends before page/],
    ['is empty', (file: string) => truncate(file, 0), /has lost its data file/],
    ['is missing', (file: string) => rm(file), /has lost its data file/],
    ['has a changed marker', (file: string) => writeFile(join(file, '..', 'store.json'), '{'), /store\.json/],
    ['has a damaged head', async (file: string) => changeLetter(file, '"recordedAt"'), /damaged/],
    ['has a changed event', async (file: string) => changeLetter(file, 'MasterKeyChosen'), /./],
  ])('is found damaged by audit verify with exit code 3: the log %s', async (_what, damage, detail) => {
    await damage(join(data, 'log', 'data.mdb'));
    const [plain, json] = [await logbook('audit', 'verify'), await logbook('audit', 'verify', '--json')];
    expect([plain.code, json.code]).toEqual([3, 3]);
    expect(plain.stderr).toMatch(detail);
    for (const { stdout, stderr } of [plain, json]) expect(stdout + stderr).not.toContain('logbook-at-rest');
    expect(JSON.parse(json.stdout)).toMatchObject({ intact: false, problem: { kind: expect.any(String), detail: expect.any(String) } });
  });

  it('cannot be verified where there is no log, or a newer one', async () => {
    const marker = join(data, 'log', 'store.json');
    await writeFile(marker, (await readFile(marker, 'utf8')).replace(/"format":\d+/, '"format":99'));
    const newer = await logbook('audit', 'verify');
    expect(newer).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${join(data, 'log')} was written by a newer version of Logbook`),
    });
    await rm(join(data, 'log'), { recursive: true });
    expect(await logbook('audit', 'verify')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`there is no log in ${join(data, 'log')}`),
    });
  });

  (canMount() ? it : it.skip)(
    'serves reads with a full disk, takes writes once there is room, and prints nothing but lines of JSON',
    async () => {
      const disk = join(root, 'disk');
      await mkdir(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk]);
      try {
        const directory = join(disk, 'data');
        await cp(data, directory, { recursive: true });
        const environment = { ...deployment.environment, LOGBOOK_DATA_DIR: directory };
        for (const round of ['after an end', 'after a kill']) {
          const rubbish = join(disk, 'rubbish');
          expect(() => writeFileSync(rubbish, Buffer.alloc(160 * 2 ** 20))).toThrow('ENOSPC');
          const server = await startLogbook(environment);
          const service = httpClient(server.url);
          const read = () => service.get('/v1/projects/lab', { key: SERVICE_TOKEN });
          const write = () => service.post(`/v1/projects/${round.replaceAll(' ', '-')}`, { key: SERVICE_TOKEN, body: {} });
          expect((await eventually(read).until(({ status }) => status === 200)).text).toContain('a remarkable project');
          const [written, ready] = [await write(), await service.get('/health/ready')];
          expect([round, written.status, ready.status, ready.text]).toEqual([round, 503, 503, expect.stringContaining('event log: ')]);
          await rm(rubbish);
          await eventually(write).until(({ status }) => status === 200);
          await untilReady(service);
          await (round === 'after an end' ? server.kill() : server.stop());
          expect(server.lines.filter((line) => !line.startsWith('{"level":"'))).toEqual([]);
        }
      } finally {
        execFileSync('umount', ['-l', disk]);
      }
    },
  );

  it('says when no file descriptor is left, and goes on when there are some again', async () => {
    const server = await startLogbook({ ...deployment.environment, LOGBOOK_DATA_DIR: data });
    await untilReady(httpClient(server.url));
    /** Below what it has open: whatever else is opened or accepted meanwhile, nothing more is. */
    const limit = (most: string) => execFileSync('prlimit', ['--pid', `${server.pid}`, `--nofile=${most}:`]);
    const before = execFileSync('prlimit', ['--pid', `${server.pid}`, '--nofile', '--noheadings', '--output=SOFT'], {
      encoding: 'utf8',
    }).trim();
    limit('16');
    const { port } = new URL(server.url);
    const sockets = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    const said = (what: string) =>
      eventually(async () => server.lines.filter((line) => line.includes(what))).until(({ length }) => length === 1);
    const [line = ''] = await said('no file descriptor is left');
    expect(JSON.parse(line)).toMatchObject({ level: 'error', code: 'EMFILE' });
    for (const socket of sockets) socket.destroy();
    limit(before);
    await said('there are file descriptors again');
    await untilReady(httpClient(server.url));
    expect(await server.stop()).toBe(0);
  });
});
