import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { CommitWatch } from './commit-watch.js';
import { textOfBuild } from './namespaces.js';

const INTERVAL_MS = 25;
const textAt = (checkpoint: bigint): string =>
  textOfBuild({ generation: 1, version: 1, checkpoint, origin: null, marks: '', commits: 0, keeper: '' });

let transaction: number;
const attend = jest.fn((_projection: string) => false);
const servedText = jest.fn((_projection: string): string | undefined => textAt(1n));
const listener = jest.fn();
let watch: CommitWatch;
const intervals = async (count: number): Promise<number> => {
  attend.mockClear();
  await jest.advanceTimersByTimeAsync(count * INTERVAL_MS);
  return attend.mock.calls.length;
};

beforeEach(async () => {
  jest.useFakeTimers();
  transaction = 1;
  jest.resetAllMocks();
  attend.mockReturnValue(false);
  servedText.mockReturnValue(textAt(1n));
  watch = new CommitWatch({ attend, pending: { servedText } }, () => transaction);
  watch.listen('one', listener);
  expect(await intervals(3)).toBe(1);
});
afterEach(() => {
  watch.close();
  jest.useRealTimers();
});

it('looks at the records again after a transaction of any process, once', async () => {
  servedText.mockReturnValue(textAt(2n));
  expect(await intervals(2)).toBe(0);
  transaction = 2;
  expect(await intervals(2)).toBe(1);
  expect(listener.mock.calls).toEqual([[2n, '']]);
});

it('goes on looking while another process waits for what is in memory here', async () => {
  transaction = 2;
  attend.mockReturnValueOnce(true).mockReturnValueOnce(true);
  expect(await intervals(5)).toBe(3);
});

it('goes on looking until the records can be read', async () => {
  transaction = 2;
  servedText.mockImplementationOnce(() => {
    throw new Error('not now');
  });
  expect(await intervals(4)).toBe(2);
});

it('looks at what has got a listener since', async () => {
  watch.listen('two', listener);
  expect(await intervals(1)).toBe(2);
});
