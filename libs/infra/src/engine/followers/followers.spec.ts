import { expect, it, jest } from '@jest/globals';
import { until } from '#test/support/eventually.js';
import type { FollowerSettings } from './follower.js';
import { Followers } from './followers.js';

/** A thread that writes each request to its standard output. */
const ENTRY = `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ kind, id, request }) => {
    if (kind === 'stop') return parentPort.close();
    process.stdout.write(request);
    parentPort.postMessage({ kind: 'answer', id, result: null });
  });
`)}`;

it('lines of a thread are written again after one that could not be', async () => {
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
  const ignore = (): void => undefined;
  process.stdout.on('error', ignore); // as the logger of the process does
  const log = { info: ignore, warn: ignore, error: ignore };
  const followers = new Followers({ settings: {} as FollowerSettings, log, entry: new URL(ENTRY) });
  try {
    followers.start();
    await followers.ask('any', 'one');
    await until(() => lines.includes('one'));
    process.stdout.emit('error', Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    await followers.ask('any', 'two');
    await until(() => lines.includes('two'));
  } finally {
    await followers.stop();
    write.mockRestore();
    process.stdout.off('error', ignore);
  }
  expect(lines.filter((line) => ['one', 'two'].includes(line))).toEqual(['one', 'two']);
});
