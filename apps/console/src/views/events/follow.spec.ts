import { describe, expect, it } from '@jest/globals';
import { type Ask, newerThan, newestPosition } from './follow.js';
import type { EventItem } from './rows.js';

const LOOKED_AT = 20_000;

const event = (at: number): EventItem => ({
  index: at,
  position: `${at}`,
  stream: 's-1',
  revision: at,
  id: `${at}`,
  type: 'T',
  time: '2026-03-01T00:00:00.000Z',
  actor: { kind: 'key', id: 'k', name: null },
  data: {},
  hash: '',
});

/** A log of events at the positions from 1 on, of which a filter without an index passes some. Notes from where pages were asked for. */
const logOf = (passing: readonly number[]) => {
  const log = { head: 0, asked: [] as string[] };
  const ask: Ask = async ({ order, limit, after = '0' }) => {
    if (order === 'desc') return { items: log.head === 0 ? [] : [event(log.head)], next: null };
    log.asked.push(`${after}`);
    const from = Number(after);
    const end = Math.min(log.head, from + LOOKED_AT);
    const items = passing.filter((at) => at > from && at <= end).slice(0, Number(limit));
    const last = items.length === limit ? (items.at(-1) ?? end) : end;
    return { items: items.map(event), next: last < log.head ? `${last}` : null };
  };
  return { log, ask };
};

describe('Following a search', () => {
  it('looks at no event twice, though its filter seldom passes one', async () => {
    const { log, ask } = logOf([70_000, 70_002]);
    log.head = 70_001;
    const first = await newerThan('5', { service: 'ops' }, ask);
    expect([first?.items.map(({ index }) => index), first?.newer]).toEqual([[70_000], '70001']);
    expect(log.asked).toEqual(['5', '20005', '40005', '60005']);
    expect(await newerThan('70001', {}, ask)).toEqual({ items: [], newer: '70001' });
    expect(log.asked.length).toBe(4);
    log.head = 70_003;
    const second = await newerThan('70001', {}, ask);
    expect([second?.items.map(({ index }) => index), second?.newer]).toEqual([[70_002], '70003']);
  });

  it('goes on where a look ended that had too much to look at', async () => {
    const { log, ask } = logOf([]);
    log.head = 300_000;
    expect((await newerThan('0', {}, ask))?.newer).toBe('200000');
    expect((await newerThan('200000', {}, ask))?.newer).toBe('300000');
  });

  it('shows newest first, and gives up where more comes than anybody reads', async () => {
    const { log, ask } = logOf(Array.from({ length: 1_000 }, (_, at) => at + 1));
    log.head = 200;
    expect((await newerThan('190', {}, ask))?.items.map(({ index }) => index)).toEqual([200, 199, 198, 197, 196, 195, 194, 193, 192, 191]);
    log.head = 1_000;
    expect(await newerThan('190', {}, ask)).toBeNull();
  });

  it('compares positions by their length first', async () => {
    const { log, ask } = logOf([10]);
    log.head = 10;
    expect((await newerThan('9', {}, ask))?.items.length).toBe(1);
    expect(await newestPosition(logOf([]).ask)).toBe('0');
  });
});
