import { readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentBoot } from '#infra/platform/program/process-origin.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { type EmbeddedProcess, type EmbeddedProcesses, prepareEmbeddedProcesses } from '#test/support/event-stores/embedded-process.js';
import { losePower, reboot } from '#test/support/event-stores/power-loss.js';
import { openEnvironment } from './environment.js';
import { EnvironmentError } from './environment-error.js';

let processes: EmbeddedProcesses;
let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
const random = randomNumbers(14);

beforeAll(() => {
  processes = prepareEmbeddedProcesses();
});
afterAll(() => processes.remove());
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'documents');
});
afterEach(() => directory.remove());

// As in test/support/event-stores/churn.mjs.
const changesOf = (number: number): readonly (readonly [string, string | undefined])[] =>
  Array.from({ length: 30 }, (_, index) => {
    const key = `document ${(number * 7_919 + index * 104_729) % 900}`;
    const text = `${number} ${'x'.repeat((number * 37 + index * 1_013) % 6_000)}`;
    return [key, (number + index) % 5 === 0 ? undefined : text];
  });

/** Content of the environment after the commits up to this one. */
const documentsAfter = (last: number): ReadonlyMap<string, string> => {
  const documents = new Map<string, string>();
  for (let number = 1; number <= last; number += 1)
    for (const [key, text] of changesOf(number)) {
      if (text === undefined) documents.delete(key);
      else documents.set(key, text);
    }
  return documents;
};

/**
 * Resolves once a writer has replaced the restore point twice. The first new one may be of the creation of the database alone; the second one
 * contains a commit.
 */
const flushes = async (writer: EmbeddedProcess): Promise<void> => {
  const restorePoint = (): string => readFileSync(join(path, 'restore-point'), 'utf8');
  for (let [count, last] = [0, restorePoint()]; count < 2; ) {
    await writer.printed(writer.lines.length + 1);
    const next = restorePoint();
    if (next !== last) [count, last] = [count + 1, next];
  }
};

/** Kills a process that commits continuously, and has flushed. @returns the number of the last commit that it has printed */
const killWriter = async (): Promise<number> => {
  const writer = processes.start('churn', [path]);
  await writer.printed(150);
  await flushes(writer);
  await delay(random() * 60);
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
  expect(found).toEqual(Object.fromEntries(documentsAfter(Number(last))));
  return Number(last);
};

const leftOver = (): readonly string[] =>
  readdirSync(path).filter((name) => ['lock', 'restore-point'].includes(name) || name.endsWith('.tmp'));

const WENT_BACK = 'was not closed before the machine stopped: goes on from what was on disk';

describe('read models of a process that was killed', () => {
  it('are whole up to a flush after each loss of power, whatever became of what was written after it', async () => {
    let lost = 0; // one round loses nothing if the writer is killed just after a flush
    for (let round = 0, before = 0; round < 4; round += 1) {
      const committed = await killWriter();
      lost += losePower(path, random) ?? 0;
      expect(() => openEnvironment({ path, durability: 'replayable', maxDbs: 4, readOnly: true })).toThrow(EnvironmentError);
      const reports: string[] = [];
      const last = await lastOfWhole(reports);
      expect(reports).toEqual([`${path} ${WENT_BACK}`]);
      expect(last).toBeGreaterThan(before);
      expect(last).toBeLessThanOrEqual(committed + 1);
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
