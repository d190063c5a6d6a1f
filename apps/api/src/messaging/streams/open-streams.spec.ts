import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LIMITS } from '#api/messaging/limits.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { OpenStreams } from './open-streams.js';

/** An answer that is being sent. */
class Reply extends EventEmitter {
  shouldKeepAlive = true;
  destroyed = false;
  writableLength = 1;

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const opening = () => {
  const streams = new OpenStreams(new Telemetry(), true);
  const open = () => {
    const reply = new Reply();
    return { reply, taken: streams.open('p', reply) };
  };
  return { streams, open };
};

describe('A stream that is open', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is cut off when the client takes nothing for a minute', () => {
    const { reply, taken } = opening().open();
    jest.advanceTimersByTime(50_000);
    taken();
    jest.advanceTimersByTime(59_000);
    expect(reply.destroyed).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect(reply.destroyed).toBe(true);
  });

  it('stays open while it has nothing for its client, as without memory for the next message', () => {
    const { reply } = opening().open();
    reply.writableLength = 0;
    jest.advanceTimersByTime(300_000);
    expect(reply.destroyed).toBe(false);
    reply.writableLength = 1;
    jest.advanceTimersByTime(60_000);
    expect(reply.destroyed).toBe(true);
  });

  it('holds up a server that ends for seconds only, whatever the client takes', () => {
    const { streams, open } = opening();
    const [slow, ended] = [open(), open()];
    streams.onModuleDestroy();
    expect(streams.ended.aborted).toBe(true);
    ended.reply.emit('close');
    jest.advanceTimersByTime(2_900);
    slow.taken();
    expect(slow.reply.destroyed).toBe(false);
    jest.advanceTimersByTime(100);
    expect([slow.reply.destroyed, ended.reply.destroyed]).toEqual([true, false]);
  });

  it('counts among those of its project until its connection closes', () => {
    const { open } = opening();
    const all = Array.from({ length: LIMITS.streamsPerProject.value }, open);
    expect(open).toThrow('A project has at most 2,000 streams');
    all[0]?.reply.emit('close');
    expect(open().reply.shouldKeepAlive).toBe(false);
    expect(open).toThrow('A project has at most');
  });
});
