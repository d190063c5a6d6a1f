import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { type EmbeddedProcesses, prepareEmbeddedProcesses } from '#test/support/event-stores/embedded-process.js';
import { failingDisk } from '#test/support/event-stores/failing-disk.js';

const directory = temporaryDirectory();
const disk = failingDisk(directory.path);
let processes: EmbeddedProcesses;
beforeAll(() => {
  processes = prepareEmbeddedProcesses();
});
afterAll(() => {
  processes.remove();
  directory.remove();
});

/** Needs a C compiler. */
(disk ? describe : describe.skip)('an environment whose header could not be written', () => {
  it('is lost: neither read nor written any more, however often it is tried', async () => {
    const variables = Object.entries(disk?.environment ?? {}).map(([name, value]) => `${name}=${value}`);
    const { lines, ended } = processes.start('lose', [join(directory.path, 'store')], variables.join(' '));
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
