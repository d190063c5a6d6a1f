import { once } from 'node:events';
import { Readable } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { answersByName, controllerOf, type ReadTable } from '#api/status/reads.js';
import { Work } from '#api/status/work.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { LONGEST_MS } from '#test/support/eventually.js';
import { turns } from '#test/support/turns.js';
import { answerFrom, sendAnswer, sendError } from './answer-port.js';
import { HandedOver, type LargeCall, type SentCall } from './handed-over.js';
import { LargeCallAnswers } from './large-call-answers.js';

const CALLER: LargeCall['call']['call']['caller'] = { kind: 'tenant', actorId: 'a', tenantId: 't', roles: [] };

/** Both ends of a port, and a counter of `done`. */
const ports = () => {
  const { port1: main, port2: thread } = new MessageChannel();
  opened.push(main, thread);
  const over = { times: 0 };
  return { main, thread, over, answer: (withinMs = LONGEST_MS) => answerFrom(main, withinMs, () => over.times++) };
};
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const port of opened.splice(0)) port.close();
});

const textOf = async (answer: Answer): Promise<string> => Buffer.concat(await (answer.body as Readable).toArray()).toString();

describe('the answer of a thread', () => {
  it('comes with its body when that is short, and every error as it was', async () => {
    const short = ports();
    await sendAnswer(short.thread, new Answer(Buffer.from('päge'), { type: 'text/plain', status: 201 }));
    const { body, options } = await short.answer();
    expect([String(body), options]).toEqual(['päge', { type: 'text/plain', status: 201 }]);
    expect(short.over.times).toBe(1);
    const failed = ports();
    sendError(failed.thread, errors.asJson(errors.numericMessage(404, 'none')));
    await expect(failed.answer()).rejects.toEqual(errors.asJson(errors.numericMessage(404, 'none')));
    expect(failed.over.times).toBe(1);
  });

  it('is made no faster than it is taken, and over when all of it was', async () => {
    const { thread, answer, over } = ports();
    let made = 0;
    const body = async function* () {
      for (; made < 100; made++) yield Buffer.alloc(64 * 1024, 48 + (made % 10));
    };
    const sending = sendAnswer(thread, new Answer(Readable.from(body(), { objectMode: false })));
    const taken = await answer();
    await once(taken.body as Readable, 'readable');
    await turns(200);
    expect([made > 0, made < 10, over.times]).toEqual([true, true, 0]);
    const text = await textOf(taken);
    expect([text.length, text.at(0), text.at(-1)]).toEqual([100 * 64 * 1024, '0', '9']);
    await sending;
    expect(over.times).toBe(1);
  });

  it('is given up in the thread when its client goes', async () => {
    const { thread, answer, over } = ports();
    let ended = false;
    const body = async function* () {
      try {
        for (;;) yield Buffer.alloc(64 * 1024);
      } finally {
        ended = true;
      }
    };
    const sending = sendAnswer(thread, new Answer(Readable.from(body(), { objectMode: false })));
    for await (const piece of (await answer()).body as Readable) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    await sending;
    expect([ended, over.times]).toEqual([true, 1]);
  });

  it('is given up when its client goes while the beginning is made', async () => {
    const { main, thread } = ports();
    let ended = false;
    const pieces = async function* () {
      try {
        main.close();
        await once(thread, 'close');
        for (;;) yield [Buffer.alloc(64 * 1024)];
      } finally {
        ended = true;
      }
    };
    const read = async () => new Answer(bodyOfPieces(pieces()));
    const answers = new LargeCallAnswers({} as never, {} as never, new Map([['some', read]]));
    const call: SentCall = { read: 'some', call: { caller: CALLER, format: 'json', query: {} }, params: {} };
    const answered = answers.answer({ port: thread, call });
    await once(thread, 'close');
    await turns(200);
    expect(ended).toBe(true);
    await answered;
  });

  it('is 503 when the thread is gone, or takes too long; a body that breaks off ends in an error', async () => {
    const gone = ports();
    const waits = gone.answer();
    gone.thread.close();
    await expect(waits).rejects.toEqual(errors.unavailable());
    const late = ports();
    await expect(late.answer(5)).rejects.toEqual(errors.unavailable());
    await once(late.thread, 'close');
    const broken = ports();
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('a');
        throw new Error('no more');
      })(),
      { objectMode: false },
    );
    const sending = sendAnswer(broken.thread, new Answer(body));
    await expect(textOf(await broken.answer())).rejects.toThrow('the thread did not finish the answer');
    await sending;
    expect([gone.over.times, late.over.times, broken.over.times]).toEqual([1, 1, 1]);
  });

  it.each([
    ['nothing for too long', 50, 0],
    ['too long', 40, 7],
  ])('ends when its client took %s', async (reason, stepMs, reads) => {
    const { thread, answer, over } = ports();
    const body = Readable.from(
      (async function* () {
        for (;;) yield Buffer.alloc(64 * 1024);
      })(),
      { objectMode: false },
    );
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
    const sending = sendAnswer(thread, new Answer(body));
    const taken = (await answer(50)).body as Readable;
    const closed = once(taken, 'close');
    for (let read = 0; read < reads && !taken.destroyed; read++) {
      taken.read();
      await turns(200);
      jest.advanceTimersByTime(stepMs);
    }
    jest.advanceTimersByTime(stepMs);
    jest.useRealTimers();
    await expect(closed).rejects.toThrow(`the client took ${reason}`);
    await sending;
    expect(over.times).toBe(1);
  });
});

describe('a table of reads', () => {
  it('has large calls answered by the thread, under the names of its reads, and others until their client is gone', async () => {
    const handed: LargeCall[] = [];
    const seen: unknown[] = [];
    const answer: ReadTable['reads'][number]['answer'] = async ({ results, ...others }, call, params) => {
      await results.report('t', 'Critical');
      seen.push([others, call.query, params]);
      throw new HandedOver(async (large) => {
        handed.push(large);
        return new Answer('from elsewhere');
      });
    };
    const failing = () => Promise.reject(errors.unavailable());
    const described = { summary: 'some', answers: {} };
    const table: ReadTable = {
      path: 'some/:path',
      tag: 'status: results',
      options: 'The methods of some',
      reads: [
        { ...described, paths: { '': 'listSome', ':id': 'getSome' }, answer },
        { ...described, paths: { other: 'listOthers' }, answer: failing },
      ],
    };
    const asked: Parameters<Results['report']>[] = [];
    const report: Results['report'] = async (...of) => {
      asked.push(of);
      return undefined;
    };
    const sources = { answers: {}, results: { report } };
    const controller = new (controllerOf(table))(sources);
    let isGone = false;
    const call = { caller: CALLER, format: 'json', query: { a: 'b' }, work: new Work(() => isGone) } as const;
    expect((await controller.listSome(call, { id: '7' })).body).toBe('from elsewhere');
    await expect(controller.listOthers(call, {})).rejects.toEqual(errors.unavailable());
    expect(seen).toEqual([[{ answers: {} }, { a: 'b' }, { id: '7' }]]);
    const [{ call: sent, isGone: seesGone }] = handed as [LargeCall];
    expect(structuredClone(sent)).toEqual({
      read: 'listSome',
      call: { caller: CALLER, format: 'json', query: { a: 'b' } },
      params: { id: '7' },
    });
    expect([...answersByName([table])]).toEqual([
      ['listSome', answer],
      ['listOthers', failing],
    ]);
    isGone = true;
    expect(seesGone()).toBe(true);
    expect(asked.map(([tenantId, name, isGoneToo]) => [tenantId, name, isGoneToo?.()])).toEqual([['t', 'Critical', true]]);
  });
});
