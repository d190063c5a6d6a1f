import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FaultyEventStore } from '#test/support/event-stores/faulty-event-store.js';
import { contextAt, guestCodec, guestList, openTestLog, readAllOf, type TestLog } from '#test/support/projections/guest-list.js';
import { IdempotencyKeyReused } from './execution.js';
import { StreamProcessor } from './stream-processor.js';
import { UsedKeys } from './used-keys.js';

const stream = 'test.guests-idempotent';
const NOON = '2024-05-01T12:00:00.000Z';
let log: TestLog;
let store: FaultyEventStore;
let processor: StreamProcessor;

beforeEach(async () => {
  log = await openTestLog();
  store = new FaultyEventStore(log.store);
  processor = new StreamProcessor(store, log.codec);
});
afterEach(() => log.close());

const counted = (on: StreamProcessor, key: string, { times = 2, body = 'same', time = NOON } = {}) =>
  on.execute({ stream, decider: guestList, command: { type: 'Count', times }, context: contextAt(time, { key, body }) });
const totals = async (): Promise<readonly unknown[]> => (await readAllOf(log.store, stream)).map(({ data }) => data.total);

it('a repeated command gets the first result and appends nothing: in memory, after a restart, and on another node', async () => {
  await counted(processor, 'other');
  const first = await counted(processor, 'k');
  await counted(processor, 'later');
  expect(first).toMatchObject({ repeated: false, events: [{ revision: 2n }, { revision: 3n }] });
  const restarted = new StreamProcessor(store, await guestCodec(store, log.masterKey));
  const elsewhere = await openTestLog(log);
  for (const node of [processor, restarted, new StreamProcessor(elsewhere.store, elsewhere.codec)]) {
    const again = await counted(node, 'k', { times: 7 });
    expect(again.repeated).toBe(true);
    expect(again.position).toBe(first.position);
    expect(again.events).toMatchObject(first.events);
  }
  expect(await totals()).toEqual([1, 2, 3, 4, 5, 6]);
  await elsewhere.close();
});

it('a node that has not seen the first one finds it when its append is refused, or when it decides that there is nothing to do', async () => {
  const elsewhere = await openTestLog(log);
  const other = new StreamProcessor(elsewhere.store, elsewhere.codec);
  await counted(other, 'warm');
  await counted(processor, 'k');
  await counted(processor, 'l');
  expect(await counted(other, 'k')).toMatchObject({ repeated: true, events: [{ revision: 2n }, { revision: 3n }] });
  await expect(counted(other, 'l', { body: 'other' })).rejects.toThrow(IdempotencyKeyReused);
  await counted(processor, 'm');
  expect(await counted(other, 'm', { times: 0 })).toMatchObject({ repeated: true, events: [{ revision: 6n }, { revision: 7n }] });
  expect(await totals()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await elsewhere.close();
});

it('a command is not done again by a release that cannot fold its events', async () => {
  await counted(processor, 'k');
  const older = {
    ...guestList,
    evolve: () => {
      throw new Error('unknown to this release');
    },
  };
  const elsewhere = await openTestLog(log);
  const command = {
    stream,
    decider: older,
    command: { type: 'Count', times: 2 },
    context: contextAt(NOON, { key: 'k', body: 'same' }),
  } as const;
  expect(await new StreamProcessor(elsewhere.store, elsewhere.codec).execute(command)).toMatchObject({ repeated: true });
  expect(await totals()).toEqual([1, 2]);
  await elsewhere.close();
});

it('the second of two simultaneous commands with one key gets the result of the first, even if the append has to be repeated', async () => {
  store.appendFaults.push('lost');
  const [first, second, other] = await Promise.all([counted(processor, 'k'), counted(processor, 'k'), counted(processor, 'l')]);
  expect(second).toEqual({ ...first, repeated: true });
  expect(other.events).toMatchObject([{ revision: 2n }, { revision: 3n }]);
  expect(await totals()).toEqual([1, 2, 3, 4]);
});

it('another body with the same key is refused, while the first waits and later', async () => {
  const [first, clash] = await Promise.allSettled([counted(processor, 'k'), counted(processor, 'k', { body: 'other' })]);
  expect([first, clash]).toMatchObject([{ status: 'fulfilled' }, { reason: { name: 'IdempotencyKeyReused' } }]);
  await expect(counted(processor, 'k', { body: 'other' })).rejects.toThrow(IdempotencyKeyReused);
  expect(await totals()).toEqual([1, 2]);
});

it('a command that wrote nothing is decided again when it is repeated', async () => {
  expect(await counted(processor, 'k', { times: 0 })).toMatchObject({ repeated: false, events: [] });
  expect(await counted(processor, 'k')).toMatchObject({ repeated: false, events: [{ revision: 0n }, { revision: 1n }] });
});

it('a command that wrote nothing is not decided again if its decider keeps such keys', async () => {
  const keeping = { ...guestList, keepsKeys: true } as const;
  const count = (key: string, times: number, body = 'same') =>
    processor.execute({ stream, decider: keeping, command: { type: 'Count', times }, context: contextAt(NOON, { key, body }) });
  await count('other', 1);
  const [, second] = await Promise.all([count('k', 0), count('k', 1)]);
  expect(second).toMatchObject({ repeated: true, events: [] });
  await count('later', 1);
  expect(await count('k', 1)).toMatchObject({ repeated: true, events: [] });
  await expect(count('k', 1, 'other')).rejects.toThrow(IdempotencyKeyReused);
  expect(await totals()).toEqual([1, 2]);
});

it('an earlier use of a key is found without a command', async () => {
  const find = (on: StreamProcessor, key: string) =>
    on.repeated({ stream, decider: guestList, command: { type: 'Count', times: 1 }, context: contextAt(NOON, { key, body: 'same' }) });
  expect(await find(processor, 'k')).toBeUndefined();
  const first = await counted(processor, 'k');
  for (const node of [processor, new StreamProcessor(store, log.codec)])
    expect(await find(node, 'k')).toEqual({
      ...first,
      events: expect.arrayContaining([expect.objectContaining({ revision: 0n })]),
      repeated: true,
    });
  expect(await find(processor, 'l')).toBeUndefined();
  expect(await totals()).toEqual([1, 2]);
});

it('a key is new again after 48 hours, and so are its events', async () => {
  await counted(processor, 'k');
  expect(await counted(processor, 'k', { time: '2024-05-03T12:00:00.000Z' })).toMatchObject({ repeated: true });
  const late = await counted(processor, 'k', { time: '2024-05-03T12:00:00.001Z' });
  expect(late).toMatchObject({ repeated: false, events: [{ revision: 2n }, { revision: 3n }] });
  const again = await counted(processor, 'k', { time: '2024-05-04T12:00:00.000Z' });
  expect(again).toMatchObject({ repeated: true, events: [{ revision: 2n }, { revision: 3n }] });
  expect(await totals()).toEqual([1, 2, 3, 4]);
});

it('a repeated command whose events have left the stream gets what is left of them', async () => {
  const first = await counted(processor, 'k');
  await log.store.truncate(stream, 1n);
  expect(await counted(processor, 'k')).toMatchObject({ repeated: true, events: [{ revision: 1n }], position: first.position });
  await log.store.truncate(stream, 2n);
  expect(await counted(processor, 'k')).toEqual({ repeated: true, events: [], position: first.position });
});

it('keys of commands that wrote nothing stay in memory when others are stored, and are forgotten like them', () => {
  const keys = new UsedKeys();
  const time = Date.parse(NOON);
  keys.learn('unchanged', { body: 'b', first: 0n, count: 0, time });
  keys.dropUpTo(9n);
  expect(keys.has('unchanged')).toBe(true);
  keys.learn('later', { body: 'b', first: 0n, count: 0, time: time + 49 * 3_600_000 });
  expect(keys.has('unchanged')).toBe(false);
});

it('keys of commands that wrote nothing do not displace those of events', () => {
  const keys = new UsedKeys();
  keys.remember({ revision: 0n, metadata: { ...contextAt(NOON, { key: 'k', body: 'b' }), schemaVersion: 1 } });
  for (let n = 0; n < 200_000; n++) keys.learn(`unchanged ${n}`, { body: 'b', first: 1n, count: 0, time: Date.parse(NOON) });
  expect(['k', 'unchanged 0', 'unchanged 1'].map((key) => keys.has(key))).toEqual([true, false, true]);
});

it('keys are forgotten when 48 hours have passed, so that memory does not grow with history', () => {
  const keys = new UsedKeys();
  const start = Date.parse(NOON);
  for (let hour = 0n; hour < 500n; hour++) {
    const time = new Date(start + Number(hour) * 3_600_000).toISOString();
    keys.remember({ revision: hour, metadata: { ...contextAt(time, { key: `k${hour}`, body: 'b' }), schemaVersion: 1 } });
  }
  expect(keys.size).toBe(49);
});
