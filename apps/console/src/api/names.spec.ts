import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { batchesOf, forgetNames, nameKnown, onNames, wantNames } from './names.js';

afterEach(() => void jest.restoreAllMocks());

it('asks for names in calls whose request line every proxy takes', () => {
  const short = Array.from({ length: 150 }, (_, at) => `ops.key:${at}`);
  const long = Array.from({ length: 60 }, (_, at) => `actor:${'e'.repeat(64)}@egi.eu@https://aai.example.org/auth/realms/egi/${at}`);
  const batches = batchesOf([...short, ...long]);
  expect(batches.flat()).toEqual([...short, ...long]);
  for (const batch of batches) {
    expect(batch.length).toBeLessThanOrEqual(100);
    expect(batch.map((record) => `&record=${encodeURIComponent(record)}`).join('').length).toBeLessThanOrEqual(4_100);
  }
});

it('asks for names although the id of one record is no whole text', async () => {
  const [half, key] = [{ kind: 'actor', id: '\ud800' } as const, { kind: 'ops.key', id: '1' } as const];
  const items = [
    { ...half, id: '\ufffd', name: null },
    { ...key, name: 'Ada' },
  ];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ items }));
  const told = new Promise<void>((resolve) => onNames(resolve));
  wantNames([half, key]);
  await told;
  expect(nameKnown(key)?.name?.name).toBe('Ada');
  expect(nameKnown(half)?.name).toBeUndefined();
  expect(nameKnown(half)).toBeDefined();
});

describe('a name', () => {
  const key = { kind: 'ops.key', id: '2' } as const;
  /** Asks again whenever it may, as a page does. @returns until nobody shows it any more */
  const shown = () => {
    wantNames([key]);
    return onNames(() => wantNames([key]));
  };
  const answer = (name: string): Response => Response.json({ items: [{ ...key, name }] });
  let hide = (): unknown => undefined;

  beforeEach(() => {
    jest.useFakeTimers();
    forgetNames();
  });
  afterEach(() => {
    hide();
    jest.useRealTimers();
  });

  it('that could not be asked for is asked for again after five seconds, as long as somebody shows it', async () => {
    const fetched = jest.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Failed to fetch'));
    fetched.mockImplementation(async () => answer('Ada'));
    hide = shown();
    await jest.advanceTimersByTimeAsync(4_999);
    expect([nameKnown(key)?.name, fetched.mock.calls.length]).toEqual([undefined, 1]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect([nameKnown(key)?.name?.name, fetched.mock.calls.length]).toEqual(['Ada', 2]);
  });

  it('is asked for again once names are forgotten, and one that was asked for before does not come any more', async () => {
    let late = (_: Response): void => undefined;
    const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => answer('Ada'));
    hide = shown();
    await jest.advanceTimersByTimeAsync(1);
    expect(nameKnown(key)?.name?.name).toBe('Ada');
    fetched.mockImplementationOnce(() => {
      return new Promise((resolve) => {
        late = resolve;
      });
    });
    forgetNames();
    await jest.advanceTimersByTimeAsync(1);
    expect(nameKnown(key)).toBeUndefined();
    fetched.mockImplementation(async () => answer('erased user'));
    forgetNames();
    await jest.advanceTimersByTimeAsync(1);
    late(answer('Ada'));
    await jest.advanceTimersByTimeAsync(1);
    expect(nameKnown(key)?.name?.name).toBe('erased user');
  });
});
