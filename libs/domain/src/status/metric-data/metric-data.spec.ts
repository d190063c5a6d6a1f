import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { streamOfHost, withHosts } from './earlier-releases.js';
import {
  EventsOfResults,
  keyedMetricData,
  type MetricResult,
  metricData,
  metricDataEvents,
  streamOfKeyedCall,
  streamOfMetricData,
} from './metric-data.js';

const result: MetricResult = {
  host: 'h',
  timestamp: '2015-05-01T01:00:00Z',
  report: 'r',
  endpoint_group: 'SITE-A',
  service: 'CE',
  metric: 'ping',
  status: 'OK',
  summary: '',
  message: '',
};
const recorded = (...results: readonly MetricResult[]) => ({ type: 'MetricResultsRecorded', data: { tenantId: 't', results } }) as const;

describe.each([
  ['metric data', metricData],
  ['metric data with an idempotency key', keyedMetricData],
])('%s', (_, decider) => {
  const given = deciderSpec(decider);
  const other = { ...result, host: 'i' };
  const command = { type: 'RecordMetricResults', tenantId: 't', events: [{ results: [result, other] }] } as const;

  it('is recorded unchanged, all hosts in one event', () => given().when(command).then(recorded(result, other)));
  it('is recorded again when it is sent again', () => given(recorded(result, other)).when(command).then(recorded(result, other)));
  it('is recorded in several events if it is large', () =>
    given()
      .when({ ...command, events: [{ results: [result] }, { results: [other, result] }] })
      .then(recorded(result), recorded(other, result)));
  it('records no event without results', () =>
    given()
      .when({ ...command, events: [] })
      .then());
});

describe('the stream of metric data', () => {
  it('is that of the tenant, which nodes share without competing', () => {
    expect([streamOfMetricData('t'), metricData.expects]).toEqual(['status.metric_data-t', 'any']);
  });
  it('is one for each idempotency key, in which a second use conflicts', () => {
    expect([streamOfKeyedCall('t', 'ab12'), keyedMetricData.expects]).toEqual(['status.metric_data-t.ab12', undefined]);
  });
});

describe('the events of results', () => {
  const sizes = (...added: readonly (readonly [number, number])[]) => {
    const events = new EventsOfResults();
    for (const [count, bytes] of added) events.add(Array<MetricResult>(count).fill(result), bytes);
    return events.all().map(({ results, bytes }) => [results.length, bytes]);
  };
  it('have up to 999 results, so that the index of each has three digits', () => {
    expect(sizes([998, 1], [1, 1])).toEqual([[999, 2]]);
    expect(sizes([998, 1], [1, 1], [1, 1])).toEqual([
      [999, 2],
      [1, 1],
    ]);
    expect(sizes([998, 1], [2, 1])).toEqual([
      [998, 1],
      [2, 1],
    ]);
  });
  it('have up to 256 KiB, or one larger result', () => {
    expect(sizes([1, 200_000], [1, 62_144], [1, 1])).toEqual([
      [2, 262_144],
      [1, 1],
    ]);
    expect(sizes([1, 300_000], [1, 1])).toEqual([
      [1, 300_000],
      [1, 1],
    ]);
  });
  it('are none without results', () => expect(sizes([0, 0])).toEqual([]));
});

describe('results that releases up to 1.0.0 recorded', () => {
  const first = { timestamp: '2015-05-01T10:00:00Z', report: 'other', endpoint_group: 'SITE-A', metric: 'ping', status: 'CRITICAL' };
  const second = { timestamp: '2015-05-01T10:00:00Z', service: 'CE' };

  it('get their host, which the event had', () => {
    const { version, upcasters } = metricDataEvents.MetricResultsRecorded;
    expect([version, upcasters]).toEqual([2, [withHosts]]);
    const results = [first, second].map((one) => ({ host: 'h', ...one }));
    const lifted = withHosts({ tenantId: 't', host: 'h', results: [first, second] });
    expect(JSON.stringify(lifted)).toBe(JSON.stringify({ tenantId: 't', results }));
  });

  it.each([
    ['host-1.example.org', 'status.metric_data-t.host-1.example.org'],
    ['host_ID:8443', 'status.metric_data-t.host_ID:8443'],
  ])('of %s are in the stream %s', (host, stream) => expect(streamOfHost('t', host)).toBe(stream));
  it.each(['', 'ho st', 'a/b', '~', 'ä', 'a'.repeat(129), 'a'.repeat(1_000_000)])(
    'of an unusual host are in a stream whose name has safe characters',
    (host) => {
      expect(streamOfHost('t', host)).toMatch(/^status\.metric_data-t\.~[0-9a-f]{64}$/);
      expect(streamOfHost('t', `${host}b`)).not.toBe(streamOfHost('t', host));
    },
  );
});
