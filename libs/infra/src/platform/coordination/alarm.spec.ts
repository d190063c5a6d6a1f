import { describe, expect, it } from '@jest/globals';
import { Alarm } from './alarm.js';

const LONG = 1_000_000;
const never = new AbortController().signal;

describe('an alarm', () => {
  it('ends the pause under way', async () => {
    const alarm = new Alarm();
    const pause = alarm.pause(LONG, never);
    alarm.ring();
    await pause;
  });

  it('that rings between two pauses ends the next one, and only that', async () => {
    const alarm = new Alarm();
    alarm.ring();
    alarm.ring();
    await alarm.pause(LONG, never);
    const second = alarm.pause(LONG, never).then(() => 'over');
    expect(await Promise.race([second, new Promise((resolve) => setImmediate(resolve, 'pausing'))])).toBe('pausing');
    alarm.ring();
    expect(await second).toBe('over');
  });

  it('lets a pause end by itself', () => new Alarm().pause(1, never));

  it('rejects on the signal', async () => {
    const abort = new AbortController();
    const pause = new Alarm().pause(LONG, abort.signal);
    abort.abort();
    await expect(pause).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await expect(new Alarm().pause(LONG, abort.signal)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});
