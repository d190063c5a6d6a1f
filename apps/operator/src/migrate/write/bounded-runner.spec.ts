import { expect, it } from '@jest/globals';
import { BoundedRunner } from './bounded-runner.js';

it('waits for tasks that still run before it says that one failed', async () => {
  const runner = new BoundedRunner(4);
  let finish = (): void => {};
  let isDone = false;
  await runner.run(async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    isDone = true;
  });
  await runner.run(() => Promise.reject(new Error('full')));
  await new Promise(setImmediate); // the failure is known
  const failed = runner.run(async () => {}).catch((error: Error) => [error.message, isDone]);
  finish();
  expect(await failed).toEqual(['full', true]);
});
