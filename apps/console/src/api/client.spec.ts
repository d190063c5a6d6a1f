import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { call, SESSION, send } from './client.js';

describe('a write', () => {
  const keys: (string | null)[] = [];
  /** Sends it; without `status` its answer is lost. */
  const sent = async (path: string, status?: number): Promise<string | null | undefined> => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (_, { headers } = {}) => {
      keys.push(new Headers(headers).get('idempotency-key'));
      if (status === undefined) throw new TypeError('Failed to fetch');
      return Response.json({}, { status });
    });
    await send('POST', path).catch(() => undefined);
    return keys.at(-1);
  };

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    Object.assign(globalThis, { dispatchEvent: () => true });
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    Reflect.deleteProperty(globalThis, 'dispatchEvent');
  });

  it('is a repeat until five minutes after the last one without an answer', async () => {
    const key = await sent('/slow');
    jest.setSystemTime(299_000);
    expect(await sent('/slow')).toBe(key);
    jest.setSystemTime(598_000);
    expect(await sent('/slow', 503)).toBe(key);
    jest.setSystemTime(898_001);
    const next = await sent('/slow', 200);
    expect(next).not.toBe(key);
    expect(await sent('/slow')).not.toBe(next);
  });

  it.each([
    [401, true],
    [408, true],
    [429, true],
    [400, false],
    [409, false],
  ])('that was refused with %s after a lost answer has the same key the next time: %s', async (status, isSame) => {
    const path = `/refused/${status}`;
    const key = await sent(path);
    expect(await sent(path, status)).toBe(key);
    if (status === 401) {
      jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({}));
      await call(SESSION, { method: 'POST' });
    }
    expect((await sent(path, 200)) === key).toBe(isSame);
  });
});
