import { readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currentBoot } from '#infra/platform/program/process-origin.js';
import { textsAfter } from '#test/support/event-stores/churn.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { flushedTransactionIn, losePower, newestTransactionIn, reboot } from '#test/support/event-stores/power-loss.js';
import { openEnvironment } from './environment.js';
import { EnvironmentError } from './environment-error.js';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
const random = randomNumbers(14);

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'documents');
});
afterEach(() => directory.remove());

/** Time from a commit to its flush. */
const FLUSH_MS = 100;

/**
 * Kills a process that commits continuously, has flushed some commits, and has made others since. The first restore points may be of the creation of the
 * databases alone. @returns the number of the last commit that it has printed
 */
const killWriter = async (): Promise<number> => {
  const writer = startEmbeddedProcess('churn', [path, `${FLUSH_MS}`]);
  await writer.printed(5);
  const before = newestTransactionIn(path) ?? Number.NaN;
  const isFlushed = () => (flushedTransactionIn(path) ?? 0) > before;
  while (!isFlushed()) await writer.printed(writer.lines.length + 1);
  await delay(random() * 60);
  for (writer.child.kill('SIGSTOP'); newestTransactionIn(path) === flushedTransactionIn(path); writer.child.kill('SIGSTOP')) {
    writer.child.kill('SIGCONT');
    await writer.printed(writer.lines.length + 1);
  }
  writer.child.kill('SIGKILL');
  expect(await writer.ended).toBe('SIGKILL');
  expect(leftOver()).toEqual(expect.arrayContaining(['lock', 'restore-point']));
  return Number(writer.lines.at(-1));
};

const open = (reports: string[] = []) => {
  const report = (message: string): void => void reports.push(message);
  const environment = openEnvironment({ path, durability: 'replayable', maxDbs: 4, report });
  return { environment, documents: environment.root.openDB<string, string>('documents', { encoding: 'string' }) };
};

/** Compares the whole content with the result of the commits up to the last one. @returns the number of the last one */
const lastOfWhole = async (reports: string[]): Promise<number> => {
  const { environment, documents } = open(reports);
  const { last, ...found } = Object.fromEntries([...documents.getRange()].map(({ key, value }) => [key, value]));
  await environment.close();
  expect(found).toEqual(Object.fromEntries(textsAfter(Number(last))));
  return Number(last);
};

const leftOver = (): readonly string[] =>
  readdirSync(path).filter((name) => ['lock', 'restore-point'].includes(name) || name.endsWith('.tmp'));

const WENT_BACK = 'was not closed before the machine stopped: goes on from what was on disk';

describe('read models of a process that was killed', () => {
  it('are whole up to a flush after each loss of power, whatever became of what was written after it', async () => {
    let lost = 0;
    for (let round = 0, before = 0; round < 4; round += 1) {
      await killWriter();
      lost += losePower(path, random) ?? 0;
      expect(() => openEnvironment({ path, durability: 'replayable', maxDbs: 4, readOnly: true })).toThrow(EnvironmentError);
      const reports: string[] = [];
      const last = await lastOfWhole(reports);
      expect(reports).toEqual([`${path} ${WENT_BACK}`]);
      expect(last).toBeGreaterThan(before);
      expect(leftOver()).toEqual([]);
      before = last;
    }
    expect(lost).toBeGreaterThan(0);
  });

  it('are kept when the machine is started again before they are opened', async () => {
    await killWriter();
    reboot(path);
    const reports: string[] = [];
    expect(await lastOfWhole(reports)).toBeGreaterThan(0);
    expect(reports).toEqual([`${path} ${WENT_BACK}`]);
  });

  it('are complete when they are opened before the machine is started again, whoever has its process id then', async () => {
    const committed = await killWriter();
    const [, ...rest] = readlinkSync(join(path, 'lock')).split(':');
    rmSync(join(path, 'lock'));
    symlinkSync(['1', ...rest].join(':'), join(path, 'lock'));
    writeFileSync(join(path, 'restore-point.999999.3.tmp'), 'a record that was not finished');
    const reports: string[] = [];
    expect(await lastOfWhole(reports)).toBeGreaterThanOrEqual(committed);
    expect(reports).toEqual([]);
    expect(leftOver()).toEqual([]);
  });

  it('go back although a process was killed before it had done so', async () => {
    await killWriter();
    losePower(path, random);
    const [, ...rest] = readlinkSync(join(path, 'lock')).split(':');
    rmSync(join(path, 'lock'));
    symlinkSync(['1', rest[0], currentBoot()].join(':'), join(path, 'lock'));
    const reports: string[] = [];
    expect(await lastOfWhole(reports)).toBeGreaterThan(0);
    expect(reports).toEqual([`${path} ${WENT_BACK}`]);
  });

  it.each([
    ['another file', (metaPages: string) => `another-boot 1 ${metaPages}`],
    ['none, because a flush had failed', (_: string, inode: string) => `another-boot ${inode}`],
    ['something else', (_: string, inode: string) => `another-boot ${inode} rubbish`],
  ])('are built again if the record has the restore point of %s', async (_, spoil) => {
    const before = open();
    await before.documents.put('one', 'text');
    const [, inode = '', metaPages = ''] = readFileSync(join(path, 'restore-point'), 'utf8').split(' ');
    await before.environment.close();
    writeFileSync(join(path, 'restore-point'), spoil(metaPages, inode));
    const reports: string[] = [];
    const { environment, documents } = open(reports);
    expect([...documents.getKeys()]).toEqual([]);
    await environment.close();
    expect(reports).toEqual([`${path} was not closed before the machine stopped: deleted, to be built again`]);
  });
});
