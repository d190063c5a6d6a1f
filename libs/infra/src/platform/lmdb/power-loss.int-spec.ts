import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { type EmbeddedProcesses, prepareEmbeddedProcesses } from '#test/support/event-stores/embedded-process.js';
import { losePower, openRecords, reboot } from '#test/support/event-stores/power-loss.js';
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

/** What is in the environment after the commits up to this one. */
const documentsAfter = (last: number): ReadonlyMap<string, string> => {
  const documents = new Map<string, string>();
  for (let number = 1; number <= last; number += 1)
    for (const [key, text] of changesOf(number)) {
      if (text === undefined) documents.delete(key);
      else documents.set(key, text);
    }
  return documents;
};

/** Kills a process that commits all the time. @returns the number of its last commit that it has printed, and its record */
const killWriter = async (): Promise<Readonly<{ committed: number; record: string }>> => {
  const writer = processes.start('churn', [path]);
  await writer.printed(150);
  await delay(random() * 60);
  writer.child.kill('SIGKILL');
  expect(await writer.ended).toBe('SIGKILL');
  const record = `open.${writer.child.pid}`;
  expect(openRecords(path)).toContain(record);
  return { committed: Number(writer.lines.at(-1)), record };
};

const open = (reports: string[] = []) => {
  const report = (message: string): void => void reports.push(message);
  const environment = openEnvironment({ path, durability: 'replayable', maxDbs: 4, report });
  return { environment, documents: environment.root.openDB<string, string>('documents', { encoding: 'string' }) };
};

/** Compares all that is there with what the commits up to the last one have made. @returns the number of the last one */
const lastOfWhole = async (reports: string[]): Promise<number> => {
  const { environment, documents } = open(reports);
  const { last, ...found } = Object.fromEntries([...documents.getRange()].map(({ key, value }) => [key, value]));
  await environment.close();
  expect(found).toEqual(Object.fromEntries(documentsAfter(Number(last))));
  return Number(last);
};

const leftOver = (): readonly string[] => readdirSync(path).filter((name) => name.startsWith('open.'));

const WENT_BACK = 'was not closed before the machine stopped: goes on from what was on disk';

describe('read models of a process that was killed', () => {
  it('are whole up to a flush after each loss of power, whatever became of what was written after it', async () => {
    for (let round = 0, before = 0; round < 4; round += 1) {
      const { committed } = await killWriter();
      expect(losePower(path, random)).toBeGreaterThan(0);
      expect(() => openEnvironment({ path, durability: 'replayable', maxDbs: 4, readOnly: true })).toThrow(EnvironmentError);
      const reports: string[] = [];
      const last = await lastOfWhole(reports);
      expect(reports).toEqual([`${path} ${WENT_BACK}`]);
      expect(last).toBeGreaterThan(before);
      expect(last).toBeLessThanOrEqual(committed + 1);
      expect(leftOver()).toEqual([]);
      before = last;
    }
  }, 60_000);

  it('are kept when the machine is started again before they are opened', async () => {
    await killWriter();
    reboot(path);
    const reports: string[] = [];
    expect(await lastOfWhole(reports)).toBeGreaterThan(0);
    expect(reports).toEqual([`${path} ${WENT_BACK}`]);
  });

  it('are complete when they are opened before the machine is started again, whoever has its process id then', async () => {
    const { committed, record } = await killWriter();
    writeFileSync(join(path, 'open.1'), readFileSync(join(path, record)));
    rmSync(join(path, record));
    writeFileSync(join(path, 'open.999999.999999.3.tmp'), 'a record that was not finished');
    const reports: string[] = [];
    expect(await lastOfWhole(reports)).toBeGreaterThanOrEqual(committed);
    expect(reports).toEqual([]);
    expect(leftOver()).toEqual([]);
  });

  it('go back to the newest flush when several had them open', async () => {
    const older = await killWriter();
    const kept = readFileSync(join(path, older.record));
    await killWriter();
    writeFileSync(join(path, older.record), kept);
    expect(openRecords(path)).toHaveLength(2);
    losePower(path, random);
    expect(await lastOfWhole([])).toBeGreaterThan(older.committed);
  });

  it.each([
    ['another file', (record: string) => [...record.split(' ').slice(0, 2), '1', record.split(' ')[3]].join(' ')],
    ['none, as with older versions', (record: string) => record.split(' ').slice(0, 3).join(' ')],
    ['something else', (record: string) => [...record.split(' ').slice(0, 3), 'rubbish'].join(' ')],
  ])('are built again if the record has the restore point of %s', async (_, spoil) => {
    const before = open();
    await before.documents.put('one', 'text');
    const record = readFileSync(join(path, `open.${process.pid}`), 'utf8');
    await before.environment.close();
    writeFileSync(join(path, 'open.999999'), spoil(record));
    reboot(path);
    const reports: string[] = [];
    const { environment, documents } = open(reports);
    expect([...documents.getKeys()]).toEqual([]);
    await environment.close();
    expect(reports).toEqual([`${path} was not closed before the machine stopped: deleted, to be built again`]);
  });
});
