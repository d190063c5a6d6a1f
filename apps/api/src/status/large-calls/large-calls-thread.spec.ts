import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { Followers } from '#infra/engine/followers/followers.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { Cleanup } from '#test/support/cleanup.js';
import type { LargeCall } from './handed-over.js';
import { LargeCalls } from './large-calls.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** A thread whose reads are named after their behaviour: `wait`, `die`, `long`, or any other name, which is the answer. */
const THREAD = `
  import { parentPort } from 'node:worker_threads';
  const kept = [];
  parentPort.on('message', ({ kind, request }) => {
    if (kind === 'stop') return parentPort.close();
    const { port, call: { read } } = request;
    kept.push(port);
    if (read === 'die') process.exit(1);
    if (read === 'long') {
      const body = new ReadableStream({ pull: (pieces) => pieces.enqueue(new Uint8Array(100_000)) });
      port.postMessage({ kind: 'answer', options: {}, body }, [body]);
    } else if (read !== 'wait') port.postMessage({ kind: 'answer', options: {}, body: read });
  });
`;
const ENTRY = `data:text/javascript,${encodeURIComponent(THREAD)}`;

const CALL: LargeCall['call']['call'] = {
  caller: { kind: 'tenant', actorId: 'a', tenantId: 't', roles: [] },
  format: 'json',
  query: {},
};

const open = (flush = () => Promise.resolve(), entry = new URL(ENTRY)) => {
  const settings = { dataDirectory: '/nowhere', masterKey: Buffer.alloc(32), logLevel: 'silent', chain: false } as const;
  const thread = new Followers({ settings, log: createLogger('silent'), entry });
  cleanup.defer(() => thread.stop());
  const ready = async () => {
    await flush();
    if (!thread.isStarted) thread.start();
  };
  const calls = new LargeCalls({ ready, ask: async (...request) => void (await thread.ask('results', ...request)) });
  const over: string[] = [];
  const ask = (
    read: string,
    { within = 60_000, isGone = () => false }: Readonly<{ within?: number; isGone?: () => boolean }> = {},
  ): Promise<Answer> => calls.answer({ call: { read, call: CALL, params: {} }, isGone }, within, () => over.push(read));
  return { ask, over, close: () => thread.stop() };
};

/** The answer or the error. */
const outcome = (answer: Promise<Answer>): Promise<unknown> =>
  answer.then(
    ({ body }) => body,
    (error: unknown) => error,
  );

describe('the thread that answers large calls', () => {
  it('is asked only when what was committed is on disk, and not if it cannot be written', async () => {
    let written = () => {};
    const flushing = new Promise<void>((resolve) => {
      written = resolve;
    });
    const asked = open(() => flushing);
    let isAnswered = false;
    const answer = outcome(asked.ask('one')).finally(() => {
      isAnswered = true;
    });
    expect(await outcome(open().ask('another'))).toBe('another');
    expect(isAnswered).toBe(false);
    written();
    expect(await answer).toBe('one');

    const full = new ReadStoreUnavailable('no room');
    const refused = open(() => Promise.reject(full));
    expect(await outcome(refused.ask('one'))).toBe(full);
    expect(refused.over).toEqual(['one']);
  });

  it('answers; when it dies, its calls get 503, and it is started again', async () => {
    const { ask, over } = open();
    expect(await outcome(ask('one'))).toBe('one');
    const waits = outcome(ask('wait'));
    expect(await outcome(ask('die'))).toEqual(errors.unavailable());
    expect(await waits).toEqual(errors.unavailable());
    for (let answer: unknown; answer !== 'again'; ) {
      answer = await outcome(ask('again'));
      if (answer !== 'again') expect(answer).toEqual(errors.unavailable());
    }
    expect(over.slice(0, 3).sort()).toEqual(['die', 'one', 'wait']);
  });

  it('has two calls at a time; one that takes too long gets 503, one whose client goes is given up', async () => {
    const { ask, over } = open();
    let isGone = false;
    const [first, second] = [outcome(ask('wait', { isGone: () => isGone })), outcome(ask('wait', { isGone: () => isGone }))];
    const third = outcome(ask('third'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toEqual([]);
    isGone = true;
    expect(await Promise.all([first, second, third])).toEqual([errors.nobodyWaits(), errors.nobodyWaits(), 'third']);
    expect(await outcome(ask('wait', { within: 5 }))).toEqual(errors.unavailable());
    // The third begins when the first is over. The end of the second may be noticed before or after it.
    expect([over[0], over[3], over.slice(1, 3).sort()]).toEqual(['wait', 'wait', ['third', 'wait']]);
  });

  it('has two long answers at a time until one of them was read or is given up', async () => {
    const { ask, over } = open();
    const bodies = (await Promise.all([ask('long'), ask('long')])).map(({ body }) => body as Readable);
    const third = outcome(ask('third'));
    expect(await Promise.race([third, sleep(200, 'waits')])).toBe('waits');
    expect(await outcome(ask('late', { within: 5 }))).toEqual(errors.unavailable());
    expect(await outcome(ask('gone', { isGone: () => true }))).toEqual(errors.nobodyWaits());
    bodies[0]?.destroy();
    expect(await third).toBe('third');
    expect(over).toEqual(['late', 'gone', 'long', 'third']);
    bodies[1]?.destroy();
  });

  it('that cannot be started keeps no turn and no place, and is started again', async () => {
    const entry = new URL('https://nowhere.example.org/');
    const { ask, over } = open(undefined, entry);
    for (let call = 0; call < 3; call++) expect(await outcome(ask('one'))).toEqual(errors.unavailable());
    expect(over).toEqual(['one', 'one', 'one']);
    entry.href = ENTRY;
    for (let answer: unknown; answer !== 'again'; ) {
      answer = await outcome(ask('again'));
      if (answer !== 'again') expect(answer).toEqual(errors.unavailable());
    }
  });

  it('ends with the server: who waits then gets 503', async () => {
    const { ask, close } = open();
    const waits = outcome(ask('wait'));
    expect(await outcome(ask('one'))).toBe('one');
    await close();
    expect(await waits).toEqual(errors.unavailable());
    expect(await outcome(ask('late'))).toEqual(errors.unavailable());
  });
});
