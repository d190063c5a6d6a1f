import { describe, expect, it } from '@jest/globals';
import type { MetricResult } from '#domain/status/metric-data/metric-data.js';
import { projectionSpec, textsAfter } from '#test/support/projection-spec.js';
import { metricCollections } from './documents.js';
import { metricDataProjection } from './projection.js';

const [results, timelines, latest, latestOfGroup, endpoints, statuses, metrics] = Object.values(metricCollections).map(
  ({ name }) => name,
) as ['results', 'timelines', 'latest', 'latest-of-group', 'endpoints', 'statuses', 'metrics'];
const spec = projectionSpec(metricDataProjection);

const result = (changes: Partial<MetricResult> = {}): MetricResult => ({
  host: 'h',
  timestamp: '2015-05-01T01:02:03Z',
  report: 'r',
  endpoint_group: 'SITE',
  service: 'CE',
  metric: 'ping',
  status: 'OK',
  summary: '',
  message: '',
  ...changes,
});
const recorded = (given: readonly MetricResult[], tenantId = 't', host?: string) =>
  ({
    type: 'MetricResultsRecorded',
    data: { tenantId, results: given.map((one) => (host === undefined ? one : { ...one, host })) },
  }) as const;
const first = '00000000000000000010';

/** The last status is that of the last point. */
const metricOfDay = (metric: string, time: string, sequence: string, statuses: readonly string[]) => ({
  ...{ metric, timestamp: `2015-05-01T${time}Z`, sequence, status: statuses.at(-1) },
  statuses: statuses.map((status) => ({ status })),
});

describe('the read model of metric data', () => {
  it('stores a result once per query, without empty members', () =>
    spec.given(recorded([result()])).then({
      [results]: {
        [`t/h/2015-05-01/01:02:03/${first}.000`]: {
          head: [{ service: 'CE', metric: 'ping', timestamp: '2015-05-01T01:02:03Z', status: 'OK', report: 'r' }],
          body: [{ Timestamp: '2015-05-01T01:02:03Z', Value: 'OK', Summary: '', Message: '' }],
        },
      },
      [timelines]: {
        [`t/r/SITE/CE/h/2015-05-01/ping/01:02:03/${first}.000`]: { metric: 'ping', timestamp: '2015-05-01T01:02:03Z', value: 'OK' },
      },
      [latest]: { [`t/r/2015-05-01/01:02:03/${first}.000`]: { head: [0], body: [latestPoint] } },
      [latestOfGroup]: { [`t/r/SITE/2015-05-01/01:02:03/${first}.000`]: { head: [0], body: [latestPoint] } },
      [endpoints]: {
        't/r/2015-05-01/h/CE/SITE': {
          timestamp: '2015-05-01T01:02:03Z',
          endpoint_group: 'SITE',
          service: 'CE',
          endpoint: 'h',
          status: 'OK',
        },
      },
      [statuses]: { 't/r/SITE/2015-05-01/CE/h/ping/OK': { service: 'CE', hostname: 'h', metric: 'ping', status: 'OK' } },
    }));

  it('stores the results of several hosts of an event as if each had an event, apart from their index', () => {
    const everywhere = (host: string) => ({ ...result({ host }), report: undefined });
    const given = [result(), result({ host: 'i' }), everywhere('i'), everywhere('h')] as readonly MetricResult[];
    const stored = textsAfter(metricDataProjection, [recorded(given)]);
    const keys = (name: string) => Object.keys(stored[name] ?? {}).sort();
    expect(keys(results)).toEqual([`t/h/2015-05-01/01:02:03/${first}.000`, `t/i/2015-05-01/01:02:03/${first}.001`]);
    expect(keys(timelines)).toEqual([
      `t/r/SITE/CE/h/2015-05-01/ping/01:02:03/${first}.000`,
      `t/r/SITE/CE/i/2015-05-01/ping/01:02:03/${first}.001`,
    ]);
    expect(keys(latest)).toEqual([`t//2015-05-01/01:02:03/${first}.002`, `t/r/2015-05-01/01:02:03/${first}.000`]);
    expect(keys(endpoints)).toEqual(['t/r/2015-05-01/h/CE/SITE', 't/r/2015-05-01/i/CE/SITE']);
    expect(keys(metrics)).toEqual(['t/2015-05-01/SITE/h/CE/', 't/2015-05-01/SITE/i/CE/']);
    expect(keys(statuses)).toEqual(['t/r/SITE/2015-05-01/CE/h/ping/OK', 't/r/SITE/2015-05-01/CE/i/ping/OK']);
    const texts = Object.values(stored).flatMap((documents) => Object.values(documents));
    expect(texts.some((text) => text.includes('"endpoint": "i"')) && texts.some((text) => text.includes('"hostname": "i"'))).toBe(true);
  });

  it('stores a result for every report with those of its host, even without a service', () => {
    const { report: _, ...everywhere } = result({ service: '' });
    spec.given(recorded([everywhere])).then({
      [results]: {
        [`t/h/2015-05-01/01:02:03/${first}.000`]: {
          head: [{ service: '', metric: 'ping', timestamp: '2015-05-01T01:02:03Z', status: 'OK' }],
          body: [{ Timestamp: '2015-05-01T01:02:03Z', Value: 'OK', Summary: '', Message: '' }],
        },
      },
      [latest]: { [`t//2015-05-01/01:02:03/${first}.000`]: { head: [0], body: [{ ...latestPoint, service: '' }] } },
      [metrics]: {
        't/2015-05-01/SITE/h//': {
          ...{ endpoint_group: 'SITE', service: '', endpoint: 'h' },
          metrics: [metricOfDay('ping', '01:02:03', `${first}.000`, ['OK'])],
        },
      },
    });
  });

  it('stores the last point of a metric for every report on a day, separately per group', () => {
    const at = (time: string, status: string, changes: Partial<MetricResult> = {}) => {
      const { report: _, ...everywhere } = result({ timestamp: `2015-05-01T${time}Z`, status, ...changes });
      return everywhere;
    };
    const metricsOf = (group: string, ...all: readonly object[]) => ({
      [`t/2015-05-01/${group}/h/CE/`]: { endpoint_group: group, service: 'CE', endpoint: 'h', metrics: all },
    });
    spec
      .given(
        recorded([at('05:00:00', 'OK'), at('07:00:00', 'WARNING'), at('06:00:00', 'OK'), at('06:00:00', 'OK', { endpoint_group: '' })]),
        recorded([at('07:00:00', 'CRITICAL'), at('04:00:00', 'OK'), at('01:00:00', 'OK', { metric: 'load' }), result()]),
      )
      .thenCollections({
        [metrics]: {
          ...metricsOf(
            'SITE',
            metricOfDay('ping', '07:00:00', '00000000000000000020.000', ['OK', 'WARNING', 'CRITICAL']),
            metricOfDay('load', '01:00:00', '00000000000000000020.002', ['OK']),
          ),
          ...metricsOf('', metricOfDay('ping', '06:00:00', `${first}.003`, ['OK'])),
        },
      });
  });

  it('stores the metrics of an event apart once those of its endpoint fill a document', () => {
    const { report: _, ...everywhere } = result();
    const ofMetric = (metric: string, status = 'OK') => recorded([{ ...everywhere, metric, status }]);
    const long = 'm'.repeat(64 * 1024);
    const stored = textsAfter(metricDataProjection, [ofMetric(long), ofMetric('ping'), ofMetric('ping', 'CRITICAL')])[metrics] ?? {};
    const metricsOf = (text = '') => (JSON.parse(text) as { metrics: readonly object[] }).metrics;
    const [shared, ...others] = Object.keys(stored);
    expect([shared, ...others]).toEqual(
      ['', '00000000000000000020.000', '00000000000000000030.000'].map((one) => `t/2015-05-01/SITE/h/CE/${one}`),
    );
    expect(metricsOf(stored[shared as string])).toHaveLength(1);
    expect(others.map((key) => metricsOf(stored[key]))).toEqual([
      [metricOfDay('ping', '01:02:03', '00000000000000000020.000', ['OK'])],
      [metricOfDay('ping', '01:02:03', '00000000000000000030.000', ['CRITICAL'])],
    ]);
  });

  it('stores the results of an event and a second together, those in a group or a report apart', () => {
    const { report: _, ...everywhere } = result();
    const given = [result(), { ...everywhere, metric: 'load' }, result({ timestamp: '2015-05-01T01:02:04Z' }), result({ metric: 'load' })];
    const indexesOf = (name: string): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(textsAfter(metricDataProjection, [recorded(given)])[name] ?? {}).map(([key, text]) => [key, text.split('\n')[0]]),
      );
    expect(indexesOf(latest)).toEqual({
      [`t//2015-05-01/01:02:03/${first}.001`]: '[1]',
      [`t/r/2015-05-01/01:02:03/${first}.000`]: '[0,3]',
      [`t/r/2015-05-01/01:02:04/${first}.002`]: '[2]',
    });
    expect(indexesOf(latestOfGroup)).toEqual({
      [`t/r/SITE/2015-05-01/01:02:03/${first}.000`]: '[0,3]',
      [`t/r/SITE/2015-05-01/01:02:04/${first}.002`]: '[2]',
    });
    expect(Object.keys(indexesOf(results))).toEqual([`t/h/2015-05-01/01:02:03/${first}.000`, `t/h/2015-05-01/01:02:04/${first}.002`]);
  });

  const latestPoint = {
    endpoint_group: 'SITE',
    service: 'CE',
    endpoint: 'h',
    metric: 'ping',
    timestamp: '2015-05-01T01:02:03Z',
    status: 'OK',
  };
  const full = result({
    status: 'CRITICAL',
    summary: 's <b>',
    message: 'line 1\nline 2',
    previous_timestamp: '2015-04-30T23:00:00Z',
    previous_state: 'OK',
    info: { URL: 'https://h' },
    actual_data: 'time=5s',
    threshold_rule_applied: 'time=0:3',
    original_status: 'OK',
  });

  it('stores details in the format of answers, after a line for sorting and filtering', () =>
    spec
      .given(recorded([full]))
      .thenText(
        results,
        `t/h/2015-05-01/01:02:03/${first}.000`,
        [
          '[{"service":"CE","metric":"ping","timestamp":"2015-05-01T01:02:03Z","status":"CRITICAL","report":"r","info":{"URL":"https://h"}}]',
          '{',
          '       "Timestamp": "2015-05-01T01:02:03Z",',
          '       "Value": "CRITICAL",',
          '       "Summary": "s \\u003cb\\u003e",',
          '       "Message": "line 1\\nline 2",',
          '       "actual_data": "time=5s",',
          '       "threshold_rule_applied": "time=0:3",',
          '       "original_status": "OK"',
          '      }',
        ].join('\n'),
      ));

  it('stores the previous point and the effect of thresholds', () =>
    spec.given(recorded([full])).thenCollections({
      [timelines]: {
        [`t/r/SITE/CE/h/2015-05-01/ping/01:02:03/${first}.000`]: {
          metric: 'ping',
          timestamp: '2015-05-01T01:02:03Z',
          value: 'CRITICAL',
          previous_timestamp: '2015-04-30T23:00:00Z',
          previous_state: 'OK',
          info: { URL: 'https://h' },
          actual_data: 'time=5s',
          threshold_rule_applied: 'time=0:3',
          original_status: 'OK',
        },
      },
      [latest]: {
        [`t/r/2015-05-01/01:02:03/${first}.000`]: {
          head: [0],
          body: [{ ...latestPoint, status: 'CRITICAL', summary: 's <b>', message: 'line 1\nline 2' }],
        },
      },
      [endpoints]: {
        't/r/2015-05-01/h/CE/SITE': {
          timestamp: '2015-05-01T01:02:03Z',
          endpoint_group: 'SITE',
          service: 'CE',
          endpoint: 'h',
          status: 'CRITICAL',
          info: { URL: 'https://h' },
        },
      },
    }));

  it('stores the last point of an endpoint on a day, in any order of arrival; of two in the same second, the later one in the log', () => {
    const at = (time: string, status: string) => result({ timestamp: `2015-05-01T${time}Z`, status });
    spec
      .given(
        recorded([at('05:00:00', 'OK'), at('07:00:00', 'WARNING'), at('06:00:00', 'OK')]),
        recorded([at('04:00:00', 'OK'), at('07:00:00', 'CRITICAL')]),
        recorded([at('06:59:59', 'UNKNOWN')]),
      )
      .thenCollections({
        [endpoints]: {
          't/r/2015-05-01/h/CE/SITE': {
            timestamp: '2015-05-01T07:00:00Z',
            endpoint_group: 'SITE',
            service: 'CE',
            endpoint: 'h',
            status: 'CRITICAL',
          },
        },
      });
  });

  it('removes the results of a deleted tenant, and no others', () =>
    spec
      .given(recorded([result()]), recorded([result()], 't2'), recorded([full], 't', 'h2'), {
        stream: 'status.tenants-global',
        type: 'TenantDeleted',
        data: { tenantId: 't' },
      })
      .thenCollections({
        [statuses]: { 't2/r/SITE/2015-05-01/CE/h/ping/OK': { service: 'CE', hostname: 'h', metric: 'ping', status: 'OK' } },
        [endpoints]: {
          't2/r/2015-05-01/h/CE/SITE': {
            timestamp: '2015-05-01T01:02:03Z',
            endpoint_group: 'SITE',
            service: 'CE',
            endpoint: 'h',
            status: 'OK',
          },
        },
        [latest]: { 't2/r/2015-05-01/01:02:03/00000000000000000020.000': { head: [0], body: [latestPoint] } },
        [latestOfGroup]: { 't2/r/SITE/2015-05-01/01:02:03/00000000000000000020.000': { head: [0], body: [latestPoint] } },
      }));

  it('accepts names of any length and with any characters', () => {
    const [long, odd] = ['x'.repeat(2_000), 'a/b%é日'];
    const wild = result({ report: odd, endpoint_group: long, service: odd, metric: long, status: long });
    expect(() => spec.given(recorded([wild], 't', long), recorded([wild], 't', odd)).thenCollections({})).not.toThrow();
  });
});
