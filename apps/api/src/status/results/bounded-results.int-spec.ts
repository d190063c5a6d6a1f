import { afterEach, describe, expect, it } from '@jest/globals';
import { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { HandedOver, type LargeCall } from '#api/status/large-calls/handed-over.js';
import { Work } from '#api/status/work.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import type { DaySpan, Results } from '#projections/status/results/report-reader.js';
import { Cleanup } from '#test/support/cleanup.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { collected, labEvents, openResultsLab, TENANT } from '#test/support/status/results-lab.js';
import { NOW, world } from '#test/support/status/results-world.js';
import { BoundedResults, type ReadBounds } from './bounded-results.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const { groups, endpoints, point } = labEvents;
const CALL: LargeCall['call']['call'] = {
  caller: { kind: 'tenant', actorId: 'a', tenantId: TENANT, roles: [] },
  format: 'json',
  query: {},
};
const SPAN: DaySpan = { from: '2024-03-01', to: '2024-03-31' };

/** A report with results from the sixth to the tenth of March, whose lists change on the ninth. `read`: the days that were read. `untilWaiting`: so many
 * large calls wait for their turn. */
const open = async (bounds: ReadBounds) => {
  const turns = new Turnstile(1);
  const lab = await openResultsLab(NOW);
  cleanup.defer(() => lab.close());
  await lab.append(
    ...world(point('2024-03-06T06:00:00Z', 'OK')),
    groups('2024-03-05', ['EU', 'SITE-A'], ['EU', 'SITE-B']),
    endpoints('2024-03-05', ['SITE-A', 'CE', 'h1'], ['SITE-A', 'CE', 'h2'], ['SITE-B', 'CE', 'h3']),
    groups('2024-03-09', ['EU', 'SITE-A']),
    endpoints('2024-03-09', ['SITE-A', 'CE', 'h1'], ['SITE-A', 'other', 'h1']),
  );
  const read: string[] = [];
  const inner: Results = {
    report: async () => {
      const reader = await lab.reader();
      return Object.create(reader, {
        details: {
          value: async function* (span: DaySpan) {
            for await (const day of reader.details(span)) {
              read.push(day.day);
              yield day;
            }
          },
        },
      });
    },
  };
  const results = new BoundedResults(inner, bounds, turns);
  const reader = async () => (await results.report(TENANT, 'Critical'))!;
  const untilWaiting = (calls: number) => until(() => turns.waiting(TENANT) === calls);
  return { reader, read, results, turns, untilWaiting };
};

/** Three endpoints on three days, two on two. */
const ITEMS = 3 * 3 + 2 * 2;

describe('what a call reads of results', () => {
  it('counts as what is listed on the days that may have results', async () => {
    const reader = await (await open({ most: 1_000 })).reader();
    expect(await reader.itemDays(SPAN, 'endpoints')).toBe(ITEMS);
    expect(await reader.itemDays(SPAN, 'groups')).toBe(3 * 2 + 2 * 1);
    expect(await reader.itemDays({ from: '2024-03-08', to: '2024-03-09' }, 'endpoints')).toBe(3 + 2);
    expect(await reader.itemDays({ from: '2024-03-11', to: '2024-03-12' }, 'endpoints')).toBe(0);
    expect(await reader.itemDays({ from: '2024-03-09', to: '2024-03-08' }, 'endpoints')).toBe(0);
  });

  it('is refused before a day is read when it is too much', async () => {
    const { reader, read } = await open({ most: ITEMS - 1 });
    const report = await reader();
    const text = 'The answer would be computed from more than 12 items, counted for each day: ask for fewer days';
    for (const days of [report.details(SPAN), report.details(SPAN, 'SITE-A'), report.metrics(SPAN, {})])
      await expect(collected<unknown>(days)).rejects.toMatchObject({ code: 'OVER_LIMIT', details: { text } });
    expect(read).toEqual([]);
    expect(await collected(report.days(SPAN))).toHaveLength(5);
    expect(await collected(report.details({ from: '2024-03-07', to: '2024-03-31' }))).toHaveLength(4);
  });

  it('comes for one large call of a tenant at a time, and for the next when that ends, however it does; few wait', async () => {
    const { reader, read, untilWaiting } = await open({ most: 1_000, largeFrom: 4 });
    const first = (await reader()).details(SPAN)[Symbol.asyncIterator]();
    await first.next();
    const second = collected((await reader()).details(SPAN));
    expect(await collected((await reader()).details({ from: '2024-03-06', to: '2024-03-06' }))).toHaveLength(1);
    await untilWaiting(1);
    expect(read).toEqual(['2024-03-06', '2024-03-06']);
    await first.return?.();
    expect(await second).toHaveLength(5);
    const { reader: crowded, untilWaiting: untilCrowded } = await open({ most: 1_000, largeFrom: 4, mostWaiting: 1 });
    const inside = (await crowded()).details(SPAN)[Symbol.asyncIterator]();
    await inside.next();
    const waits = collected((await crowded()).details(SPAN));
    await untilCrowded(1);
    await expect(collected((await crowded()).details(SPAN))).rejects.toEqual(errors.unavailable());
    await inside.return?.();
    expect(await waits).toHaveLength(5);
    const late = (await open({ most: 1_000, largeFrom: 4, longestMs: -1 })).reader;
    for (let call = 0; call < 2; call++) await expect(collected((await late()).details(SPAN))).rejects.toEqual(errors.unavailable());
  });

  it('ends when its client is gone, also while it waits for its turn, and when that takes too long', async () => {
    const { results, read, turns, untilWaiting } = await open({ most: 1_000, largeFrom: 4, longestMs: LONGEST_MS });
    const leave = await turns.enter(TENANT);
    let isGone = false;
    const report = (await results.report(TENANT, 'Critical', () => isGone))!;
    const large = () => collected(report.details(SPAN)).catch((error: unknown) => error);
    const waits = large();
    await untilWaiting(1);
    isGone = true;
    expect(await waits).toEqual(errors.nobodyWaits());
    leave();
    expect([await large(), read]).toEqual([errors.nobodyWaits(), []]);
    isGone = false;
    const begun = report.details(SPAN)[Symbol.asyncIterator]();
    await begun.next();
    isGone = true;
    await expect(begun.next()).rejects.toEqual(errors.nobodyWaits());
    expect(read).toEqual(['2024-03-06', '2024-03-07']);
    (await turns.enter(TENANT))(); // is free again

    const late = await open({ most: 1_000, largeFrom: 4, longestMs: 1 });
    await late.turns.enter(TENANT);
    await expect(collected((await late.reader()).details(SPAN))).rejects.toEqual(errors.unavailable());
  });

  it('is handed over before a day is read where the thread answers large calls, which wait for the same turns', async () => {
    const { reader, read, results, untilWaiting } = await open({ most: 1_000, largeFrom: 4, mostWaiting: 1, longestMs: LONGEST_MS });
    const handed: unknown[] = [];
    const largeCalls = {
      answer: async ({ call }: LargeCall, longestMs: number, done: () => void) => {
        handed.push([call, longestMs]);
        done();
        return new Answer('from the thread');
      },
    };
    const handing = (await results.handingOver(largeCalls).report(TENANT, 'Critical'))!;
    const thrown = await collected(handing.details(SPAN)).catch((error: unknown) => error);
    expect([read, thrown instanceof HandedOver]).toEqual([[], true]);
    expect(await collected(handing.details({ from: '2024-03-06', to: '2024-03-06' }))).toHaveLength(1);
    const again = async (work = new Work()) =>
      thrown instanceof HandedOver ? (await thrown.answer('some', { ...CALL, work }, {})).body : undefined;
    expect([await again(), handed]).toEqual(['from the thread', [[{ read: 'some', call: CALL, params: {} }, LONGEST_MS]]]);
    const inside = (await reader()).details(SPAN)[Symbol.asyncIterator]();
    await inside.next();
    let isGone = false;
    const leaves = again(new Work(() => isGone)).catch((error: unknown) => error);
    await untilWaiting(1);
    isGone = true;
    await untilWaiting(0);
    expect(await leaves).toEqual(errors.nobodyWaits());
    const waits = again();
    await untilWaiting(1);
    await expect(again()).rejects.toEqual(errors.unavailable());
    await inside.return?.();
    expect(await waits).toBe('from the thread');
  });
});
