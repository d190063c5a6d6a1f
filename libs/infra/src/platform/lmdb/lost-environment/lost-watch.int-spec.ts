import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { RootDatabase } from 'lmdb';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { failingDisk } from '#test/support/event-stores/failing-disk.js';
import { LostWatch } from './lost-watch.js';

const directory = temporaryDirectory();
const disk = failingDisk(directory.path);
afterAll(() => directory.remove());

/** Needs a C compiler. */
(disk ? describe : describe.skip)('an environment whose header could not be written', () => {
  it.each(['later', 'at-once'])('is lost: neither read nor written any more, however often it is tried (%s)', async (way) => {
    const variables = Object.entries(disk?.environment ?? {}).map(([name, value]) => `${name}=${value}`);
    const { lines, ended } = startEmbeddedProcess('lose', [join(directory.path, way), way], variables.join(' '));
    expect(await ended).toBe(0);
    const found = (way: string, value: unknown) => ({ way, found: value });
    const panic = (way: string) => Array(10).fill({ way, error: expect.stringContaining('MDB_PANIC') });
    const afterLoss = [{ way: 'write', error: 'EnvironmentLost' }, ...['get', 'entries', 'keys', 'count'].flatMap(panic)];
    expect(lines).toEqual([
      found('get', 'word'),
      found('entries', [{ key: 'one', value: 'word' }]),
      found('keys', ['one']),
      found('count', 1),
      ...afterLoss,
      ...afterLoss,
    ]);
  });
});

it('does not read an environment that is being closed when its last write fails, after which lmdb would throw by a timer', async () => {
  const calls: string[] = [];
  let fail = (_error: Error): void => {};
  const root = {
    transactionSync: () => undefined,
    transaction: () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      }),
    resetReadTxn: () => calls.push('reset'),
    doesExist: () => calls.push('read'),
  };
  const watch = new LostWatch(root as unknown as RootDatabase, 'store', () => undefined);
  const writing = root.transaction();
  watch.close();
  fail(new Error('no room'));
  await expect(writing).rejects.toThrow('no room');
  expect(calls).toEqual([]);
});
