import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';

/** Runs before a directory is created, in place of another process. */
let beforeMkdir: (path: string) => Promise<void>;
jest.unstable_mockModule('node:fs/promises', () => ({
  ...files,
  mkdir: async (path: string, options: object) => {
    await beforeMkdir(path);
    return files.mkdir(path, options);
  },
}));
const { backUpLog } = await import('./backup.js');

let root: string;
let log: EmbeddedEventStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logbook-nested-'));
  log = openEmbeddedEventStore({ path: join(root, 'original') });
  beforeMkdir = async () => {};
});
afterEach(async () => {
  await log.close();
  rmSync(root, { recursive: true });
});

it.each(['inner', 'deep/inner'])(
  'a backup that has looked around itself before another one began around it is refused: %s',
  async (name) => {
    const outer = join(root, 'outer');
    const inner = join(outer, name);
    beforeMkdir = async (path) => {
      if (path !== inner) return;
      beforeMkdir = async () => {};
      await backUpLog(log, outer);
    };
    await expect(backUpLog(log, inner)).rejects.toThrow(`is inside the backup in ${outer}`);
    expect(await files.readdir(outer)).toEqual(['log']);
  },
);

it('a backup around which another one begins while it is made stays, and the other one is refused', async () => {
  const outer = join(root, 'outer');
  const inner = join(outer, 'deep', 'inner');
  beforeMkdir = async (path) => {
    if (!path.startsWith(`${outer}/log.partial-`)) return;
    beforeMkdir = async () => {};
    await backUpLog(log, inner);
  };
  await expect(backUpLog(log, outer)).rejects.toThrow(`${outer} is not empty any more`);
  expect(existsSync(join(inner, 'log', 'data.mdb'))).toBe(true);
  expect(await files.readdir(outer)).toEqual(['deep']);
});
