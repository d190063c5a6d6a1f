import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type MetricResult, metricCalls, metricData, streamOfMetricCall, streamOfMetricData } from './metric-data.js';

const result: MetricResult = {
  timestamp: '2015-05-01T01:00:00Z',
  report: 'r',
  endpoint_group: 'SITE-A',
  service: 'CE',
  metric: 'ping',
  status: 'OK',
  summary: '',
  message: '',
};

describe('metric data', () => {
  const given = deciderSpec(metricData);
  const command = { type: 'RecordMetricResults', tenantId: 't', host: 'h', results: [result, result] } as const;
  const recorded = { type: 'MetricResultsRecorded', data: { tenantId: 't', host: 'h', results: [result, result] } } as const;

  it('is recorded unchanged, in one event', () => given().when(command).then(recorded));
  it('is recorded again when it is sent again', () => given(recorded).when(command).then(recorded));
  it('records no event without results', () =>
    given()
      .when({ ...command, results: [] })
      .then());

  it.each([
    ['host-1.example.org', 'status.metric_data-t.host-1.example.org'],
    ['host_ID:8443', 'status.metric_data-t.host_ID:8443'],
  ])('of %s has the stream %s', (host, stream) => expect(streamOfMetricData('t', host)).toBe(stream));
  it.each(['', 'ho st', 'a/b', '~', 'ä', 'a'.repeat(129), 'a'.repeat(1_000_000)])(
    'of an unusual host has a stream name of safe characters',
    (host) => {
      expect(streamOfMetricData('t', host)).toMatch(/^status\.metric_data-t\.~[0-9a-f]{64}$/);
      expect(streamOfMetricData('t', `${host}b`)).not.toBe(streamOfMetricData('t', host));
    },
  );
});

describe('calls with an idempotency key', () => {
  it('are recorded', () => {
    deciderSpec(metricCalls)()
      .when({ type: 'SubmitMetricData', tenantId: 't', results: 3 })
      .then({ type: 'MetricDataSubmitted', data: { tenantId: 't', results: 3 } });
    expect(streamOfMetricCall('ab12')).toBe('status.metric_calls-ab12');
  });
});
