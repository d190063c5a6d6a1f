import { describe, expect, it } from '@jest/globals';
import { TimesOfCalls } from '#api/shared/as-of/time-of-call.js';
import type { LogMoment, LogTimeline } from '#domain/operations/moments.js';

const TIME = '2024-01-15T12:00:00.000Z';
const moment = (index: number, position: bigint): LogMoment => ({ index, position, time: TIME });
/** Chained events at 5 and 9. Events at 6 and 7 are not chained. 10 has not been read yet. */
const MOMENTS = [moment(0, 5n), moment(1, 9n)];
const timeline: LogTimeline = {
  atInstant: async () => MOMENTS[1] ?? null,
  atPosition: async (position) => MOMENTS.findLast((one) => one.position <= position) ?? null,
  reached: async (position) => position <= 9n,
};

it('waits for the whole of an append before it says where it is', async () => {
  const asked: bigint[] = [];
  const growing: LogTimeline = {
    ...timeline,
    atPosition: async () => moment(0, asked.includes(20n) ? 5n : 9n),
    reached: async (position) => {
      asked.push(position);
      return position <= 9n || asked.length > 1;
    },
  };
  const times = new TimesOfCalls(growing, { end: async () => 20n, head: async () => 20n }, () => Date.parse(TIME));
  expect((await times.find({ kind: 'position', position: 9n }, 0)).moment?.position).toBe(5n);
});

describe('a server that shows the event at 5', () => {
  const shown = { moment: MOMENTS[0] ?? null, clock: Date.parse(TIME) };
  const times = new TimesOfCalls(timeline, { end: async () => 20n, head: async () => 20n }, () => Date.parse(TIME), shown);
  const find = (position: bigint) => times.find({ kind: 'position', position }, 0);

  it.each([5n, 6n, 8n])('shows it as of %d, too', async (position) => expect((await find(position)).moment?.position).toBe(5n));
  it('shows what was before', async () => expect((await find(4n)).moment).toBeNull());
  it('answers 503 for an earlier instant once the index is lost', async () => {
    const lost: LogTimeline = { ...timeline, atInstant: async () => null, reached: async () => false };
    const after = new TimesOfCalls(lost, { end: async () => 20n, head: async () => 20n }, () => Date.parse(TIME), shown);
    await expect(after.find({ kind: 'instant', milliseconds: Date.parse(TIME) - 1 }, 0)).rejects.toMatchObject({ statusCode: 503 });
  });
  it.each([9n, 10n, 30n])('refuses %d as later', async (position) => {
    await expect(find(position)).rejects.toThrow('Logbook-As-Of is later than the point in time that this server shows');
  });
});
