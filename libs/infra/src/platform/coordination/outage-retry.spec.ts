import { describe, expect, it } from '@jest/globals';
import { DamagedLog } from '#domain/shared/damaged-log.js';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { StepRefused } from '#infra/platform/program/outage.js';
import { NamespaceGone } from '#projections/shared/read-store.js';
import { OutageRetry } from './outage-retry.js';

const newRetry = () => {
  const attempts: number[] = [];
  const abort = new AbortController();
  const retry = new OutageRetry({ firstRetryMs: 1, longestRetryMs: 2 }, abort.signal, (_error, attempt) => attempts.push(attempt));
  return { retry, attempts, abort };
};

const failing = (failures: number, error: () => Error) => {
  let left = failures;
  return async (): Promise<string> => {
    if (left-- > 0) throw error();
    return 'done';
  };
};

describe('an outage retry', () => {
  it('repeats an operation until the store answers, and counts the failures of each outage from 1', async () => {
    const { retry, attempts } = newRetry();
    const outage = () => new EventStoreUnavailable('not now');
    expect(await retry.retryUntilAvailable(failing(3, outage))).toBe('done');
    expect(await retry.retryUntilAvailable(failing(1, outage))).toBe('done');
    expect(attempts).toEqual([1, 2, 3, 1]);
    expect(retry.waiting).toBe(false);
  });

  it.each([
    ['a namespace that is gone', () => new NamespaceGone('gone')],
    ['a step that is refused', () => new StepRefused(new Error('why'))],
    ['a damaged log, which waiting does not mend', () => new DamagedLog('position 7')],
  ])('does not wait for %s', async (_what, error) => {
    const { retry, attempts } = newRetry();
    await expect(retry.retryUntilAvailable(failing(1, error))).rejects.toThrow(error());
    expect(attempts).toEqual([]);
  });

  it('ends with an AbortError on the signal', async () => {
    const { retry, abort } = newRetry();
    const ended = retry.retryUntilAvailable(failing(Number.POSITIVE_INFINITY, () => new EventStoreUnavailable('not now')));
    abort.abort();
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
  });
});
