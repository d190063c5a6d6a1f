import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { inTheEnd, until } from '#test/support/eventually.js';
import { builtModule } from '#test/support/processes/built.js';
import { TaskAborted, ValidationPool, type ValidationPoolOptions } from './validation-pool.js';
import type { ValidationTask } from './validation-worker.js';

const pools: ValidationPool[] = [];
const poolOf = (options: ValidationPoolOptions = {}): ValidationPool => {
  const pool = new ValidationPool({
    entry: builtModule('libs/infra/src/edges/schemas/validation/validation-worker'),
    workers: 1,
    ...options,
  });
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const validating = (schema: object, messages: readonly unknown[], steps = 1_000_000): ValidationTask => ({
  kind: 'validate',
  schema: JSON.stringify({ type: 'json', document: schema }),
  messages: messages.map((message) => Buffer.from(JSON.stringify(message)).toString('base64')),
  steps,
});

/** A task that takes seconds. */
const LONG = validating({ pattern: '(a?){900}(a{0,900}){9}b$' }, ['a'.repeat(1_000_000)], 5_000_000_000);

describe('validation threads', () => {
  it('report the first invalid message, and why it is invalid', async () => {
    const outcome = await poolOf().run('a', validating({ type: 'string' }, ['x', 5]));
    const violations = ['(root): Invalid type. Expected: string, given: integer'];
    expect(outcome).toMatchObject({ result: { kind: 'refused', index: 1, fault: { kind: 'violations', violations } } });
  });

  it('report how many steps remain', async () => {
    const outcome = await poolOf().run('a', validating({ type: 'string' }, ['x', 'y'], 10));
    expect(outcome).toMatchObject({ result: { kind: 'valid', left: 8 } });
  });

  it('report a stored schema that does not compile', async () => {
    expect(await poolOf().run('a', validating({ type: 'text' }, ['x']))).toMatchObject({ result: { kind: 'no-schema' } });
  });

  it('compile schemas', async () => {
    const pool = poolOf();
    expect(await pool.run('a', { kind: 'compile', content: { type: 'json', document: {} } })).toMatchObject({ invalid: null });
    const invalid = await pool.run('a', { kind: 'compile', content: { type: 'json', document: { $ref: '#/none' } } });
    expect(invalid).toMatchObject({ invalid: 'reference leads to nothing in this document: #/none' });
  });

  it('abort a task that takes too long, and continue with the next', async () => {
    const pool = poolOf({ taskMs: 1_000 });
    await expect(pool.run('a', LONG)).rejects.toThrow(TaskAborted);
    const next = await inTheEnd(() => pool.run('a', validating({}, ['x']))); // has a second, too
    expect(next).toMatchObject({ result: { kind: 'valid' } });
  });

  it('abort a task that takes too much memory, and continue with the next', async () => {
    const pool = poolOf({ heapMiB: 24 });
    const many = validating({ type: 'array' }, [Array.from({ length: 900_000 }, () => ({ a: {} }))]);
    await expect(pool.run('a', many)).rejects.toThrow(TaskAborted);
    expect(await pool.run('a', validating({}, ['x']))).toMatchObject({ result: { kind: 'valid' } });
  });

  it('let owners take turns', async () => {
    const pool = poolOf();
    const done: string[] = [];
    const tasks = ['a1', 'a2', 'a3', 'b1'].map(async (name) => {
      await pool.run(name.charAt(0), validating({}, ['x']));
      done.push(name);
    });
    await Promise.all(tasks);
    expect(done).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(pool.tasks).toBe(4);
  });

  it('are started again after idling', async () => {
    const ends = jest.spyOn(Worker.prototype, 'terminate');
    const pool = poolOf({ idleMs: 1 });
    await pool.run('a', validating({}, ['x']));
    await until(() => ends.mock.calls.length > 0);
    ends.mockRestore();
    expect(await pool.run('a', validating({}, ['x']))).toMatchObject({ result: { kind: 'valid' } });
  });

  it('that cannot be started fail their task alone', async () => {
    const works = builtModule('libs/infra/src/edges/schemas/validation/validation-worker');
    const entry = new URL(works);
    const pool = poolOf({ entry, taskMs: 1_000 });
    const answers = [pool.run('a', LONG), pool.run('a', validating({}, ['x']))].map((task) => task.catch((error: Error) => error));
    entry.href = 'https://nowhere.example.org/';
    expect(await Promise.all(answers)).toEqual([expect.any(TaskAborted), expect.objectContaining({ code: 'ERR_INVALID_URL_SCHEME' })]);
    entry.href = works.href;
    expect(await pool.run('a', validating({}, ['x']))).toMatchObject({ result: { kind: 'valid' } });
    expect(pool.tasks).toBe(1);
  });

  it('reject all tasks when they are closed', async () => {
    const pool = poolOf();
    const answers = [pool.run('a', LONG), pool.run('a', LONG)].map((task) => task.catch((error: Error) => error.message));
    await pool.close();
    expect(await Promise.all(answers)).toEqual(['the server ends', 'the server ends']);
  });
});
