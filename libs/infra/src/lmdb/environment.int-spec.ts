import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../../../test/support/embedded-log.js';
import { type Environment, type EnvironmentOptions, openEnvironment } from './environment.js';
import { EnvironmentError } from './environment-error.js';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
let opened: Environment[];
let reports: string[];

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'made', 'store');
  opened = [];
  reports = [];
});
afterEach(async () => {
  await Promise.all(opened.map((environment) => environment.close()));
  directory.remove();
});

const openHere = (options: Partial<EnvironmentOptions> = {}): Environment => {
  const report = (message: string): void => void reports.push(message);
  const environment = openEnvironment({ path, durability: 'replayable', maxDbs: 2, report, ...options });
  opened.push(environment);
  return environment;
};

const put = async ({ root }: Environment, key: string): Promise<void> => {
  const database = root.openDB<string, string>('words', { encoding: 'string' });
  await root.transaction(() => database.putSync(key, key));
};
const words = ({ root }: Environment): readonly string[] => [...root.openDB<string, string>('words', { encoding: 'string' }).getKeys()];
const openers = (): readonly string[] => readdirSync(path).filter((name) => name.startsWith('open.'));

describe.each(['durable', 'replayable'] as const)('a %s environment', (durability) => {
  it('is made for its owner alone, keeps what was written, and closes twice', async () => {
    const environment = openHere({ durability });
    for (const made of [path, join(path, '..')]) expect(statSync(made).mode & 0o777).toBe(0o700);
    await put(environment, 'one');
    await environment.close();
    await environment.close();
    expect(openers()).toEqual([]);
    expect(words(openHere({ durability }))).toEqual(['one']);
    expect(reports).toEqual([]);
  });

  it('may be opened again beside itself, each closing on its own', async () => {
    const [one, other] = [openHere({ durability }), openHere({ durability })];
    await put(one, 'one');
    await put(other, 'other');
    const reader = openHere({ durability, readOnly: true });
    expect(words(reader)).toEqual(['one', 'other']);
    await other.close();
    await put(one, 'two');
    expect(words(one)).toEqual(['one', 'other', 'two']);
  });

  it('is not created by a reader', () => {
    expect(() => openHere({ durability, readOnly: true })).toThrow(EnvironmentError);
    expect(existsSync(path)).toBe(false);
  });

  it('is not opened as what it is not', async () => {
    await openHere({ durability }).close();
    const other = durability === 'durable' ? 'replayable' : 'durable';
    expect(() => openHere({ durability: other })).toThrow(`${path} holds ${durability} data and was asked for as ${other}`);
  });
});

describe('a replayable environment', () => {
  const fill = async (): Promise<void> => {
    const environment = openHere();
    await put(environment, 'one');
    await environment.close();
  };

  it('survives a process killed under the same boot', async () => {
    const environment = openHere();
    await put(environment, 'one');
    const [record = ''] = openers();
    const left = readFileSync(join(path, record), 'utf8');
    await environment.close();
    writeFileSync(join(path, 'open.999999'), left);
    expect(words(openHere())).toEqual(['one']);
    expect(reports).toEqual([]);
  });

  it.each([
    [
      'the machine stopped while it was open',
      () => writeFileSync(join(path, 'open.999999'), 'another boot'),
      'was not closed before the machine stopped',
    ],
    ['a newer version wrote it', () => writeMarker('99.0.0'), 'was written by lmdb 99.0.0'],
    ['its data file is not one', () => writeFileSync(join(path, 'data.mdb'), 'rubbish'.repeat(10_000)), 'is damaged'],
    ['its data file was lost', () => truncateSync(join(path, 'data.mdb'), 0), 'has lost its data file'],
  ])('starts empty, and says so, when %s', async (_, spoil, report) => {
    await fill();
    spoil();
    expect(() => openHere({ readOnly: true })).toThrow(EnvironmentError);
    expect(words(openHere())).toEqual([]);
    expect(reports).toEqual([expect.stringContaining(`${path} ${report}`)]);
    await put(opened.at(-1) ?? openHere(), 'two');
    await Promise.all(opened.map((environment) => environment.close()));
    expect(words(openHere())).toEqual(['two']);
    expect(reports).toHaveLength(1);
  });

  const writeMarker = (lmdb: string): void =>
    writeFileSync(join(path, 'store.json'), JSON.stringify({ lmdb, durability: 'replayable', state: 'ready' }));

  it('does not delete a file that it did not make', () => {
    mkdirSync(path, { recursive: true });
    const file = join(path, 'data.mdb');
    writeFileSync(file, 'somebody else’s');
    expect(() => openHere()).toThrow(`${path} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe('somebody else’s');
    expect(reports).toEqual([]);
  });
});
