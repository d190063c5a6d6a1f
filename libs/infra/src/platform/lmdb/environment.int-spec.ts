import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currentBoot } from '#infra/platform/program/process-origin.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { Damage } from './data-file.js';
import { type Environment, type EnvironmentOptions, openEnvironment, PAGE_SIZE } from './environment.js';
import { EnvironmentError } from './environment-error.js';
import { inspectDataFile } from './inspection.js';

/** Of a process that runs: the first one's parent is not seen in a container. */
const OTHER_PID = process.ppid || 1;

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
/** Files that record that the environment is open. */
const openers = (): readonly string[] => readdirSync(path).filter((name) => name === 'lock');
/** Leaves the lock of a dead process. */
const kill = (): void => {
  rmSync(join(path, 'lock'), { force: true });
  symlinkSync(`999999:1:${currentBoot()}`, join(path, 'lock'));
};

describe.each(['durable', 'replayable'] as const)('a %s environment', (durability) => {
  it('is created for its owner only, keeps what was written, and can be closed twice', async () => {
    const environment = openHere({ durability });
    for (const made of [path, join(path, '..')]) expect(statSync(made).mode & 0o777).toBe(0o700);
    await put(environment, 'one');
    await environment.close();
    await environment.close();
    expect(openers()).toEqual([]);
    expect(words(openHere({ durability }))).toEqual(['one']);
    expect(reports).toEqual([]);
  });

  it('is opened once for writing, and any number of times for reading', async () => {
    const one = openHere({ durability });
    expect(openers()).toEqual(['lock']);
    expect(() => openHere({ durability })).toThrow(`${path} is in use by this process already, which may open it for writing once`);
    await put(one, 'one');
    const readers = [1, 2].map(() => openHere({ durability, readOnly: true }));
    expect(readers.map(words)).toEqual([['one'], ['one']]);
    await readers[0]?.close();
    await put(one, 'two');
    expect(words(one)).toEqual(['one', 'two']);
    await one.close();
    expect(words(openHere({ durability }))).toEqual(['one', 'two']);
  });

  it('is opened by several threads of the process, if it is meant to be', async () => {
    const [one, other] = [openHere({ durability, isShared: true }), openHere({ durability, isShared: true })];
    await put(one, 'one');
    await put(other, 'other');
    await other.close();
    await put(one, 'two');
    expect(openers()).toContain('lock');
    await one.close();
    expect(openers()).toEqual([]);
    expect(words(openHere({ durability }))).toEqual(['one', 'other', 'two']);
  });

  it('is refused while a process has it that runs in the manner of an earlier release', async () => {
    await openHere({ durability }).close();
    const stat = readFileSync(`/proc/${OTHER_PID}/stat`, 'utf8');
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    writeFileSync(join(path, `open.${OTHER_PID}`), [currentBoot(), start, '1'].join(' '));
    expect(() => openHere({ durability })).toThrow(`${path} is in use by process ${OTHER_PID}: stop that first`);
    writeFileSync(join(path, `open.${OTHER_PID}`), [currentBoot(), 1, '1'].join(' '));
    for (const name of ['opener.spare', 'restore-point.spare', 'restore-point.999.0.tmp']) writeFileSync(join(path, name), 'left over');
    openHere({ durability });
    expect(readdirSync(path).filter((name) => /^open|^restore|tmp$/.test(name))).toEqual([]);
  });

  it('is not created by a reader', () => {
    expect(() => openHere({ durability, readOnly: true })).toThrow(EnvironmentError);
    expect(existsSync(path)).toBe(false);
  });

  it.each(['data.mdb', 'lock.mdb'])('is not opened if %s is not a file', async (name) => {
    await openHere({ durability }).close();
    rmSync(join(path, name));
    mkdirSync(join(path, name));
    expect(() => openHere({ durability })).toThrow(`${join(path, name)} is not a file`);
  });

  it.each([
    ['is lost', ''],
    ['is cut off', 'rubbish'],
    ['holds something else', 'rubbish'.repeat(5_000)],
  ])('is opened where lock.mdb %s: nothing of value is in it', async (_, content) => {
    const environment = openHere({ durability });
    await put(environment, 'one');
    await environment.close();
    writeFileSync(join(path, 'lock.mdb'), content);
    expect(words(openHere({ durability }))).toEqual(['one']);
    expect(reports).toEqual([]);
  });

  it('is not opened with another durability or format', async () => {
    await openHere({ durability }).close();
    const other = durability === 'durable' ? 'replayable' : 'durable';
    expect(() => openHere({ durability: other })).toThrow(`${path} holds ${durability} data and was asked for as ${other}`);
  });
});

describe('an environment of an older format', () => {
  const openAs = (format: number) => openHere({ durability: 'durable', format });

  it('says once that it is taken over for good, and what the way back is', async () => {
    await openAs(1).close();
    expect(reports).toEqual([]);
    for (const _start of [1, 2]) await openAs(2).close();
    expect(reports).toEqual([expect.stringMatching(/format 1 .* to 2 .* releases before this one .* backup/)]);
    expect(reports[0]).toContain(path);
    expect(() => openAs(1)).toThrow(
      /was written by a newer version of Logbook \(format 2; this one reads up to 1\)\. Start that version\. To go back .* backup/,
    );
  });

  it('likewise where only lmdb has become newer', async () => {
    await openAs(1).close();
    const marker = join(path, 'store.json');
    writeFileSync(marker, readFileSync(marker, 'utf8').replace(/"lmdb":"[^"]*"/, '"lmdb":"3.0.9"'));
    await openAs(1).close();
    expect(reports).toEqual([expect.stringContaining('(lmdb 3.0.9)')]);
  });
});

describe('a file that is read completely before it is opened', () => {
  let judged: string[];
  const openJudging = (options: Partial<EnvironmentOptions> = {}): Environment =>
    openHere({
      durability: 'durable',
      newInspector: () => ({ visit: (_, key) => void judged.push(key.toString()), finish: () => {} }),
      ...options,
    });
  const fill = async (): Promise<void> => {
    const environment = openJudging();
    await put(environment, 'one');
    await environment.close();
  };
  beforeEach(() => {
    judged = [];
  });

  it('is not one that was closed in order and has not changed since', async () => {
    await fill();
    for (let time = 1; time <= 2; time += 1) await openJudging().close();
    expect(judged).toEqual([]);
  });

  it.each([
    ['was changed, if only in its times', () => utimesSync(join(path, 'data.mdb'), 1, 1)],
    ['was left by a killed process', kill],
    ['was left by a killed process of an earlier release', () => writeFileSync(join(path, 'open.999999'), `${currentBoot()} 1 1`)],
    ['came from elsewhere', () => rmSync(join(path, 'store.json'))],
    ['is a copy', () => replaceByCopy()],
  ])('is a file that %s', async (_, change) => {
    await fill();
    change();
    await openJudging().close();
    expect(judged).toEqual(['one']);
    await openJudging().close();
    expect(judged).toEqual(['one']);
    expect(openers()).toEqual([]);
  });

  const replaceByCopy = (): void => {
    cpSync(path, `${path}.copy`, { recursive: true });
    rmSync(path, { recursive: true });
    renameSync(`${path}.copy`, path);
  };

  it('is a copy that was made while a process had it open', async () => {
    const environment = openJudging();
    await put(environment, 'one');
    cpSync(path, `${path}.copy`, { recursive: true });
    await openJudging({ path: `${path}.copy` }).close();
    expect(judged).toEqual(['one']);
  });

  it('is large only if a process was killed that had opened it unread', async () => {
    const openLarge = (): Environment => openJudging({ durability: 'replayable', maxDbs: 4 });
    const environment = openLarge();
    const large = environment.root.openDB<Buffer, string>('large', { encoding: 'binary' });
    await environment.root.transaction(() => large.putSync('one', Buffer.alloc(257 * 2 ** 20)));
    await environment.close();
    kill();
    const again = openLarge();
    expect(judged).toEqual([]);
    await again.close();
    await openLarge().close(); // closed properly in the meantime
    expect(judged).toEqual([]);
    kill();
    const unread = startEmbeddedProcess('churn', [path]);
    await unread.printed(1);
    unread.child.kill('SIGKILL');
    await unread.ended;
    openLarge();
    expect(judged).toContain('one');
  });

  it('is one in which its last process found damage', async () => {
    await fill();
    const environment = openJudging();
    environment.distrust();
    await environment.close();
    await openJudging().close();
    expect(judged).toEqual(['one']);
  });

  it('is not one that this process has open', async () => {
    await fill();
    const environment = openJudging();
    await put(environment, 'two');
    await openJudging({ readOnly: true }).close();
    expect(judged).toEqual([]);
  });

  it('is refused if the inspector refuses its records', async () => {
    await fill();
    utimesSync(join(path, 'data.mdb'), 1, 1);
    const visit = (database: string, key: Buffer, value: Buffer): void => {
      throw new Damage(`has ${key} = ${value} in ${database}`);
    };
    expect(() => openJudging({ newInspector: () => ({ visit, finish: () => {} }) })).toThrow(
      `${path} is damaged: data.mdb has one = one in words`,
    );
  });
});

describe('the pages of a file that LMDB wrote', () => {
  it('are sound, whatever was put, overwritten, deleted and cleared', async () => {
    const random = randomNumbers(99);
    const below = (end: number): number => Math.floor(random() * end);
    const environment = openHere({ durability: 'durable', maxDbs: 4 });
    const databases = ['a', 'b', 'c'].map((name) => environment.root.openDB<Buffer, [string, number]>(name, { encoding: 'binary' }));
    const numbers = environment.root.openDB<Buffer, number>('numbers', { encoding: 'binary', keyEncoding: 'uint32' });
    for (let round = 0, last = 0; round < 120; round += 1) {
      const size = [50, 500, 3_000, 30_000, 200_000][below(5)] ?? 0;
      await environment.root.transaction(() => {
        for (let change = 0; change < 30; change += 1) {
          const database = databases[below(3)];
          const key: [string, number] = [`stream-${below(20)}`, below(300)];
          if (random() < 0.5) database?.removeSync(key);
          else database?.putSync(key, Buffer.alloc(below(size)));
          if (random() < 0.6) numbers.putSync(++last, Buffer.alloc(below(size)), { append: true });
          else numbers.removeSync(1 + below(last));
        }
      });
      if (round % 40 === 39) await databases[below(3)]?.clearAsync();
      for (const newInspector of [undefined, () => ({ visit: () => {}, finish: () => {} })])
        expect(inspectDataFile(join(path, 'data.mdb'), newInspector)).toEqual({ kind: 'sound' });
    }
  });

  it('are missing if the file was cut off, even if its records are not read', async () => {
    const environment = openHere({ durability: 'durable' });
    for (let n = 0; n < 200; n += 1) await put(environment, `word ${n} ${'x'.repeat(500)}`);
    await environment.close();
    const file = join(path, 'data.mdb');
    // The last page is a free one, which nothing misses.
    for (let size = statSync(file).size - 2 * PAGE_SIZE; size > 0; size -= PAGE_SIZE) {
      truncateSync(file, size);
      expect(inspectDataFile(file, undefined)).toEqual({ kind: 'damaged', what: expect.any(String) });
    }
  });
});

describe('a replayable environment', () => {
  const fill = async (): Promise<void> => {
    const environment = openHere();
    await put(environment, 'one');
    await environment.close();
  };

  it.each(['restore-point', 'open.999999'])('survives a process of an earlier release killed under the same boot (%s)', async (record) => {
    await fill();
    writeFileSync(join(path, record), `${currentBoot()} 1`);
    kill();
    expect(words(openHere())).toEqual(['one']);
    expect(reports).toEqual([]);
    expect(readdirSync(path)).not.toContain(record);
  });

  it.each([
    ...['restore-point', 'open.999999'].map(
      (record) =>
        [
          `the machine stopped while an earlier release had it open (${record})`,
          () => writeFileSync(join(path, record), 'another-boot 1'),
          'was not closed before the machine stopped',
        ] as const,
    ),
    [
      'a process was killed before it had seen that',
      () => {
        writeFileSync(join(path, 'restore-point'), 'another-boot 1');
        kill();
      },
      'was not closed before the machine stopped',
    ],
    ['a newer version wrote it', () => writeMarker('99.0.0'), 'was written by lmdb 99.0.0'],
    ['its data file is not one', () => writeFileSync(join(path, 'data.mdb'), 'rubbish'.repeat(10_000)), 'is damaged'],
    ['its data file was lost', () => truncateSync(join(path, 'data.mdb'), 0), 'has lost its data file'],
    ['its marker is damaged', () => writeFileSync(join(path, 'store.json'), 'rubbish'), 'has a damaged store.json'],
    ['an older version wrote it', () => writeMarker('3.5.0', 0), 'was written by an older version of Logbook'],
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

  const writeMarker = (lmdb: string, format = 1): void =>
    writeFileSync(join(path, 'store.json'), JSON.stringify({ lmdb, durability: 'replayable', state: 'ready', format }));

  it('does not delete a file that it did not create', () => {
    mkdirSync(path, { recursive: true });
    const file = join(path, 'data.mdb');
    writeFileSync(file, 'somebody else’s');
    expect(() => openHere()).toThrow(`${path} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe('somebody else’s');
    expect(reports).toEqual([]);
  });
});
