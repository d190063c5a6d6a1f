import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { MessagingCall } from '#api/messaging/parameters.js';
import { type AnswerReservation, AnswerRoom } from '#api/shared/answers/answer-room.js';
import { scanned } from '#api/shared/bodies/body-shape.js';
import { messageSample, SOME_CONTEXT, subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { PullController } from './pull.controller.js';

const MIB = 1024 * 1024;

/** The connection of a pull of messages of 16 MiB that are ready, and of whose answer its client takes little. */
const answering = async (ackMode: 'cursor' | 'message') => {
  const answers = new AnswerRoom();
  const opened = jest.spyOn(answers, 'open');
  const pulled = { messages: [{ ...messageSample(0), text: '', size: 16 * MIB }], readable: true, seeks: 0 };
  const read = async () => {
    const [reservation] = opened.mock.results.map(({ value }) => value as AnswerReservation);
    reservation?.hold(16 * MIB);
    return pulled;
  };
  const connection = { socket: { destroyed: false }, destroyed: false, writableEnded: true };
  const raw = Object.assign(new EventEmitter(), connection, {
    destroy: () => {
      raw.destroyed = true;
      raw.emit('close');
    },
  });
  const project = { projectId: 'p', name: 'P' };
  const body = scanned(Buffer.from('{}'));
  const call = { context: SOME_CONTEXT, project, body, request: {}, reply: { raw, server: { answers }, request: { sharedBy: 'caller' } } };
  const admit = async () => subscriptionSample({}, { options: { ackMode } });
  const controller = new PullController(
    ...([
      { execute: read },
      {},
      { admit },
      { wire: () => ({}) },
      { pull: read },
      { renamed: async () => project },
    ] as unknown as ConstructorParameters<typeof PullController>),
  );
  await controller.pull(call as unknown as MessagingCall, { subscription: 's' });
  return { answers, raw };
};

describe.each(['cursor', 'message'] as const)('The answer to a pull with ackMode %s', (ackMode) => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  it('keeps its memory for ten minutes at most', async () => {
    const { answers, raw } = await answering(ackMode);
    jest.advanceTimersByTime(599_999);
    expect([raw.destroyed, answers.taken]).toEqual([false, 16 * MIB]);
    jest.advanceTimersByTime(1);
    expect([raw.destroyed, answers.taken]).toEqual([true, 0]);
  });

  it('leaves the connection open once it is taken', async () => {
    const { answers, raw } = await answering(ackMode);
    raw.emit('close');
    jest.advanceTimersByTime(600_000);
    expect([raw.destroyed, answers.taken]).toEqual([false, 0]);
  });
});
