import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventFilter } from '#infra/engine/audit-index/audit-index.js';
import type { EventList } from '#infra/engine/audit-index/event-list.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { AuditLab, type Happening } from '#test/support/audit/audit-lab.js';
import { PageOfChanges } from './page-of-changes.js';

const MINUTE = 60_000;
const START = Date.parse('2026-11-20T12:00:00Z');
const ada = { kind: 'user', id: 'ada' } as const;
/** More than a call reads of a minute. */
const MANY = 5_500;
/** Together they have more events than a call examines for counts. */
const TOPICS = 10;

const happening = (stream: string, type: string, time: number, data: Happening['data'] = {}): Happening => ({
  ...{ stream, type, time, data, actor: ada, request: 'r', correlation: 'r' },
  service: 'status',
});

/** So many events of a type in a minute. */
const many = (minute: number, stream: string, type: string, data: (at: number) => Happening['data']) =>
  Array.from({ length: MANY }, (_, at) => happening(stream, type, START + minute * MINUTE + at, data(at))) as [Happening, ...Happening[]];

describe('a page of changes in a minute with more events than a call reads', () => {
  const lab = new AuditLab();
  let audit: AuditEvents;
  /** Events read from the log, and examined in the index for counts. */
  let [read, looked] = [0, 0];
  const page = async (minute: number, more: object = {}) => {
    [read, looked] = [0, 0];
    const { index } = audit;
    const newest = index.countBefore(START + (minute + 1) * MINUTE) - 1;
    const events = {
      readStream: async (...asked: Parameters<typeof lab.log.readStream>) => {
        const found = await lab.log.readStream(...asked);
        read += found.length;
        return found;
      },
    };
    const request = { reads: true, traffic: true, owner: 'o', newest, start: newest, end: 0, limit: 3, personal: false, ...more };
    const names = { of: async () => [] };
    const counting = Object.create(index, {
      select: {
        value: (filter: EventFilter) => {
          const list = index.select(filter);
          const find: EventList['find'] = async (...asked) => {
            const found = await (list as EventList).find(...asked);
            if (filter.stream !== undefined) looked += found.looked;
            return found;
          };
          return list && { find };
        },
      },
    });
    const parts = { audit: { ...audit, index: counting }, events, names } as unknown as ConstructorParameters<typeof PageOfChanges>[0];
    return new PageOfChanges(parts, request).find();
  };
  const saying = async (minute: number, more?: object) =>
    (await page(minute, more)).items.map(({ sentence, count, exact }) => [sentence.replace('a user without a name ', ''), count, exact]);

  beforeAll(async () => {
    await lab.append(happening('status.weights-t', 'WeightsDeleted', START, { id: 'before' }));
    await lab.appendTogether(many(1, 'ops.audit-global', 'AsOfRead', (at) => ({ path: '/', position: `${at}` })));
    await lab.appendTogether(many(2, 'status.metric_data-t.h', 'MetricResultsRecorded', () => ({ tenantId: 't', results: [1, 2] })));
    await lab.appendTogether(many(3, 'status.weights-t', 'WeightsDeleted', (at) => ({ id: `${at}` })));
    for (let topic = 0; topic < TOPICS; topic++)
      await lab.appendTogether(many(4, `messaging.messages-${topic}`, 'MessagePublished', () => ({ projectId: 'p' })));
    audit = lab.open(undefined, { sizes: { events: 10_000, merged: 3 } });
    await lab.caughtUp(audit);
  });
  afterAll(() => lab.close());

  it('counts reads by the index, without reading them', async () => {
    expect((await saying(1))[0]).toEqual(['read the past (5,500 times)', MANY, true]);
    expect(read).toBeLessThan(1_000);
  });

  it('says of what has to be read to be counted that there are at least so many', async () => {
    const { items, next } = await page(2);
    expect(read).toBe(5_000);
    expect(items.map(({ sentence, exact }) => [sentence, exact])).toEqual([
      ['a user without a name sent at least 10,000 metric results to a tenant', false],
    ]);
    // The rest of the minute belongs to the same item, which is not listed again.
    expect((await saying(2, { start: next }))[0]).toEqual(['read the past (5,500 times)', MANY, true]);
  });

  it('examines no more events of the index than a bound to count, however many there are', async () => {
    const { items } = await page(4, { limit: 50 });
    expect(items.map(({ count, exact }) => [exact, exact ? count : count < 500])).toEqual([
      ...Array.from({ length: TOPICS - 1 }, () => [true, MANY]),
      [false, true],
    ]);
    expect(items.at(-1)?.sentence).toMatch(/published at least 4\d\d messages to a topic/);
    expect([read <= 7_000, looked <= 50_000 + TOPICS]).toEqual([true, true]);
  });

  it('reads no more changes of records than it shows, however many there are and on whichever page', async () => {
    const first = await page(3);
    expect([first.items.length, read < 1_000]).toEqual([3, true]);
    const second = await page(3, { start: first.next });
    expect([second.items.map(({ index }) => index), read < 1_000]).toEqual([[1, 2, 3].map((at) => (first.next ?? 0) + 1 - at), true]);
  });
});
