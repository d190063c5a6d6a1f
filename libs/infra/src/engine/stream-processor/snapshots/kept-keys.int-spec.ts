import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cardIndex } from '#test/support/projections/card-index.js';
import { contextAt } from '#test/support/projections/guest-list.js';
import { CARDS, SnapshotLab, snapshotStores } from '#test/support/projections/snapshot-lab.js';

/** States are saved after a thousand. */
const EVENTS = 2_250;
/** The state depends on the last event only; of older events only the keys are needed. */
const decider = { ...cardIndex(), window: 1 };

describe.each(snapshotStores)('idempotency keys of a long stream of $log in $documents', (kinds) => {
  let lab: SnapshotLab;
  beforeEach(async () => {
    lab = await SnapshotLab.open(kinds);
  });
  afterEach(() => lab.close());

  const start = () => lab.start({ decider });
  /** Counts to the last of them, each time with its own key if `keyed`. */
  const given = async ({ keyed = true } = {}) => {
    const process = await start();
    for (let n = 0; n < EVENTS; n += 250)
      await Promise.all(
        Array.from({ length: 250 }, (_, m) => process.send({ type: 'Count', times: 1 }, keyed ? `key ${n + m}` : undefined)),
      );
    await process.settled();
    return process;
  };

  it('are known to a process that starts, which does not read the events of 48 hours', async () => {
    const { processor, send } = await given();
    const first = await send({ type: 'Count', times: 1 }, 'key 17');
    expect(first).toMatchObject({ repeated: true, events: [{ revision: 17n, data: { total: 18 } }] });
    await processor.close();
    const next = await start();
    expect(await next.send({ type: 'Count', times: 1 }, 'key 17')).toEqual(first);
    for (const key of ['key 0', 'key 1234', `key ${EVENTS - 1}`]) expect(await next.ask({ type: 'Count', times: 5 }, key)).toBe('repeated');
    expect(next.counting.read).toBeLessThan(1_800);
    expect(await next.ask({ type: 'Count', times: 1 }, 'key 17', 'another body')).toBe('IdempotencyKeyReused');
    expect(await next.ask({ type: 'Count', times: 1 }, 'new')).toBe(1);
    expect(await lab.total()).toBe(EVENTS + 1);
  });

  it('are known to have been none where no command had one', async () => {
    await given({ keyed: false });
    const { ask, counting } = await start();
    expect(await ask({ type: 'Count', times: 1 }, 'new')).toBe(1);
    expect(await ask({ type: 'Count', times: 1 }, 'new')).toBe('repeated');
    expect(counting.read).toBeLessThan(1_800);
  });

  it('are looked for in the events if a part of what is kept is lost, also while it is used', async () => {
    const { ask: askThere } = await given();
    const { ask } = await start();
    expect(await ask({ type: 'Count', times: 1 }, 'key 5')).toBe('repeated');
    await lab.change({ kind: 'delete-prefix', collection: 'uses', prefix: '' });
    for (const each of [ask, askThere, (await start()).ask]) expect(await each({ type: 'Count', times: 1 }, 'key 6')).toBe('repeated');
    await lab.change({ kind: 'delete-prefix', collection: 'keys', prefix: '' });
    for (const each of [ask, askThere, (await start()).ask]) expect(await each({ type: 'Count', times: 1 }, 'key 7')).toBe('repeated');
    expect(await lab.total()).toBe(EVENTS);
  });

  it('are kept again once they were looked for in the events, though few commands have come since', async () => {
    await given();
    for (const collection of ['keys', 'uses']) await lab.change({ kind: 'delete-prefix', collection, prefix: '' });
    const first = await start();
    expect(await first.ask({ type: 'Count', times: 1 }, 'key 17')).toBe('repeated');
    expect(first.counting.read).toBeGreaterThan(EVENTS);
    await first.settled();
    const next = await start();
    expect(await next.ask({ type: 'Count', times: 1 }, 'key 17')).toBe('repeated');
    expect(next.counting.read).toBeLessThan(1_800);
  });

  it('are known to processes that write in turns', async () => {
    const one = await given();
    const other = await start();
    for (let round = 0; round < 2; round += 1)
      for (const [name, { send, settled }] of Object.entries({ one, other })) {
        await Promise.all(Array.from({ length: 300 }, (_, n) => send({ type: 'Count', times: 1 }, `${name} ${round} ${n}`)));
        await settled();
      }
    for (const { ask } of [one, other, await start()])
      for (const key of ['key 1', 'one 0 0', 'other 0 299', 'one 1 0', 'other 1 299'])
        expect(await ask({ type: 'Count', times: 1 }, key)).toBe('repeated');
    expect(await lab.total()).toBe(EVENTS + 1_200);
  });

  it('are forgotten when 48 hours have passed', async () => {
    const { send } = await given();
    const late = '2024-05-03T12:00:00.001Z';
    expect(await send({ type: 'Count', times: 1 }, 'key 17', 'body', late)).toMatchObject({ repeated: false });
    const next = await start();
    expect(await next.send({ type: 'Count', times: 1 }, 'key 17', 'body', late)).toMatchObject({ repeated: true });
    expect(await next.send({ type: 'Count', times: 1 }, 'key 18', 'body', late)).toMatchObject({ repeated: false });
  });

  it('are removed when their stream ends', async () => {
    const { processor, settled } = await given();
    processor.forget('test.cards-2', CARDS);
    await settled();
    for (const collection of ['keys', 'uses']) expect(await lab.documentsOf(collection)).toEqual([]);
  });

  it('of a stream that nobody writes to any more are removed once 48 hours have passed', async () => {
    await given();
    const late = '2024-05-03T12:00:00.001Z';
    const { processor, settled } = await lab.start({ decider, now: late });
    const count = (n: number) => ({
      decider,
      command: { type: 'Count', times: 1 } as const,
      context: contextAt(late, { key: `key ${n}`, body: 'b' }),
    });
    await Promise.all(Array.from({ length: 1_100 }, (_, n) => processor.execute({ stream: 'test.cards-2', ...count(n) })));
    await settled();
    const heads = (await lab.documentsOf('keys')).filter(({ key }) => key.endsWith('/'));
    expect(heads.map(({ value }) => JSON.parse(`${value}`).stream)).toEqual(['test.cards-2']);
    expect(await lab.documentsOf('uses')).toHaveLength(1);
  });
});
