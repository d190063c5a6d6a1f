import { expect, it } from '@jest/globals';
import type { RootDatabase } from 'lmdb';
import { outliveWriteThreads } from './guards.js';

it('an environment is freed when the last of its writing threads has ended, whichever that is', async () => {
  const tells: ((status: number) => unknown)[] = [];
  const seen: unknown[] = [];
  const native = Object.freeze({
    startWriting: (_: number, tell: (status: number) => unknown) => void tells.push(tell),
    close: () => void seen.push('freed'),
  });
  const env: typeof native = Object.create(native);
  const root = { env, close: async () => env.close() }; // as lmdb: once the newest transaction is committed
  outliveWriteThreads(root as unknown as RootDatabase);
  for (const thread of ['first', 'second']) env.startWriting(0, (status) => seen.push(`${thread} ${status}`));
  const [first, second] = tells;
  first?.(2);
  second?.(2);
  second?.(0);
  const closing = root.close().then(() => seen.push('closed'));
  await Promise.resolve();
  expect(seen).toEqual(['first 2', 'second 2', 'second 0']);
  first?.(0);
  await closing;
  expect(seen.slice(3)).toEqual(['first 0', 'freed', 'closed']);
});
