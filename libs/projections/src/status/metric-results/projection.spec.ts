import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { memoryView } from '#test/support/memory-view.js';
import { projectionSpec, storedAfter, textsAfter } from '#test/support/projection-spec.js';
import { bucketOf } from './buckets.js';
import { resultCollections } from './documents.js';
import { resultsProjection } from './projection.js';

const { buckets, parts, texts, days, gone } = resultCollections;
const [tenantId, day] = ['t', '2015-05-01'];
const given = projectionSpec(resultsProjection);
const slice = new TimeSlice();

const result = (changes: Partial<MetricResult> = {}): MetricResult => ({
  ...{ host: 'h', timestamp: `${day}T01:02:03Z`, report: 'r', endpoint_group: 'SITE', service: 'CE', metric: 'ping', status: 'OK' },
  ...{ summary: '', message: '', ...changes },
});
const recorded = (...results: readonly MetricResult[]) => ({ type: 'MetricResultsRecorded', data: { tenantId, results } }) as const;
const deleted = { type: 'TenantDeleted', data: { tenantId } } as const;
const stamp = (position: number, index = 0): string => `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;

const ofHost = (host: string, of = day, count = 64) => ({ tenantId, day: of, bucket: bucketOf(tenantId, host, count) });
const rowsAt = (host: string, of = day, count = 64) => buckets.key({ ...ofHost(host, of, count), part: 'rows' });
const headAt = (host: string, of = day, count = 64) => buckets.key({ ...ofHost(host, of, count), part: 'head' });

/** Rows of about 40 KiB. */
const long = (metric: string, changes: Partial<MetricResult> = {}) => recorded(result({ metric, message: 'x'.repeat(40_000), ...changes }));
const keysAfter = (...events: Parameters<typeof textsAfter>[1]) => {
  const stored = textsAfter(resultsProjection, events);
  return Object.fromEntries(Object.entries(stored).map(([name, documents]) => [name, Object.keys(documents)]));
};

describe('the read model of results', () => {
  it('keeps a result once: in a row of its host', () => {
    const point = result({ summary: 'fine' });
    const row = '[10,"h",[0,3723,"OK","CE","ping","r","SITE"]]\t["fine"]\n';
    given(recorded(point)).then({
      [buckets.name]: { [rowsAt('h')]: row },
      [days.name]: { [days.key({ tenantId, day })]: { buckets: 64, points: 1, first: 10, stamp: stamp(10) } },
    });
  });

  it('keeps the first position of a point without a report, and the last position of all', () =>
    given(recorded(result()), recorded(result(), result({ report: undefined } as never)), recorded(result())).thenCollections({
      [days.name]: { [days.key({ tenantId, day })]: { buckets: 64, points: 4, first: 10, stamp: stamp(30), common: 20 } },
    }));

  it('has a row for each host of an event and each of its days', () => {
    const next = '2015-05-02';
    const stored = textsAfter(resultsProjection, [
      recorded(result(), result({ host: 'i' }), result({ metric: 'load' }), result({ timestamp: `${next}T00:00:00Z` })),
    ]);
    expect(stored[buckets.name]?.[rowsAt('h')]).toBe(
      '[10,"h",[0,3723,"OK","CE","ping","r","SITE"],[2,3723,"OK","CE","load","r","SITE"]]\t["",""]\n',
    );
    expect(stored[buckets.name]?.[rowsAt('i')]).toBe('[10,"i",[1,3723,"OK","CE","ping","r","SITE"]]\t[""]\n');
    expect(stored[buckets.name]?.[rowsAt('h', next)]).toBe('[10,"h",[3,0,"OK","CE","ping","r","SITE"]]\t[""]\n');
  });

  it('has as many buckets on a day as the days before it need', () => {
    const busy = Array.from({ length: 25 }, (_, call) =>
      recorded(
        ...Array.from({ length: 900 }, (_one, n) => result({ host: `h${n}`, metric: `m${call}`, timestamp: '2015-04-29T00:00:00Z' })),
      ),
    );
    given(
      ...busy,
      recorded(result({ timestamp: '2015-04-30T00:00:00Z' })),
      recorded(result()),
      recorded(result({ timestamp: '2015-06-01T00:00:00Z' })),
    ).thenCollections({
      [days.name]: Object.fromEntries(
        [
          ['2015-04-29', 64, 22_500],
          ['2015-04-30', 8, 1],
          [day, 8, 1],
          ['2015-06-01', 64, 1],
        ].map(([of, count, points], index) => [
          days.key({ tenantId, day: String(of) }),
          expect.objectContaining({ buckets: count, points, first: index === 0 ? 10 : 250 + 10 * index }),
        ]),
      ),
    });
  });

  it('closes rows before they get too long', () => {
    const place = parts.key({ ...ofHost('h'), part: 0 });
    expect(keysAfter(long('a'), long('b'))).toEqual({ [buckets.name]: [rowsAt('h')], [days.name]: [days.key({ tenantId, day })] });
    expect(keysAfter(long('a'), long('b'), long('c'))).toEqual({
      [buckets.name]: [headAt('h'), rowsAt('h')],
      [days.name]: [days.key({ tenantId, day })],
      [parts.name]: [place],
      [texts.name]: [place],
    });
  });

  it('closes rows of a day when the host has points of the day after the next, but none that come with them', () => {
    const [last, next] = ['2015-05-03', '2015-05-02'];
    const of = (at: string) => result({ timestamp: `${at}T00:00:00Z` });
    const [open, closed] = [rowsAt('h'), headAt('h')];
    const bucketsAfter = (...events: Parameters<typeof textsAfter>[1]) => keysAfter(...events)[buckets.name];
    expect(bucketsAfter(recorded(of(day)), recorded(of(next)))).toContain(open);
    expect(bucketsAfter(recorded(of(day)), recorded(of(last), of(day)))).toContain(open);
    expect(bucketsAfter(recorded(of(day)), recorded(of(last)))).toEqual([closed, rowsAt('h', last, 4)]);
    expect(bucketsAfter(recorded(of(day)), recorded(of(last)), recorded(of(day)), recorded(of(last)))).toEqual([
      closed,
      open,
      rowsAt('h', last, 4),
    ]);
  });

  it('shares a summary among neighbouring parts once there are many, and still finds all', async () => {
    const events = Array.from({ length: 140 }, (_, n) =>
      long(`m${n}`, { message: 'x'.repeat(100_000), status: n === 7 ? 'CRITICAL' : 'OK' }),
    );
    const stored = storedAfter(resultsProjection, events);
    const head = JSON.parse(String(stored[buckets.name]?.[headAt('h')])) as readonly { parts: number }[];
    expect(head.length).toBeLessThanOrEqual(128);
    expect(head.reduce((sum, one) => sum + one.parts, 0)).toBe(139);
    const queries = new MetricDataQueries({ view: () => memoryView(stored) });
    const query = { tenantId, report: 'r', day, group: undefined, limit: 500, expecting: async () => undefined };
    const found: string[] = [];
    for await (const page of queries.latestPoints({ ...query, wanted: (status) => status === 'CRITICAL' }, slice))
      found.push(...page.map(({ point }) => point.metric));
    expect(found).toEqual(['m7']);
  });

  it('leaves long statuses and groups out of summaries, and still finds their points', async () => {
    const longTexts = { status: 'S'.repeat(5_000), endpoint_group: 'G'.repeat(5_000) };
    const stored = storedAfter(resultsProjection, [long('a'), long('b', longTexts), long('c'), long('d'), long('e')]);
    expect(JSON.parse(String(stored[buckets.name]?.[headAt('h')]))).toEqual([
      { parts: 1, at: 3_723, last: 20, statuses: 0, reports: 0 },
      { parts: 1, at: 3_723, last: 40, statuses: [['OK', 3_723]], reports: [['r', 'SITE']] },
    ]);
    const queries = new MetricDataQueries({ view: () => memoryView(stored) });
    const query = { tenantId, report: 'r', day, limit: 500, expecting: async () => undefined };
    const wanted = (status: string) => status === longTexts.status;
    const found: string[] = [];
    for await (const page of queries.latestPoints({ ...query, group: longTexts.endpoint_group, wanted }, slice))
      found.push(...page.map(({ point }) => point.metric));
    expect(found).toEqual(['b']);
  });

  it('shows nothing of a deleted tenant, but what came before as of positions before it', async () => {
    const stored = storedAfter(resultsProjection, [recorded(result()), recorded(result()), deleted]);
    expect(stored[gone.name]).toEqual({ [tenantId]: '{"position":30}' });
    const count = async (asOf?: bigint): Promise<number> => {
      const view = { ...memoryView(stored), ...(asOf !== undefined && { asOf }) };
      let found = 0;
      for await (const page of new MetricDataQueries({ view: () => view }).ofDay(tenantId, 'h', day, () => true, slice))
        found += page.length;
      return found;
    };
    expect([await count(), await count(30n), await count(29n), await count(20n), await count(19n), await count(9n)]).toEqual([
      0, 0, 2, 2, 1, 0,
    ]);
  });
});
