import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Environment, openEnvironment } from '#infra/platform/lmdb/environment.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { newestTransactionIn } from '#test/support/event-stores/power-loss.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import type { PrintingProcess } from '#test/support/processes/printing-process.js';
import type { FollowerContext, FromThread, ToThread } from './follower.js';
import { runFollowers } from './follower-thread.js';

const path = mkdtempSync(join(tmpdir(), 'logbook-follower-thread-'));
let writer: PrintingProcess;
let environment: Environment;

beforeAll(async () => {
  await startWriter();
  await endWriter(); // it is not opened beside a process that writes
  environment = openEnvironment({ path, durability: 'replayable', maxDbs: 4, readOnly: true, report: () => undefined });
  await startWriter();
});
afterAll(async () => {
  await environment.close();
  await endWriter();
  rmSync(path, { recursive: true });
});

const startWriter = async (): Promise<void> => {
  writer = startEmbeddedProcess('churn', [path]); // commits continuously
  await writer.printed(2);
};
const endWriter = async (): Promise<void> => {
  writer.child.kill('SIGKILL');
  await writer.ended;
};

/** Waits without leaving this turn of the event loop. */
const until = (isSo: () => boolean, longestMs: number): boolean => {
  const end = performance.now() + longestMs;
  while (!isSo() && performance.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  return isSo();
};

it('answers from what was stored before it was asked, even in a turn of the event loop in which it has read before', async () => {
  const documents = environment.root.openDB('documents', { encoding: 'string' });
  const last = (): number => Number(documents.get('last'));
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise<FromThread>((resolve) => {
    port1.on('message', (message: FromThread) => message.kind === 'answer' && resolve(message));
  });
  const follower = { name: 'reader', start: () => {}, stop: async () => {}, answer: last };
  await runFollowers(port2, [() => follower], async () => ({ context: {} as FollowerContext, close: async () => {} }));
  const before = last();
  const newest = newestTransactionIn(path);
  expect(until(() => newestTransactionIn(path) !== newest, LONGEST_MS)).toBe(true); // as on a busy machine: others continue, this thread does not
  expect(last()).toBe(before);
  port2.emit('message', { kind: 'ask', id: 1, follower: 'reader', request: null } satisfies ToThread);
  const answer = await answered;
  expect(answer.kind === 'answer' && answer.result).toBeGreaterThan(before);
  port1.close();
});
